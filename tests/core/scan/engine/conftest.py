"""The engine in one thread, so that time stands still while it works."""

from collections.abc import Callable
from typing import Any

import pytest

from core.scan.engine.stages import expanding, retrieving
from core.scan.stores import sealed


@pytest.fixture(autouse=True)
def in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs, seals and merges where it is called."""

    async def inline(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    for module in (sealed, retrieving, expanding):
        monkeypatch.setattr(module, "run_sync", inline)
