"""Merges one round's records with the pool, so that a work is there once (scan contract 7.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.scan.days import ScanWindow
from core.scan.identity.cids import cid_of
from core.scan.identity.clusters import Clusters
from core.scan.identity.records import dated, ordered, united
from core.scan.identity.resemblance import title_edges
from core.scan.models import Candidate, FoundWork, Pool


@dataclass(frozen=True, slots=True)
class Merged:
    """What a round brought.

    `pool` holds the known candidates in their order, with what they gained; `new` the works that are not in it, with
    their cids, in an order that follows from their contents; `joined` the pairs of surviving cid and alias of this
    round.
    """

    pool: Pool
    new: tuple[Candidate, ...] = ()
    joined: tuple[tuple[str, str], ...] = ()


def merge(pool: Pool, found: Sequence[FoundWork], window: ScanWindow) -> Merged:
    """The pool and a round's records as distinct works; the same for any order of `found`."""
    works = [*(dated(candidate.work) for candidate in pool.candidates), *ordered(map(dated, found))]
    clusters = _clustered(works)
    members = clusters.members()
    known = {root: places for root, places in members.items() if root < len(pool.candidates)}
    joined = tuple(
        (pool.candidates[root].cid, pool.candidates[place].cid)
        for root, places in known.items()
        for place in places[1:]
        if place < len(pool.candidates)
    )
    aliases = _aliases(pool.aliases, joined)
    cids = {root: pool.candidates[root].cid for root in known}
    taken = {candidate.cid for candidate in pool.candidates} | set(aliases)
    records = {root: united([works[place] for place in places]) for root, places in members.items()}
    for root in members:
        if root not in cids:
            cids[root] = cid_of(records[root], taken)
            taken.add(cids[root])
    versions = _versions(pool, clusters, cids, aliases)
    candidates = [
        Candidate(cids[root], record, window.holds(record.publication_date, record.year) is False, versions[root])
        for root, record in records.items()
    ]
    return Merged(Pool(tuple(candidates[: len(known)]), aliases), tuple(candidates[len(known) :]), joined)


def without_loose_versions(pool: Pool) -> Pool:
    """The pool whose version links lead to its own candidates only: links to works that were not admitted go."""
    cids = {candidate.cid for candidate in pool.candidates}
    return Pool(
        tuple(
            replace(candidate, versions=tuple(cid for cid in candidate.versions if cid in cids))
            for candidate in pool.candidates
        ),
        pool.aliases,
    )


def _clustered(works: Sequence[FoundWork]) -> Clusters:
    clusters = Clusters([work.ids for work in works])
    clusters.join_by_ids()
    roots = [clusters.root(place) for place in range(len(works))]
    for one, other in title_edges(works, roots):
        clusters.join(one, other)
    return clusters


def _aliases(known: Mapping[str, str], joined: Sequence[tuple[str, str]]) -> dict[str, str]:
    """All aliases, each leading to a candidate that is still there."""
    gone = {alias: survivor for survivor, alias in joined}
    return {alias: gone.get(survivor, survivor) for alias, survivor in known.items()} | gone


def _versions(
    pool: Pool, clusters: Clusters, cids: Mapping[int, str], aliases: Mapping[str, str]
) -> dict[int, tuple[str, ...]]:
    """By root, the cids of a work's versions: those known before, under the names they have now, then new ones."""
    linked: dict[int, dict[str, None]] = {root: {} for root in cids}
    surviving = set(cids.values())
    for place, candidate in enumerate(pool.candidates):
        for cid in candidate.versions:
            named = aliases.get(cid, cid)
            if named in surviving:
                linked[clusters.root(place)].setdefault(named)
    for one, other in clusters.apart():
        linked[one].setdefault(cids[other])
        linked[other].setdefault(cids[one])
    return {root: tuple(cid for cid in found if cid != cids[root]) for root, found in linked.items()}
