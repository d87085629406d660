"""The lean dispatcher: plain dictionaries from the guard to the registry and back, for both eras."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Scope

from server.answers import Answer, result_answer, result_bytes, rpc_error
from server.endpoint.forms import Forms
from server.endpoint.methods import MethodError, Methods, crashed, went_well
from server.endpoint.results import call_result, modern_result, old_result, serialised_openings, server_info
from server.envelope import MODERN_VERSION, OLD_VERSIONS, Message, error_status
from server.fields import Fields
from server.registry import BoundToolset


class LeanDispatcher:
    """Answers as the SDK does, without its models on the way (hosting contract 7.5)."""

    def __init__(self, bound: BoundToolset, elsewhere: Mapping[str, str]) -> None:
        self._methods = Methods(bound, elsewhere)
        self._forms = Forms()
        self._info = server_info(bound)
        self._openings = serialised_openings(bound)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Nothing has to live."""
        yield

    async def answer(self, message: Message, *, modern: bool, fields: Fields, scope: Scope) -> Answer:
        """The answer to one request; whatever goes wrong is a JSON-RPC error."""
        method = message.method
        try:
            self._forms.check(message, modern=modern)
            if method == "tools/call":
                outcome = await self._methods.call_tool(message.params["name"], message.params.get("arguments"))
                result = call_result(outcome, is_encoded=True)
            else:
                opening = self._opening(method, message.params)
                if opening is not None:
                    return result_bytes(message.id, opening)
                result = await self._asked(method, message.params)
                if not modern:
                    result = old_result(result)
            return result_answer(message.id, modern_result(method, result, self._info) if modern else result)
        except MethodError as error:
            return _error(message, error, modern=modern)
        except Exception as error:
            return _error(message, crashed(error), modern=modern)

    def _opening(self, method: str, params: Mapping[str, Any]) -> bytes | None:
        """What was written before any request came."""
        if method == "initialize":
            asked = params["protocolVersion"]
            opening = self._openings[asked if asked in OLD_VERSIONS else OLD_VERSIONS[0]]
        elif method == "server/discover":
            opening = self._openings[MODERN_VERSION]
        elif method == "ping":
            opening = b"{}"
        else:
            return None
        went_well()
        return opening

    async def _asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "resources/read":
            return await self._methods.read_resource(params["uri"])
        if method == "prompts/get":
            return self._methods.get_prompt(params["name"], params.get("arguments"))
        ref, argument = params["ref"], params["argument"]
        name = ref["name"] if ref["type"] == "ref/prompt" else ref["uri"]
        return await self._methods.complete(ref["type"], name, argument["name"], argument["value"])


def _error(message: Message, error: MethodError, *, modern: bool) -> Answer:
    return rpc_error(error_status(error.code, modern=modern), message.id, error.code, error.message, error.data)
