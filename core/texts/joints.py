"""What stood between two pieces of a title before a pretty-printer put tags on lines of their own."""

from dataclasses import dataclass

from core.texts.tags import RAISED_OR_LOWERED, SMALL_CAPITALS

_AFTER_A_MARK = frozenset('.,;:!?)]}”’"')
_BEFORE_A_BRACKET = frozenset('([{“‘"')
_RELATIONS = frozenset("=<>≤≥±≈∼~")


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text and the elements that stand open around it, outermost first."""

    text: str
    elements: tuple[str, ...]

    @property
    def is_math(self) -> bool:
        """Whether it stands in a formula."""
        return "math" in self.elements


def joint(left: Run, right: Run, blanks: str, *, has_tag: bool) -> str:
    """What joins two runs with `blanks` between them: nothing or one blank.

    A blank is a blank, unless it holds a line break next to a tag. Such a line break says nothing: around a symbol
    (`P<scp>y</scp>SCF`, `CO<sub>2</sub>`) it stands for nothing, unless a word stands at its other side; around a word
    (`the <i>in vivo</i> study`) it stands for a blank, unless a mark or a hyphen does.
    """
    if left.is_math and right.is_math:
        # Blanks count for nothing between the elements of a formula.
        return " " if blanks and "mtext" in (*left.elements[-1:], *right.elements[-1:]) else ""
    if not has_tag or ("\n" not in blanks and "\r" not in blanks):
        return " " if blanks else ""
    if len(left.elements) == len(right.elements):
        return "" if left.elements and _is_symbol(left) and _is_symbol(right) else " "
    if len(right.elements) > len(left.elements):
        return _before_element(left.text, right)
    return _after_element(left, right.text)


def _before_element(outer: str, inner: Run) -> str:
    if inner.elements[-1] in RAISED_OR_LOWERED:
        return ""
    last = outer[-1]
    if last in _RELATIONS:
        return " " if outer[-2:-1] == " " else ""
    if _is_symbol(inner):
        return " " if last in ".,;:" or _is_word(_letters_at_end(outer)) else ""
    return " " if last.isalnum() or last in _AFTER_A_MARK else ""


def _after_element(inner: Run, outer: str) -> str:
    first = outer[0]
    if first in _RELATIONS:
        return " " if outer[1:2] == " " else ""
    if _is_symbol(inner):
        return " " if _is_word(_letters_at_start(outer)) else ""
    return " " if first.isalnum() or first in _BEFORE_A_BRACKET else ""


def _is_symbol(run: Run) -> bool:
    innermost = run.elements[-1]
    if run.is_math or innermost in RAISED_OR_LOWERED or (innermost in SMALL_CAPITALS and run.text.islower()):
        return True
    return sum(character.isalnum() for character in run.text) < 2


def _is_word(letters: str) -> bool:
    """Whether letters are a word of prose and no symbol: `noise`, `Films`, not `SCF`, `MnO` or `In`."""
    return letters[1:].islower() and (letters[0].islower() or len(letters) > 2)


def _letters_at_end(text: str) -> str:
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    return text[start:]


def _letters_at_start(text: str) -> str:
    end = 0
    while end < len(text) and text[end].isalpha():
        end += 1
    return text[:end]
