"""What is said of a verdict in one line (scan contract 7.15)."""

from core.scan.models import Verification


def state_note(verification: Verification) -> str:
    """The state, by whom and when, and what speaks against it."""
    on = verification.verified_on or "no day"
    if verification.state == "verified":
        return f"verified {on} by {', '.join(verification.verified_by)}"
    told = [f"{verification.state} {on}"]
    if verification.mismatches:
        told.append(", ".join(each.replace("_", " ") for each in verification.mismatches))
    if verification.unchecked:
        told.append(f"not asked: {', '.join(verification.unchecked)}")
    if verification.records and not verification.independent:
        told.append("no independent record")
    return "; ".join(told)
