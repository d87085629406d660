"""Refusals that only the API knows: no failure of the catalog, but a status and a `detail` object of its own."""

from typing import Any


class Problem(Exception):
    """A refusal in the API's own words."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.detail = {"code": code, "message": message, **more}


def malformed(message: str) -> Problem:
    """A request that cannot be read at all, as against one with a bad value."""
    return Problem(400, "malformed", message)
