"""Records that are one work: union-find that never puts two identifiers of one kind together (scan contract 7.5)."""

from collections.abc import Sequence

from core.scan.models import Ids

Place = int
"""A record by its position: the pool's first, in pool order."""

_JOINING = ("doi", "arxiv", "pmid", "openalex", "s2", "catalog")
"""The kinds of identifiers that join records, strongest first."""

_UNIQUE = ("doi", "arxiv", "pmid")
"""The kinds of which one work has only one."""


class Clusters:
    """Sets of places; the root of each is its first place. What may not be joined is remembered as versions."""

    def __init__(self, ids: Sequence[Ids]) -> None:
        self._ids = ids
        self._parent = list(range(len(ids)))
        self._unique: list[list[str | None]] = [[getattr(each, kind) for kind in _UNIQUE] for each in ids]
        self._refused: dict[tuple[Place, Place], None] = {}

    def root(self, place: Place) -> Place:
        """The first place of the set that holds `place`."""
        while self._parent[place] != place:
            self._parent[place] = place = self._parent[self._parent[place]]
        return place

    def join(self, one: Place, other: Place) -> bool:
        """Makes two sets one unless that would hold two DOIs, two arXiv ids or two PMIDs; whether they are one now."""
        first, second = sorted((self.root(one), self.root(other)))
        if first == second:
            return True
        held, added = self._unique[first], self._unique[second]
        if any(mine and theirs and mine != theirs for mine, theirs in zip(held, added, strict=True)):
            self._refused.setdefault((first, second))
            return False
        self._parent[second] = first
        self._unique[first] = [mine or theirs for mine, theirs in zip(held, added, strict=True)]
        return True

    def join_by_ids(self) -> None:
        """Joins what shares an identifier, the strongest kind first, then by place."""
        for kind in _JOINING:
            holders: dict[str, list[Place]] = {}
            for place, ids in enumerate(self._ids):
                if value := getattr(ids, kind):
                    known = holders.setdefault(value, [])
                    joined = [self.join(holder, place) for holder in known]
                    if not any(joined):
                        known.append(place)

    def members(self) -> dict[Place, list[Place]]:
        """The places of each set by its root, all in ascending order."""
        sets: dict[Place, list[Place]] = {}
        for place in range(len(self._parent)):
            sets.setdefault(self.root(place), []).append(place)
        return sets

    def apart(self) -> list[tuple[Place, Place]]:
        """The pairs of roots whose sets were not joined because of their identifiers, in ascending order."""
        return sorted({(min(pair), max(pair)) for pair in self._refused_roots()})

    def _refused_roots(self) -> list[tuple[Place, Place]]:
        return [(self.root(one), self.root(other)) for one, other in self._refused]
