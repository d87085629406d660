"""How one check of a smoke run ends, and the words for it."""

import json
from typing import Any

import httpx


class Failed(Exception):
    """The service does not do what the check asks; the text says where and what came instead."""


class NotRun(Exception):
    """The check cannot be made here, or another one that it needs has failed; the text says why."""


def require(holds: bool, text: str) -> None:
    """Raises `Failed` unless it holds."""
    if not holds:
        raise Failed(text)


def require_status(answer: httpx.Response, status: int, where: str) -> None:
    """Raises `Failed` unless the answer has the status, and says what to do when a budget was the reason."""
    if answer.status_code == httpx.codes.TOO_MANY_REQUESTS != status:
        wait_s = answer.headers.get("retry-after", "some")
        raise Failed(f"{where}: 429, the budget of this caller is used up; wait {wait_s} s and run again")
    require(answer.status_code == status, f"{where}: {answer.status_code} instead of {status}")


def json_of(answer: httpx.Response, where: str) -> dict[str, Any]:
    """The JSON object of an answer."""
    try:
        value = answer.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Failed(f"{where}: the body is no JSON object")
    return value


def media_type(answer: httpx.Response) -> str:
    """The answer's type without its parameters."""
    return str(answer.headers.get("content-type", "")).partition(";")[0].strip().lower()


def short(value: object) -> str:
    """A value as JSON, short enough for a line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"
