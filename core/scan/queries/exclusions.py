"""Whether a work may stand for a keyword query by what that excludes, wherever the source could not say so (7.3)."""

from collections.abc import Iterable

from core.scan.filters import names_phrase
from core.scan.models import FoundWork
from core.scan.queries.grammar import And, Not, Term, Tree


def admits(tree: Tree | None, work: FoundWork) -> bool:
    """Whether nothing that a query excludes stands in a work's title or abstract."""
    texts = [text for text in (work.title, work.abstract) if text]
    return tree is None or _holds(tree, texts, is_assumed=True)


def _holds(tree: Tree, texts: Iterable[str], *, is_assumed: bool) -> bool:
    match tree:
        case Term(text):
            return is_assumed or names_phrase(texts, text)
        case Not(part):
            return not _holds(part, texts, is_assumed=False)
        case And(parts):
            return all(_holds(each, texts, is_assumed=is_assumed) for each in parts)
        case _:
            return any(_holds(each, texts, is_assumed=is_assumed) for each in tree.parts)
