"""Which sources are asked for a full text, in which order, and what their answers come to (references contract 8.1)."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from core.errors import NoFullText, NotFound
from core.references.text.document import Document, Quality


class TextSource(StrEnum):
    """Where a text may come from; the values are wire values."""

    CATALOG = "catalog"
    AR5IV = "ar5iv"
    ARXIV_HTML = "arxiv-html"


class Absence(StrEnum):
    """Why a source has no text of a paper."""

    UNKNOWN = "unknown"
    """The source does not know the paper: 404 or 410."""
    NOT_CONVERTED = "not_converted"
    """It knows the paper and has no text of it: a redirect off its host, or a page without prose."""


def sources_to_ask(version: str | None) -> tuple[TextSource, ...]:
    """The upstream sources in order; ar5iv has no versions of a paper, so that a versioned reference is not its."""
    return (TextSource.AR5IV, TextSource.ARXIV_HTML) if version is None else (TextSource.ARXIV_HTML,)


def is_enough(document: Document) -> bool:
    """Whether no further source needs to be asked."""
    return document.quality is Quality.OK


def best_of(documents: Sequence[Document]) -> Document | None:
    """The document with the most prose, the first of equal ones; None where none has any."""
    with_prose = [document for document in documents if document.prose_chars]
    return max(with_prose, key=lambda document: document.prose_chars, default=None)


def absent(absences: Iterable[Absence], *, is_in_catalog: bool) -> NoFullText | NotFound:
    """The failure when every source that was asked says that it has no text."""
    if is_in_catalog or any(absence is not Absence.UNKNOWN for absence in absences):
        return NoFullText(
            "No full text of this paper is available as HTML. Read its abstract, or ask for its TeX source."
        )
    return NotFound("arXiv has no paper of this id. Check it, or search for the paper by its title.")
