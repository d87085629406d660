"""For whom a call is made (scan contract 10.6)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Who:
    """`scope` is whose scans are meant, `owner` an opaque digest whose quotas count; neither holds a secret in clear.

    `open_max` and `jobs_max` are the quotas: unfinished scans, and stages that work at once.
    """

    scope: str
    owner: str
    is_key: bool
    open_max: int
    jobs_max: int
