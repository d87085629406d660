"""The grammar of keyword texts: words, phrases, AND, OR, NOT, parentheses (scan contract 7.3)."""

from core.errors import InvalidInput


def parse(text: str) -> tuple[str, ...]:
    """The terms of a text; raises `InvalidInput` with the one reason why it has none to search for."""
    parts = text.split('"')
    if len(parts) % 2 == 0:
        raise InvalidInput("has unbalanced quotes")
    depth = 0
    for char in "".join(parts[::2]):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            break
    if depth:
        raise InvalidInput("has unbalanced parentheses")
    terms = text.replace("(", " ").replace(")", " ").split()
    if not [each for before, each in zip(["", *terms], terms, strict=False) if "NOT" not in (before, each)]:
        raise InvalidInput("has only exclusions")
    return tuple(terms)
