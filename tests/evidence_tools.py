"""Calls of the evidence and connector tools, each answer held against the common form of contract section 2."""

from dataclasses import dataclass
from typing import Any

import orjson

from server.registry import BoundToolset, ToolOutcome
from server.toolsets.evidence import TOOLSET

Json = dict[str, Any]
CODES = {error.code for error in TOOLSET.errors}


@dataclass
class Tools:
    """Both toolsets; every answer is held against the common form of section 2."""

    evidence: BoundToolset
    connector: BoundToolset

    def _of(self, name: str) -> BoundToolset:
        return self.connector if name in self.connector.names else self.evidence

    async def call(self, name: str, arguments: Any) -> ToolOutcome:
        outcome = await self._of(name).call(name, arguments)
        assert len(outcome.texts) == 1
        if outcome.is_error:
            # evidence A4
            code, _, message = outcome.texts[0].partition(": ")
            assert code in CODES and code == outcome.code and message
            assert outcome.structured is None
            assert outcome.meta is not None and outcome.meta["org.paperdesk/error"]["code"] == code
        else:
            # evidence A3
            assert orjson.loads(outcome.texts[0]) == outcome.structured
        return outcome

    async def good(self, name: str, **arguments: Any) -> Json:
        outcome = await self.call(name, arguments)
        assert outcome.structured is not None, outcome.texts
        return outcome.structured

    async def bad(self, name: str, **arguments: Any) -> str:
        outcome = await self.call(name, arguments)
        assert outcome.is_error, outcome.texts
        return outcome.texts[0]
