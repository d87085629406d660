"""Personal names in two parts, where a source gives only what is printed."""

import re

from core.records import Author

_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv|2nd|3rd|4th", re.IGNORECASE | re.ASCII)


def name_parts(author: Author) -> tuple[str, str | None]:
    """Family and given name of a person; a group is all family."""
    if author.group:
        return author.name, None
    if author.family:
        return author.family, author.given
    return split_name(author.name)


def split_name(name: str) -> tuple[str, str | None]:
    """Family and given name of a display name.

    At the first comma: family, given. Else the family is the last word with the lower-case particles before it (`van
    der Berg`); a generational suffix stays with the given name; one word is a family.
    """
    before, comma, after = (part.strip() for part in name.partition(","))
    if comma and before and not _SUFFIX.fullmatch(after):
        return before, after or None
    words = f"{before} {after}".split()
    suffix = [words.pop()] if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) else []
    start = len(words) - 1
    if start > 0 and not words[-1][0].islower():
        while start > 0 and words[start - 1][0].islower():
            start -= 1
    return " ".join(words[start:]) or name, " ".join([*words[:start], *suffix]) or None
