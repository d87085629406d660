"""Inline markup reduced to the text that its author wrote, pretty-printer's line breaks included."""

import re
from dataclasses import dataclass, field

from core.texts.entities import decode_entities
from core.texts.joints import Run, joint
from core.texts.tags import BLOCKS, SMALL_CAPITALS, Tag, find_tags

# Only these: the wide blanks of Unicode may be bytes of a broken encoding, which is repaired later.
_BLANKS = " \t\r\n\f\v"
_BLANK_RUN = re.compile(rf"[{_BLANKS}]+")
_SMALL_CAPITALS_IN_A_WORD = re.compile(
    rf"(?<=[A-Z])\s+<({'|'.join(sorted(SMALL_CAPITALS))})>\s*([a-z]{{1,3}})\s*</\1>\s+(?=[A-Z])"
)
# Copies of a formula in another notation.
_HIDDEN = frozenset({"annotation", "annotation-xml"})
_DEEPEST = 50


def without_markup(text: str) -> str:
    """`text` less its tags, entities decoded; a text without either is only stripped and its blanks collapsed."""
    reduced = _reduced(_SMALL_CAPITALS_IN_A_WORD.sub(r"<\1>\2</\1>", text), in_pairs_only=False)
    # What was escaped may be markup in its turn, but there a lone tag is as likely a comparison.
    return _reduced(reduced, in_pairs_only=True) if "<" in reduced else reduced


def _reduced(text: str, *, in_pairs_only: bool) -> str:
    tags = list(find_tags(text, in_pairs_only=in_pairs_only))
    reduction = _Reduction(decodes=not in_pairs_only, has_math=any(tag.name == "math" for tag in tags))
    position = 0
    for tag in tags:
        reduction.take_text(text[position : tag.start])
        reduction.take_tag(tag)
        position = tag.end
    reduction.take_text(text[position:])
    return "".join(reduction.written)


@dataclass(slots=True)
class _Reduction:
    """The text written so far, and what stands open where reading is."""

    decodes: bool
    has_math: bool
    written: list[str] = field(default_factory=list)
    open_elements: list[str] = field(default_factory=list)
    last: Run | None = None
    blanks: str = ""
    has_tag: bool = False
    has_block: bool = False
    is_fraction: bool = False
    fraction_parts: list[int] = field(default_factory=list)

    def take_text(self, chunk: str) -> None:
        body = chunk.strip(_BLANKS)
        if not body:
            self.blanks += chunk
            return
        if self._is_hidden():
            return
        run = Run(self._plain(body), tuple(self.open_elements))
        leading = chunk[: len(chunk) - len(chunk.lstrip(_BLANKS))]
        if self.last is not None:
            self.written.append(self._joint(run, self.blanks + leading))
        self.written.append(run.text)
        self.last = run
        self.blanks = chunk[len(chunk.rstrip(_BLANKS)) :]
        self.has_tag = self.has_block = self.is_fraction = False

    def take_tag(self, tag: Tag) -> None:
        self.has_tag = True
        if tag.name in BLOCKS:
            self.has_block = True
        elif tag.closes:
            self._close(tag.name)
        elif not tag.is_empty:
            self._open(tag.name)

    def _open(self, name: str) -> None:
        if self.open_elements and self.open_elements[-1] == "mfrac":
            self.fraction_parts[-1] += 1
            self.is_fraction = self.fraction_parts[-1] == 2
        # Nothing is nested deeper by intent, and every piece of text carries its elements.
        if len(self.open_elements) == _DEEPEST:
            return
        if name == "mfrac":
            self.fraction_parts.append(0)
        self.open_elements.append(name)

    def _close(self, name: str) -> None:
        # Of elements that overlap, only the one that is named ends.
        if name not in self.open_elements:
            return
        position = len(self.open_elements) - 1 - self.open_elements[::-1].index(name)
        del self.open_elements[position]
        if name == "mfrac":
            self.fraction_parts.pop()
            self.is_fraction = False

    def _joint(self, run: Run, blanks: str) -> str:
        assert self.last is not None
        if self.has_block:
            return " "
        if self.is_fraction:
            return "/"
        return joint(self.last, run, blanks, has_tag=self.has_tag)

    def _is_hidden(self) -> bool:
        if not self.open_elements:
            return False
        is_second_notation = self.has_math and "alternatives" in self.open_elements and "tex-math" in self.open_elements
        return is_second_notation or not _HIDDEN.isdisjoint(self.open_elements)

    def _plain(self, body: str) -> str:
        if "tex-math" in self.open_elements:
            # Publishers deposit whole documents around one formula.
            _, begins, document = body.partition("\\begin{document}")
            if begins:
                body = document.partition("\\end{document}")[0].strip(_BLANKS)
        return _BLANK_RUN.sub(" ", decode_entities(body) if self.decodes else body)
