"""The one reader of references: arXiv, DOI, PubMed, OpenAlex, S2, catalog ids, URLs, titles (references contract 2)."""

from core.identifiers.parse import parse
from core.identifiers.running_text import find_all
from core.identifiers.value import MAX_REFERENCE_CHARS, BareDigits, Identifier, IdentifierKind, TitleMinimum, Via

__all__ = [
    "MAX_REFERENCE_CHARS",
    "BareDigits",
    "Identifier",
    "IdentifierKind",
    "TitleMinimum",
    "Via",
    "find_all",
    "parse",
]
