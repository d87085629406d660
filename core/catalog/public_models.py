"""What is publicly known of papers that a catalog may not hold (catalog contract 8.4 and 16.6)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelledUrl:
    """A place where a paper can be found, such as `arXiv abstract`."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class PublicPaper:
    """What is publicly known of a paper (catalog contract 16.6).

    `match` is `identifier`, `exact_title` or `name_prefix`; `source` who answered; `catalog_paper` the canonical id of
    the catalog paper that it is.
    """

    title: str | None = None
    match: str | None = None
    source: str | None = None
    catalog_paper: str | None = None
    authors: tuple[str, ...] = ()
    published: str | None = None
    abstract: str | None = None
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    url: str | None = None
    url_pdf: str | None = None
    available_at: tuple[LabelledUrl, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicMetadata:
    """Outcome of a look-up outside the catalog: found, missed, or unavailable when no source could be asked.

    `is_asked` is false where there is no source to ask, or the operator wants none to be asked.
    """

    paper: PublicPaper | None = None
    is_available: bool = True
    is_asked: bool = True


PUBLIC_MISS = PublicMetadata()
PUBLIC_UNAVAILABLE = PublicMetadata(is_available=False)
PUBLIC_NOT_ASKED = PublicMetadata(is_available=False, is_asked=False)
