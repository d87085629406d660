"""Finds identifiers in running text: bibliography notes, citations, plain lines."""

from core.identifiers.value import Identifier


def find_all(text: str) -> tuple[Identifier, ...]:
    """Every identifier in `text` in order of appearance, each once by key."""
    raise NotImplementedError
