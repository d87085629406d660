"""What the documents say beside the registry: where the service is, whom it serves, and its limits and bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.http.upstream import Manners
from server.body import MAX_BODY_BYTES
from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.middleware.header_bound import MAX_HEADER_BYTES, MAX_HEADER_FIELDS
from server.middleware.outgoing import MAX_RESPONSE_BYTES
from server.registry import BoundToolset, Toolset

DESCRIPTION = "The research desk for AI agents: papers, leaderboards and full texts over MCP"
PROTOCOL_VERSION = OLD_VERSIONS[0]
PROTOCOL_VERSIONS = (MODERN_VERSION, *OLD_VERSIONS)
MAIN_PATH = "/mcp"

BOUNDS: Mapping[str, int] = {
    "request_headers_bytes": MAX_HEADER_BYTES,
    "request_headers_fields": MAX_HEADER_FIELDS,
    "request_body_bytes": MAX_BODY_BYTES,
    "upstream_answer_bytes": Manners().max_body_bytes,
    "tool_result_bytes": MAX_RESPONSE_BYTES,
    "resources_read_bytes": MAX_RESPONSE_BYTES,
    "any_answer_bytes": MAX_RESPONSE_BYTES,
}
"""The bounds of hosting contract 3.4, by its names."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The deployment's own facts.

    `public_url` has no trailing slash; `limits` are the budgets of an anonymous caller by the names of hosting
    contract 4.2; `has_keys` says that some API key is configured.
    """

    public_url: str
    namespace: str = "org.paperdesk"
    repository: str | None = None
    anonymous: bool = True
    has_keys: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)

    def url(self, path: str) -> str:
        """The absolute address of a path of the service."""
        return f"{self.public_url}{path}"

    def path(self, path: str) -> str:
        """The path as clients write it, with the public URL's own path before it."""
        return urlsplit(self.url(path)).path

    @property
    def host(self) -> str:
        """The public URL's host name."""
        return urlsplit(self.public_url).hostname or ""

    @property
    def limits_and_bounds(self) -> dict[str, int]:
        """`limits` of the documents."""
        return {**self.limits, **BOUNDS}


def docs_path(toolset: Toolset) -> str:
    """Where a toolset is described."""
    return f"/docs/{toolset.id}"


def card_path(toolset: Toolset) -> str:
    """Where a toolset's server card lies."""
    return f"{toolset.path}/server-card"


def main_of(toolsets: Sequence[BoundToolset]) -> BoundToolset:
    """The toolset that speaks for the service: the one at `/mcp`, or the first of those served."""
    return next((bound for bound in toolsets if bound.toolset.path == MAIN_PATH), toolsets[0])
