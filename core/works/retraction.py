"""What a record itself says of its retraction (references contract, section 9, first row)."""

import re

from core.records import UpdateNotice, Work

RETRACTING = frozenset({"retraction", "withdrawal", "removal"})
"""Types of notices that retract; a partial retraction, a correction or a concern does not."""

TITLE = "title"
"""The source of a notice that only a title gives."""

_MARK = re.compile(r"\W*(retracted|withdrawn|retracted article)\s*(?::|[–—]|-(?!\w))", re.IGNORECASE)


def retraction_notice(work: Work) -> UpdateNotice | None:
    """The first notice about this work that retracts it."""
    return next((notice for notice in work.updates if notice.type in RETRACTING), None)


def title_mark(title: str) -> UpdateNotice | None:
    """The mark that publishers put before a title; a title that speaks of retraction has none."""
    match = _MARK.match(title)
    if match is None:
        return None
    return UpdateNotice("withdrawal" if match[1].lower() == "withdrawn" else "retraction", source=TITLE)


def unmarked_title(title: str) -> str:
    """The title without that mark."""
    return _MARK.sub("", title, count=1).strip() if _MARK.match(title) else title
