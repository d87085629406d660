"""Citation keys: safekeys or author-year, no two works with one key in an export."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.latex.keys import distinct_keys
from core.records import Work
from core.references.citations.tokens import content, folded_tokens
from core.works.names import name_parts

KeyStyle = Literal["safekey", "author-year"]

_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Exportable:
    """A record that is known, and the safekey of the reference that it answers."""

    safekey: str
    work: Work


def citation_keys(items: Sequence[Exportable], style: KeyStyle) -> list[str]:
    """A key for each item; works that would share one get a suffix each, a work that is there twice has one key."""
    plain = {item.work.key: item.safekey if style == "safekey" else _author_year(item.work) for item in items}
    keys = dict(zip(plain, distinct_keys(list(plain.values())), strict=True))
    return [keys[item.work.key] for item in items]


def _author_year(work: Work) -> str:
    family = name_parts(work.authors[0])[0] if work.authors else ""
    words = (_in_key(word) for word in content(folded_tokens(work.title or "")))
    title = next((word for word in words if word), "untitled")
    return f"{_in_key(''.join(folded_tokens(family))) or 'anon'}{work.year or 'nd'}{title}"


def _in_key(folded: str) -> str:
    return _NOT_IN_KEYS.sub("", folded)
