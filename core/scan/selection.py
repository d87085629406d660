"""Which of the ranked works are emitted, and why each (scan contract 7.14)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from core.scan.fusion import fused_score
from core.scan.identity.keys import folded_name
from core.scan.models import Candidate, FoundWork, Packet, RankedEntry, ScanAuthor, Shortlist, Verification
from core.scan.picking import Pick, picked
from core.scan.profiles import ALTERNATES
from core.scan.standing import origin_count

Order = tuple[int, int, int, int, float, str]

_SAFE_IN_DOI = "/:;.-_~"
_SAFE_IN_URL = "/:;.-_~?#@!$&'*+,=%[]"


@dataclass(frozen=True, slots=True)
class Selection:
    """The papers emitted in rank order, the next best, and how many were left out because they are retracted."""

    packets: tuple[Packet, ...] = ()
    alternates: tuple[Packet, ...] = ()
    dropped_retracted: int = 0


def select(
    shortlist: Shortlist,
    entries: Mapping[str, RankedEntry],
    verifications: Mapping[str, Verification],
    *,
    top: int,
    foundational: int,
) -> Selection:
    """The selection from all records that have an entry; the same for the same documents in any order."""
    ranked = ranked_packets(shortlist, entries, verifications)
    sound = [each for each in ranked if not is_retracted(each.verification)]
    best_first = first_of_versions(sorted(sound, key=order))
    picks = picked(best_first, top=top, foundational=foundational, is_same_author=by_same_author)
    return selection_of(picks, best_first, len(ranked) - len(sound))


def ranked_packets(
    shortlist: Shortlist, entries: Mapping[str, RankedEntry], verifications: Mapping[str, Verification]
) -> list[Packet]:
    """What may be emitted, without rank and reason."""
    return [
        Packet(
            each,
            entries[each.candidate.cid],
            verifications.get(each.candidate.cid, Verification("unverifiable")),
            None,
            None,
            url_of(each.candidate.work),
        )
        for each in shortlist.records
        if each.candidate.cid in entries
    ]


def selection_of(picks: Sequence[Pick], best_first: Sequence[Packet], dropped_retracted: int) -> Selection:
    """Ranks for what was picked, and the next best of the rest."""
    packets = tuple(replace(pick.packet, rank=rank, reason=pick.reason) for rank, pick in enumerate(picks, start=1))
    used = {_cid(each) for each in packets}
    rest = [each for each in best_first if _cid(each) not in used]
    return Selection(packets, tuple(rest[:ALTERNATES]), dropped_retracted)


def is_retracted(verification: Verification) -> bool:
    """Whether any source says that a work is retracted."""
    return verification.retraction.status == "retracted" or "retracted" in verification.mismatches


def order(packet: Packet) -> Order:
    """By overall, sum of criteria, origin count, screening score, fused score, cid."""
    work, entry = packet.shortlisted.candidate.work, packet.entry
    return (
        -entry.overall,
        -sum(entry.criteria.values()),
        -origin_count(work),
        -packet.shortlisted.score,
        -fused_score(work.origins),
        _cid(packet),
    )


def first_of_versions(best_first: Sequence[Packet]) -> list[Packet]:
    """The works in their order, of each group of versions only the first."""
    group = _groups(each.shortlisted.candidate for each in best_first)
    seen: set[str] = set()
    firsts = []
    for packet in best_first:
        name = group(_cid(packet))
        if name not in seen:
            seen.add(name)
            firsts.append(packet)
    return firsts


def by_same_author(one: Packet, other: Packet) -> bool:
    """Whether two works have one first author: by the ids that both have, else by the full folded name."""
    first, second = _first_author(one), _first_author(other)
    if first is None or second is None:
        return False
    for known, asked in ((first.openalex_id, second.openalex_id), (first.s2_id, second.s2_id)):
        if known and asked:
            return known == asked
    name = folded_name(first.name)
    return bool(name) and name == folded_name(second.name)


def url_of(work: FoundWork) -> str | None:
    """Where a work is read: by DOI, at arXiv, at its open-access address, in PubMed."""
    ids = work.ids
    if ids.doi:
        return f"https://doi.org/{quote(ids.doi, safe=_SAFE_IN_DOI, errors='replace')}"
    if ids.arxiv:
        return f"https://arxiv.org/abs/{quote(ids.arxiv, safe=_SAFE_IN_DOI, errors='replace')}"
    if work.oa_url and work.oa_url.lower().startswith(("https://", "http://")):
        return quote(work.oa_url, safe=_SAFE_IN_URL, errors="replace")
    return f"https://pubmed.ncbi.nlm.nih.gov/{quote(ids.pmid, safe='')}/" if ids.pmid else None


def _groups(candidates: Iterable[Candidate]) -> Callable[[str], str]:
    """Names the group of versions that a cid belongs to; links count in both directions, and over third works."""
    above: dict[str, str] = {}

    def root(cid: str) -> str:
        while (upper := above.get(cid, cid)) != cid:
            cid = upper
        return cid

    for candidate in candidates:
        for version in candidate.versions:
            one, other = sorted((root(candidate.cid), root(version)))
            above[other] = one
    return root


def _first_author(packet: Packet) -> ScanAuthor | None:
    return next(iter(packet.shortlisted.candidate.work.authors), None)


def _cid(packet: Packet) -> str:
    return packet.shortlisted.candidate.cid
