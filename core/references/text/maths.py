"""The TeX of a formula on a page: once, from the best place that the page has it in (references contract 8.1)."""

import re
from dataclasses import dataclass, field

from core.references.text.prose import Formula, plain

TEX_ENCODING = "application/x-tex"

_BLANKS = re.compile(r"\s+")
_WRAPPED_LINE = re.compile(r"(\\.)|%[ \t]*\n\s*", re.DOTALL)
"""LaTeXML breaks a long formula with a comment sign at the line's end, which must not swallow what follows."""
_WRAPPED_COMMAND = re.compile(r"(\\[A-Za-z]++)%[ \t]*\n\s*(?=[A-Za-z])")
"""There the comment sign also parts a command from a letter after it."""
_OPEN_ESCAPE = re.compile(r"(?<!\\)\\(?:\\\\)*\Z")
_DISPLAY_STYLE = re.compile(r"(?:\s*\\displaystyle(?![A-Za-z]))+\s*")


@dataclass(slots=True)
class OpenFormula:
    """A `math` element while it is read: maths inside of it belongs to it."""

    alttext: str
    is_display: bool
    annotation: list[str] = field(default_factory=list)
    content: list[str] = field(default_factory=list)

    def formula(self) -> Formula | None:
        """The formula, or None for one that is empty in every form."""
        for source in (self.alttext, "".join(self.annotation), "".join(self.content)):
            if tex := tidy_tex(source):
                return Formula(tex, self.is_display)
        return None


def tidy_tex(source: str) -> str:
    """TeX on one line, without the leading command that only sets the size."""
    joined = _WRAPPED_COMMAND.sub(r"\1 ", source)
    joined = _WRAPPED_LINE.sub(lambda match: match[1] or "", joined)
    joined = _BLANKS.sub(" ", plain(joined)).strip()
    if start := _DISPLAY_STYLE.match(joined):
        joined = joined[start.end() :]
    # A control space at the end lost its space to the trimming; the closing delimiter must not become a line break.
    return f"{joined} " if _OPEN_ESCAPE.search(joined) else joined
