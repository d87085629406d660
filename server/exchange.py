"""What one HTTP exchange is known by, for the log line: names from closed lists, never content."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Exchange:
    """Filled in while a request is served; what is logged of it comes from closed lists.

    `answer_headers` are added to whatever answer leaves. `status` is 0 and `answer_bytes` 0 until one does. `caller`
    and `ticket` are there where requests are counted.
    """

    request_id: str = "-"
    fields: Fields = field(default_factory=lambda: Fields(()))
    answer_headers: list[tuple[bytes, bytes]] = field(default_factory=list)
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


current_exchange: ContextVar[Exchange | None] = ContextVar("current_exchange", default=None)


def exchange_of(scope: Mapping[str, Any]) -> Exchange:
    """The exchange that the outermost layer put into an ASGI scope; one made here where there is no such layer."""
    exchange = scope.get(SCOPE_KEY)
    return exchange if isinstance(exchange, Exchange) else Exchange(fields=Fields(scope["headers"]))
