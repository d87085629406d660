"""Names of people as BibTeX splits them."""

import re
from collections.abc import Callable

from core.records import Author
from core.works.names import name_parts

_AND = re.compile(r"(?:^|\s)and(?:\s|$)", re.IGNORECASE)


def bibtex_name(author: Author, written: Callable[[str], str]) -> str:
    """One name of an author list, empty when nothing is left of it; `written` gives a text as LaTeX."""
    family, given = (written(part or "") for part in name_parts(author))
    whole = f"{family}, {given}" if given else family
    if author.group or _AND.search(whole):
        name = written(author.name)
        return f"{{{name}}}" if name else ""
    # BibTeX splits names at commas and, without one, at blanks.
    if "," in family or (not given and (" " in family or family == "others")):
        family = f"{{{family}}}"
    if "," in given:
        given = f"{{{given}}}"
    return f"{family}, {given}" if given else family
