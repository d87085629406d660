"""What a record itself says of its retraction (references contract, section 9, first row)."""

from core.records import UpdateNotice, Work

RETRACTING = frozenset({"retraction", "withdrawal", "removal"})
"""Types of notices that retract; a partial retraction, a correction or a concern does not."""


def retraction_notice(work: Work) -> UpdateNotice | None:
    """The first notice about this work that retracts it."""
    return next((notice for notice in work.updates if notice.type in RETRACTING), None)
