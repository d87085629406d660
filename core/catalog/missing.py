"""References that name no paper of this catalog: what was tried, what is publicly known, and how to say so."""

import re
from dataclasses import dataclass

from core.catalog.models import PaperRow
from core.catalog.present import cut
from core.catalog.public_models import PublicMetadata
from core.errors import Entry, NotFound
from core.identifiers import Identifier, IdentifierKind, Via

ECHO_MAX = 200

_OLD_ARXIV_DIGITS = 7
_DIGITS = re.compile(r"[0-9]+")

_KIND_NAMES = {
    IdentifierKind.ARXIV: "arXiv id",
    IdentifierKind.CATALOG: "catalog id",
    IdentifierKind.DOI: "DOI",
    IdentifierKind.PMID: "PubMed id",
    IdentifierKind.PMCID: "PubMed Central id",
    IdentifierKind.OPENALEX: "OpenAlex id",
    IdentifierKind.S2: "Semantic Scholar id",
    IdentifierKind.SLUG: "Papers With Code page",
}


@dataclass(frozen=True, slots=True)
class Missing:
    """A reference without a paper here; `public` is what the look-up outside came to, `near` the nearest titles."""

    reference: str
    identifier: Identifier
    public: PublicMetadata
    near: tuple[PaperRow, ...] = ()

    def failure(self) -> NotFound:
        """The miss in words: what was tried, what is known elsewhere, what to do next."""
        paper = self.public.paper
        if not self.public.is_asked:
            elsewhere = " Nothing was looked up outside this catalog."
        elif not self.public.is_available:
            elsewhere = " Public metadata was not available to look further."
        elif paper is None:
            elsewhere = " Public metadata does not know it either."
        elif paper.title:
            elsewhere = " It is known publicly, but this catalog does not hold it; get_paper_info shows what is known."
        else:
            elsewhere = ""
        return NotFound(
            f"{self._tried()}{elsewhere} {self._next()}", suggestions=[paper_entry(row) for row in self.near]
        )

    def _tried(self) -> str:
        if self.identifier.kind is IdentifierKind.TITLE:
            return f"No paper is titled {quoted(self.reference)} here."
        sent, hint = self.identifier.id, ""
        if self.identifier.kind is IdentifierKind.CATALOG:
            sent = self._digits_sent()
            if self.identifier.via is Via.BARE and len(sent) == _OLD_ARXIV_DIGITS:
                hint = f" A bare number is a catalog id; an old arXiv id needs its archive, as in hep-th/{sent}."
        return f"No paper here has the {_KIND_NAMES[self.identifier.kind]} {cut(sent, ECHO_MAX)}.{hint}"

    def _digits_sent(self) -> str:
        """A catalog id with the leading zeros it was sent with, which tell an old arXiv id's digits."""
        found = _DIGITS.findall(self.reference)
        written = (digits for digits in found if (digits.lstrip("0") or "0") == self.identifier.id)
        return next(written, self.identifier.id)

    def _next(self) -> str:
        if self.identifier.kind is IdentifierKind.TITLE:
            return "Try search_papers, or pass an arXiv id or DOI."
        return "Try search_papers with words of its title."


def paper_entry(row: PaperRow) -> Entry:
    """A paper as a candidate or suggestion."""
    year = int(row.published[:4]) if row.published else None
    return Entry(id=row.canonical_id, title=cut(row.title, 500), year=year)


def quoted(text: str) -> str:
    """A caller's own text as messages repeat it."""
    return f"'{cut(text, ECHO_MAX)}'"
