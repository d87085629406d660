"""What one HTTP exchange is known by, for the log line: names from closed lists, never content."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

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
    """Filled in while a request is served; every value comes from a closed list."""

    request_id: str
    toolset: str = "-"
    method: str = "-"
    tool: str = "-"
    protocol: str = "legacy"
    outcome: str = "refused"
    code: str = "-"
    client_left: bool = False


current_exchange: ContextVar[Exchange | None] = ContextVar("current_exchange", default=None)


def exchange_of(scope: dict[str, Any] | Any) -> Exchange:
    """The exchange that the outermost layer put into an ASGI scope; a nameless one where there is no such layer."""
    exchange = scope.get(SCOPE_KEY)
    return exchange if isinstance(exchange, Exchange) else Exchange(request_id="-")
