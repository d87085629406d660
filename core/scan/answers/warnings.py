"""What a scan got over and the client should know: the closed list of warnings (scan contract 6.6)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class WarningCode(StrEnum):
    """The closed list; `sentence` is said where nothing more precise is known."""

    sentence: str

    def __new__(cls, value: str, sentence: str) -> "WarningCode":
        """A member that is its text and knows its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    SOURCE_FAILED = "source_failed", "A source failed in some of its queries, which were passed over."
    SOURCE_SKIPPED = "source_skipped", "A source of this domain was not asked."
    LIVE_SOURCES_FAILED = "live_sources_failed", "Every live source failed; the scan goes on with what the catalog has."
    QUERY_NO_HITS = "query_no_hits", "A query found nothing at a source."
    ANCHOR_UNRESOLVED = "anchor_unresolved", "A known work was not found and takes no part."
    DATE_UNKNOWN = "date_unknown", "Some works have no date and count as inside the window."
    ALREADY_APPLIED = "already_applied", "All that was sent stands already; nothing changed."
    MERGED_SCORES_DIFFER = "merged_scores_differ", "Two scored works proved to be one; the higher score stays."
    EXPANSION_FAILED = "expansion_failed", "No source answered for citations; the scan goes on without them."
    CRITERIA_UNATTRIBUTED = "criteria_unattributed", "Some relevant works name no sub-criterion."
    THIN_CRITERIA = "thin_criteria", "Some sub-criteria have fewer than 5 relevant works."
    RANK_SATURATED = "rank_saturated", "More than half of the entries have overall 3, so the order says little."
    VERIFICATION_OFFLINE = "verification_offline", "No live source is configured, so nothing could be verified."
    VERIFICATION_PARTIAL = "verification_partial", "Some sources of verification did not answer."
    NOTHING_FOUND = "nothing_found", "The sources answered and had nothing for these queries."
    NOTHING_RELEVANT = "nothing_relevant", "No work was judged relevant, so there is nothing to emit."
    FEWER_THAN_TOP = "fewer_than_top", "Fewer papers than asked for were fit to be emitted."


class Warned(Protocol):
    """A code of the list and a sentence of ours."""

    @property
    def code(self) -> str:
        """The code."""

    @property
    def text(self) -> str:
        """The sentence."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning with its own sentence."""

    code: str
    text: str

    @staticmethod
    def of(code: WarningCode) -> "Notice":
        """The warning in the words that the list has for it."""
        return Notice(code.value, code.sentence)


def with_warnings(payload: Mapping[str, Any], warnings: Iterable[Warned]) -> dict[str, Any]:
    """The payload with its warnings, each once and in the order given; without any, it has no such key."""
    rows = list(dict.fromkeys((str(each.code), each.text) for each in warnings))
    told = {"warnings": [{"code": code, "text": text} for code, text in rows]} if rows else {}
    return {**payload, **told}
