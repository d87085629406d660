"""Mojibake: UTF-8 that was once read as something else, undone only where doing it again gives the same text."""

from ftfy import ExplanationStep, TextFixerConfig, fix_encoding_and_explain

_LOST = "\ufffd"
# Steps that put in what the text does not say are left out of the repair.
_REVERSIBLE = TextFixerConfig(
    restore_byte_a0=False, replace_lossy_sequences=False, decode_inconsistent_utf8=False, fix_c1_controls=False
)


def has_mojibake(text: str) -> bool:
    """Whether a text shows the marks of a wrong encoding."""
    return not text.isascii() and bool(fix_encoding_and_explain(text).explanation)


def without_mojibake(text: str) -> str:
    """The repaired text if the repair can be undone, else the text as it is."""
    # Between lost characters, not across them: some encodings have a byte for U+FFFD.
    return _LOST.join(_repaired(piece) for piece in text.split(_LOST))


def _repaired(text: str) -> str:
    repaired, steps = fix_encoding_and_explain(text, _REVERSIBLE)
    return repaired if steps and _undone(repaired, steps) == text else text


def _undone(text: str, steps: list[ExplanationStep]) -> str:
    """The text before the steps, which are pairs of `encode` and `decode`."""
    for encoded, decoded in zip(steps[-2::-2], steps[::-2], strict=True):
        text = text.encode(decoded.parameter, "replace").decode(encoded.parameter, "replace")
    return text
