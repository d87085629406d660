"""What a reference becomes: one immutable identifier with its kind, its printed form and its identity."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

MAX_REFERENCE_CHARS = 2048

BareDigits = Literal["catalog", "refuse"]
"""What a text of digits alone means: a catalog id, or a refusal that asks for the kind."""

TitleMinimum = Literal["two_letters", "one_alphanumeric"]
"""What a text must hold at least to be a title: short names such as `M6` have one letter only."""

# Parts of a DOI that reading would change, and what reading turns into them.
_READ_ALIKE = (
    (re.compile(r"%(?=[0-9A-Fa-f]{2})"), "%2525"),
    (re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)"), "&amp;"),
    (re.compile(r"<(?=[^<>]*>$)"), "%3C"),
)


class IdentifierKind(StrEnum):
    """Everything that a reference can turn out to be."""

    DOI = "doi"
    ARXIV = "arxiv"
    PMID = "pmid"
    PMCID = "pmcid"
    OPENALEX = "openalex"
    S2 = "s2"
    CATALOG = "catalog"
    SLUG = "slug"
    TITLE = "title"


class Via(StrEnum):
    """How the identifier was written."""

    BARE = "bare"
    PREFIX = "prefix"
    URL = "url"
    ARXIV_DOI = "arxiv_doi"
    EXTRACTED = "extracted"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Identifier:
    """A parsed reference. `key` is its identity; two spellings of one paper's identifier differ in the other fields.

    `id` keeps the case of a DOI and the subject class of an old arXiv id; `key` is `kind:` and the folded id, without
    class and version. `alternates` are other spellings to ask for after a miss, at most two. Not `plausible` means an
    arXiv id that cannot exist: the answer is "not found", without asking anyone.
    """

    kind: IdentifierKind
    id: str
    version: str | None
    key: str
    alternates: tuple[str, ...]
    plausible: bool
    via: Via

    @property
    def value(self) -> str:
        """The key without its kind: what lookup tables and requests to arXiv use."""
        return self.key.partition(":")[2]

    def __str__(self) -> str:
        """A text that `parse` reads as this very identifier, under any policy that admits it."""
        match self.kind:
            case IdentifierKind.DOI:
                text = self.id
                for read_differently, written in _READ_ALIKE:
                    text = read_differently.sub(written, text)
                return text
            case IdentifierKind.ARXIV:
                return f"{self.id}{self.version or ''}"
            case IdentifierKind.PMID | IdentifierKind.OPENALEX | IdentifierKind.CATALOG:
                return f"{self.kind}:{self.id}"
            case IdentifierKind.SLUG:
                return f"https://paperswithcode.com/paper/{self.id}"
            case IdentifierKind.PMCID | IdentifierKind.S2 | IdentifierKind.TITLE:
                return self.id
