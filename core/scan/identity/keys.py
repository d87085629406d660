"""Identifiers and names in the forms in which records are compared (scan contract 7.5)."""

from collections.abc import Iterable

from core.errors import InvalidReference
from core.identifiers import Identifier, IdentifierKind, parse
from core.scan.models import Ids, ScanAuthor
from core.scan.titles import normalised_title
from core.works.names import split_name

NameKey = tuple[str, str]
"""A folded family name, of which the last word, and the first letter of the given name or an empty text."""

_ADMITTED = {
    IdentifierKind.DOI: (IdentifierKind.DOI, IdentifierKind.ARXIV),
    IdentifierKind.ARXIV: (IdentifierKind.ARXIV,),
    IdentifierKind.PMID: (IdentifierKind.PMID,),
    IdentifierKind.OPENALEX: (IdentifierKind.OPENALEX,),
    IdentifierKind.S2: (IdentifierKind.S2,),
    IdentifierKind.CATALOG: (IdentifierKind.CATALOG,),
}
"""The kinds that a scan keeps, and what a field of each may hold: a DOI may stand for an arXiv id."""

_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "4th"})
_S2_PAPER_CHARS = 40


def ids_of(
    *,
    doi: str | None = None,
    arxiv: str | None = None,
    pmid: str | int | None = None,
    openalex: str | None = None,
    s2: str | None = None,
    catalog: str | int | None = None,
) -> Ids:
    """Identifiers as sources print them, bare or as URLs, in their normal forms; what cannot be read is left out.

    A DOI that stands for an arXiv id becomes that id where `arxiv` names none.
    """
    registered = _read(doi, IdentifierKind.DOI)
    preprint = _value(_read(arxiv, IdentifierKind.ARXIV), IdentifierKind.ARXIV)
    paper = _value(_read(s2, IdentifierKind.S2), IdentifierKind.S2)
    return Ids(
        doi=_value(registered, IdentifierKind.DOI),
        arxiv=preprint or _value(registered, IdentifierKind.ARXIV),
        pmid=_value(_read(pmid, IdentifierKind.PMID), IdentifierKind.PMID),
        openalex=_value(_read(openalex, IdentifierKind.OPENALEX), IdentifierKind.OPENALEX),
        s2=paper if paper is not None and len(paper) == _S2_PAPER_CHARS else None,
        catalog=_value(_read(catalog, IdentifierKind.CATALOG), IdentifierKind.CATALOG),
    )


def ids_of_identifier(identifier: Identifier) -> Ids:
    """The one identifier that was parsed, such as an anchor's, as a work's ids; empty for kinds that no scan keeps."""
    return ids_of(**{identifier.kind.value: identifier.value}) if identifier.kind in _ADMITTED else Ids()


def family_and_initial(name: str) -> NameKey:
    """The folded family name of a person and the first letter of the given name, empty where there is none.

    Of a family name of several words only the last one counts, because sources cut particles and double names apart
    at different places.
    """
    family, given = split_name(name)
    return family_key(family), normalised_title(given or "")[:1]


def family_key(family: str) -> str:
    """The last word of a family name after folding, generational suffixes aside."""
    words = normalised_title(family).split()
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    return words[-1] if words else ""


def folded_name(name: str) -> str:
    """A person's whole name after folding, given name first whatever order it was printed in."""
    family, given = split_name(name)
    return normalised_title(f"{given or ''} {family}")


def name_keys(authors: Iterable[ScanAuthor]) -> frozenset[NameKey]:
    """What a work's authors are compared by; names without any letter or digit are left out."""
    return frozenset(key for author in authors if (key := family_and_initial(author.name))[0])


def _read(text: str | int | None, kind: IdentifierKind) -> Identifier | None:
    """The identifier that a source's field holds, as it stands or after the prefix of its kind; None for neither."""
    spellings = () if text is None or not str(text).strip() else (str(text), f"{kind}:{text}")
    for spelling in spellings:
        try:
            found = parse(spelling, titles=False, bare_digits="refuse")
        except InvalidReference:
            continue
        if found.kind in _ADMITTED[kind]:
            return found
    return None


def _value(identifier: Identifier | None, kind: IdentifierKind) -> str | None:
    """The normal form of an identifier of one kind; None for another kind and for ids that cannot exist."""
    if identifier is None or identifier.kind is not kind or not identifier.plausible:
        return None
    return identifier.value
