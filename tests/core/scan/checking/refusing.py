"""Reads a refusal in one line."""

from collections.abc import Callable
from typing import Any

import pytest

from core.scan.answers.refusals import Refused


def refused(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[str, list[str]]:
    """The code and the lines with which a call is refused."""
    with pytest.raises(Refused) as caught:
        function(*arguments, **named)
    return caught.value.code.value, list(caught.value.errors)
