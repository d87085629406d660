"""All candidates for one citation text: which are shown, in which order, and which one is accepted."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.records import Work
from core.references.citations.scoring import LEAST_SCORE, Score, score
from core.works.retraction import retraction_notice

_LEAD = 0.1


@dataclass(frozen=True, slots=True)
class Found:
    """A record that may be the one cited; `identifier` is the piece of the text that names it, if one does."""

    work: Work
    source: str
    identifier: str | None = None
    is_retracted: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that is shown, with its place by the better ranking, 1 being the best."""

    found: Found
    score: Score
    rank: int

    @property
    def doi(self) -> str | None:
        """The DOI; that of arXiv for a paper that has no other."""
        work = self.found.work
        if work.doi is None and work.arxiv_id is not None:
            return f"10.48550/arXiv.{work.arxiv_id}"
        return work.doi_registered or work.doi

    @property
    def is_retracted(self) -> bool:
        """Whether the source, or a notice in the record, says so; False is no proof of the contrary."""
        return self.found.is_retracted or retraction_notice(self.found.work) is not None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates by score, at most as many as were asked for, and the one that is accepted, if one is."""

    candidates: tuple[Candidate, ...]
    best: Candidate | None


def rank(query: str, found: Iterable[Found], limit: int) -> Ranking:
    """Ranks what was found for a text; kept is what holds half of the text's words, or what the text names.

    `best` is judged over all that is kept: a rival that is not shown is a rival.
    """
    scored = [(each, score(query, each.work, identifier=each.identifier)) for each in _distinct(found)]
    kept = [pair for pair in scored if pair[1].score >= LEAST_SCORE or pair[0].identifier is not None]
    kept.sort(key=lambda pair: -pair[1].score)
    by_rank = sorted(range(len(kept)), key=lambda place: (-kept[place][1].evidence.rank_score, -kept[place][1].score))
    rank_of = {place: number for number, place in enumerate(by_rank, start=1)}
    candidates = [Candidate(each, scored, rank_of[place]) for place, (each, scored) in enumerate(kept)]
    return Ranking(tuple(candidates[:limit]), _best(candidates))


def _best(candidates: list[Candidate]) -> Candidate | None:
    matches = [one for one in candidates if one.score.evidence.verdict == "match"]
    matches.sort(key=lambda candidate: candidate.rank)
    if not matches:
        return None
    if len(matches) > 1:
        lead = matches[0].score.evidence.rank_score - matches[1].score.evidence.rank_score
        # Both are decimals of three places; their difference in binary is not.
        if round(lead, 3) < _LEAD:
            return None
    return matches[0]


def _distinct(found: Iterable[Found]) -> list[Found]:
    """Each work once, as it was found first; the identifier in the text comes first."""
    first: dict[tuple[str, str], Found] = {}
    distinct = []
    for each in found:
        names = each.work.identifiers()
        if not any(name in first for name in names):
            distinct.append(each)
        for name in names:
            first.setdefault(name, each)
    return distinct
