"""arXiv ids, new (`1706.03762`) and old (`math.GT/0309136`): shape, version, plausibility, key."""

import re

from core.errors import InvalidReference
from core.identifiers.clean import drop_tail
from core.identifiers.value import Identifier, IdentifierKind, Via

_NEW = re.compile(r"([0-9]{4})\.([0-9]{4,5})(?:[vV]([0-9]+))?")
_OLD = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)(?:\.([A-Za-z]+(?:-[A-Za-z]+)*))?/([0-9]{4})([0-9]{3})(?:[vV]([0-9]+))?")
_WITHOUT_ARCHIVE = re.compile(r"[0-9]{7}(?:[vV][0-9]+)?")
_VERSION = re.compile(r"[1-9][0-9]{0,2}")
_FILE_ENDINGS = (".pdf", ".ps.gz", ".ps", ".html")
_MARK_ENDINGS = (".", ":")

_FIRST_NEW, _LAST_NEW = "0704", "9012"
_LAST_FOUR_DIGIT = "1412"
_FIRST_OLD, _LAST_OLD = "9107", "0703"


def match_arxiv(text: str, via: Via) -> Identifier | None:
    """The arXiv id that `text` is as a whole, or None; raises when only its version is impossible."""
    if match := _NEW.fullmatch(text):
        yymm, number, version = match.groups()
        base = f"{yymm}.{number}"
        plausible = _FIRST_NEW <= yymm <= _LAST_NEW and (len(number) == 4) == (yymm <= _LAST_FOUR_DIGIT)
        return _identifier(base, base, _printed(version), plausible and _is_month(yymm), via)
    if match := _OLD.fullmatch(text):
        archive, subject, yymm, number, version = match.groups()
        archive = archive.lower()
        subject = f".{subject.upper() if len(subject) == 2 else subject.lower()}" if subject else ""
        plausible = (yymm >= _FIRST_OLD or yymm <= _LAST_OLD) and _is_month(yymm)
        number = f"{yymm}{number}"
        return _identifier(f"{archive}{subject}/{number}", f"{archive}/{number}", _printed(version), plausible, via)
    return None


def read_arxiv(text: str, via: Via) -> Identifier:
    """The arXiv id that a marked text must be."""
    text = drop_tail(text)
    found = match_arxiv(unmarked(text), via)
    if found is None:
        refuse_missing_archive(text)
        raise InvalidReference(
            "What follows arXiv: is no arXiv id. An arXiv id looks like 1706.03762 or hep-th/9711200.",
            reason="arxiv_bad_shape",
        )
    return found


def match_arxiv_file(text: str, via: Via) -> Identifier | None:
    """As `match_arxiv`, for the part of a URL that may end like a file."""
    text = unmarked(text)
    for ending in _FILE_ENDINGS:
        if text.lower().endswith(ending):
            text = text[: -len(ending)]
            break
    refuse_missing_archive(text)
    return match_arxiv(text, via)


def unmarked(text: str) -> str:
    """The text without a leading `arXiv.` or `arXiv:`."""
    return text[6:] if text[:5].lower() == "arxiv" and text[5:6] in _MARK_ENDINGS else text


def refuse_missing_archive(text: str) -> None:
    """Raises for the seven digits of an old arXiv id that came without their archive."""
    if _WITHOUT_ARCHIVE.fullmatch(text):
        raise InvalidReference(
            f"The old arXiv id {text[:7]} lacks its archive. Write it as in hep-th/{text[:7]}.",
            reason="arxiv_missing_archive",
        )


def _is_month(yymm: str) -> bool:
    return "01" <= yymm[2:] <= "12"


def _printed(version: str | None) -> str | None:
    if version is None:
        return None
    if not _VERSION.fullmatch(version):
        raise InvalidReference(
            "The version of an arXiv id is v1 to v999, as in 1706.03762v7.", reason="arxiv_bad_shape"
        )
    return f"v{version}"


def _identifier(id_: str, folded: str, version: str | None, plausible: bool, via: Via) -> Identifier:
    return Identifier(IdentifierKind.ARXIV, id_, version, f"arxiv:{folded}", (), plausible, via)
