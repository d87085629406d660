"""Whether a ranked work is what its record says, by what live sources answered (scan contract 7.13)."""

from collections.abc import Iterable, Sequence

from core.scan.identity.keys import family_and_initial, family_key
from core.scan.models import Candidate, LiveRecord, Retraction, Verification
from core.scan.profiles import VERIFY_RATIO
from core.scan.searching.port import Answers
from core.scan.titles import differ_in_sense, title_ratio
from core.scan.vocabulary import Mismatch, RetractionStatus, SourceName, VerificationState
from core.works.retraction import title_mark, unmarked_title

AUTHORITY: tuple[SourceName, ...] = ("crossref", "datacite", "arxiv", "openalex", "s2")
"""Whose record is compared where there are several, best first."""

BY_IDENTIFIER = "identifier"
YEARS_APART = 1

_DOI_REGISTRIES: tuple[SourceName, ...] = ("crossref", "datacite")
_TELL_RETRACTIONS: tuple[SourceName, ...] = ("crossref", "arxiv", "openalex", "s2")


def verdict(candidate: Candidate, answers: Answers, verified_on: str, *, is_offline: bool = False) -> Verification:
    """The verdict on one work. Offline, where no live source is configured, nothing can be said against a work."""
    records = sorted((each for each in answers.records if each.source in AUTHORITY), key=_authority)
    authority = next((each for each in records if each.title), None)
    retraction = _retraction(candidate, records, answers.unchecked)
    mismatches = () if is_offline else _mismatches(candidate, authority, answers, retraction)
    confirming = [each for each in records if is_independent(each, candidate) and _is_titled(each, candidate)]
    state: VerificationState = "mismatched" if mismatches else "verified" if confirming else "unverifiable"
    if state == "unverifiable" and not records and answers.absent and not answers.unchecked and not is_offline:
        mismatches = ("no_record",)
    return Verification(
        state=state,
        verified_by=_sources(each.source for each in confirming) if state == "verified" else (),
        verified_on=verified_on,
        title_match_ratio=None if authority is None else round(_ratio(authority, candidate), 1),
        mismatches=mismatches,
        independent=bool(confirming),
        unchecked=_sources(answers.unchecked),
        records=_sources(each.source for each in records),
        retraction=retraction,
    )


def is_independent(record: LiveRecord, candidate: Candidate) -> bool:
    """Whether a record comes from the registry of the work's identifier, or from an index that did not supply it."""
    ids = candidate.work.ids
    if record.by == BY_IDENTIFIER and record.source in _DOI_REGISTRIES:
        is_registry = ids.doi is not None
    else:
        is_registry = record.by == BY_IDENTIFIER and record.source == "arxiv" and ids.arxiv is not None
    return is_registry or record.source not in {origin.source for origin in candidate.work.origins}


def _mismatches(
    candidate: Candidate, authority: LiveRecord | None, answers: Answers, retraction: Retraction
) -> tuple[Mismatch, ...]:
    """What speaks against a work, in the order of the contract."""
    found: list[Mismatch] = []
    if authority is not None:
        work = candidate.work
        if not _is_titled(authority, candidate):
            found.append("title")
        if work.year is not None and authority.year is not None and abs(work.year - authority.year) > YEARS_APART:
            found.append("year")
        ours = family_and_initial(work.authors[0].name)[0] if work.authors else ""
        theirs = family_key(authority.first_author_family or "")
        if ours and theirs and ours != theirs:
            found.append("author")
    if retraction.status == "retracted":
        found.append("retracted")
    if answers.is_doi_unresolved and candidate.work.ids.doi is not None:
        found.append("doi_unresolved")
    return tuple(found)


def _is_titled(record: LiveRecord, candidate: Candidate) -> bool:
    """Whether a record has the work's title: alike enough, with the same numbers and negations."""
    if not record.title or _ratio(record, candidate) < VERIFY_RATIO:
        return False
    return not differ_in_sense(unmarked_title(record.title), unmarked_title(candidate.work.title))


def _ratio(record: LiveRecord, candidate: Candidate) -> float:
    return title_ratio(unmarked_title(record.title or ""), unmarked_title(candidate.work.title))


def _retraction(candidate: Candidate, records: Sequence[LiveRecord], unchecked: Sequence[SourceName]) -> Retraction:
    """One marker is a retraction, whatever others say; no answer is no negative."""
    titles = [candidate.work.title, *(each.title or "" for each in records)]
    is_retracted = (
        candidate.work.is_retracted
        or any(each.is_retracted for each in records)
        or any(title_mark(title) is not None for title in titles)
    )
    checked = _sources(each.source for each in records if each.source in _TELL_RETRACTIONS)
    status: RetractionStatus = "retracted" if is_retracted else "no_marker_found" if checked else "unknown"
    return Retraction(status, checked, _sources(each for each in unchecked if each in _TELL_RETRACTIONS))


def _sources(names: Iterable[SourceName]) -> tuple[SourceName, ...]:
    named = set(names)
    return tuple(source for source in AUTHORITY if source in named)


def _authority(record: LiveRecord) -> tuple[int, bool, str]:
    """Registries first; of one source's records that which was asked for by identifier."""
    return AUTHORITY.index(record.source), record.by != BY_IDENTIFIER, repr(record)
