"""What one HTTP exchange is known by, for the log line: names from closed lists, never content."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from server.fields import Fields
from server.limits.admission import Ticket
from server.limits.identity import Caller

SCOPE_KEY = "paperdesk.exchange"

KNOWN_METHODS = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
    }
)


_NO_FIELDS = Fields(())


class Exchange:
    """Filled in while a request is served; what is logged of it comes from closed lists.

    `answer_headers` are added to whatever answer leaves; `before_answer` is asked before it does, and gives what has to
    be waited for, if anything has. `status` is 0 and `answer_bytes` 0 until one does. `caller` and `ticket` are there
    where requests are counted. What a request leaves as it is costs it nothing.
    """

    toolset: str = "-"
    method: str = "-"
    tool: str = "-"
    protocol: str = "legacy"
    outcome: str = "refused"
    code: str = "-"
    budget: str = "-"
    identity: str = "none"
    client_left: bool = False
    status: int = 0
    answer_bytes: int = 0
    upstream_s: float = 0.0
    caller: Caller | None = None
    ticket: Ticket | None = None
    before_answer: Callable[["Exchange"], Awaitable[None] | None] | None = None

    def __init__(
        self,
        request_id: str = "-",
        fields: Fields = _NO_FIELDS,
        answer_headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        self.request_id = request_id
        self.fields = fields
        self.answer_headers = list(answer_headers)


current_exchange: ContextVar[Exchange | None] = ContextVar("current_exchange", default=None)


def exchange_of(scope: Mapping[str, Any]) -> Exchange:
    """The exchange that the outermost layer put into an ASGI scope; one made here where there is no such layer."""
    exchange: Exchange | None = scope.get(SCOPE_KEY)
    return Exchange(fields=Fields(scope["headers"])) if exchange is None else exchange
