"""Page ranges: one ASCII hyphen between whole numbers, as in `895-897`."""

import re

_DASHES = r"[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
_BETWEEN = re.compile(rf" ?{_DASHES}+ ?")
_NUMBERED = re.compile(r"([A-Za-z]*)([0-9]{1,18})-([A-Za-z]*)([0-9]{1,18})")
# A hyphen between letters is none of a range; Roman numerals are numbers.
_NUMBER = r"[^\s,;-]{0,20}[0-9ivxlcdm][^\s,;-]{0,20}"
_RANGE = re.compile(rf"{_NUMBER}-{_NUMBER}", re.IGNORECASE)


def page_range(text: str) -> str | None:
    """The pages as they are kept: `895--7` gives `895-897`, `S12 – 9` gives `S12-S19`; None when there are none."""
    parts = [_completed(_BETWEEN.sub("-", " ".join(part.split()))) for part in text.split(",")]
    return ", ".join(part for part in parts if part) or None


def tex_pages(pages: str) -> str:
    """Kept pages as BibTeX writes them: a double hyphen in every range."""
    return _RANGE.sub(lambda match: match[0].replace("-", "--"), pages)


def _completed(pages: str) -> str:
    match = _NUMBERED.fullmatch(pages)
    if match is None:
        return pages.strip("-")
    first_letters, first, last_letters, last = match.groups()
    if last_letters not in ("", first_letters):
        return pages
    whole = first[: -len(last)] + last if len(last) < len(first) else last
    # An end before the start is no abbreviation, and nothing says what it is.
    return f"{first_letters}{first}-{first_letters}{whole}" if int(whole) >= int(first) else pages
