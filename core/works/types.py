"""What kinds of work there are, and what each is called elsewhere (references contract, section 4.3)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkType:
    """The names of one kind of work in BibTeX and in CSL."""

    bibtex: str
    csl: str


_BOOK = WorkType("book", "book")
_PART = WorkType("incollection", "chapter")
_REPORT = WorkType("techreport", "report")

WORK_TYPES = {
    "journal-article": WorkType("article", "article-journal"),
    "proceedings-article": WorkType("inproceedings", "paper-conference"),
    "posted-content": WorkType("misc", "article"),
    "book": _BOOK,
    "monograph": _BOOK,
    "edited-book": _BOOK,
    "reference-book": _BOOK,
    "book-chapter": _PART,
    "book-section": _PART,
    "book-part": _PART,
    "reference-entry": WorkType("incollection", "entry-encyclopedia"),
    "proceedings": WorkType("proceedings", "book"),
    "dissertation": WorkType("phdthesis", "thesis"),
    "report": _REPORT,
    "report-component": _REPORT,
    "standard": WorkType("techreport", "standard"),
    "dataset": WorkType("misc", "dataset"),
    "software": WorkType("misc", "software"),
    "peer-review": WorkType("misc", "review"),
    "other": WorkType("misc", "manuscript"),
}
"""`Work.type` -> its names. Crossref's own types are the keys; what is no key is `other`."""

_OPENALEX = {
    "article": "journal-article",
    "review": "journal-article",
    "letter": "journal-article",
    "editorial": "journal-article",
    "preprint": "posted-content",
    "book": "book",
    "book-chapter": "book-chapter",
    "reference-entry": "reference-entry",
    "dissertation": "dissertation",
    "report": "report",
    "standard": "standard",
    "dataset": "dataset",
    "peer-review": "peer-review",
}
_DATACITE = {
    "JournalArticle": "journal-article",
    "ConferencePaper": "proceedings-article",
    "Preprint": "posted-content",
    "Book": "book",
    "BookChapter": "book-chapter",
    "ConferenceProceeding": "proceedings",
    "Dissertation": "dissertation",
    "Report": "report",
    "Standard": "standard",
    "Dataset": "dataset",
    "Software": "software",
    "PeerReview": "peer-review",
}


def from_crossref(source_type: str | None) -> str | None:
    """The type of a work that Crossref calls so; unknown stays unknown."""
    return _mapped({}, source_type)


def from_openalex(source_type: str | None) -> str | None:
    """The type of a work whose OpenAlex `type_crossref`, or else `type`, is this."""
    return _mapped(_OPENALEX, source_type)


def from_datacite(general_type: str | None) -> str | None:
    """The type of a work with this DataCite `resourceTypeGeneral`."""
    return _mapped(_DATACITE, general_type)


def _mapped(names: dict[str, str], source_type: str | None) -> str | None:
    if not source_type:
        return None
    found = names.get(source_type, source_type)
    return found if found in WORK_TYPES else "other"
