"""What this service is and what it adds to the public API (catalog contract 16.5)."""

from server import __version__
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply

ADDITIONS = ("datasets.detail", "datasets.names", "papers.identifiers", "papers.titles", "tasks.by_area")
_COUNTED = ("papers", "tasks", "methods", "benchmarks", "evaluations", "fulltexts")


async def about(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """Version, as-of date, capabilities and counts."""
    held = desk.backend.capabilities()
    measured = ["velocities"] if await desk.backend.has_velocities() else []
    answer = {
        "service": "paperdesk",
        "api_version": "v1",
        "version": __version__,
        "as_of": held.as_of,
        "capabilities": [*ADDITIONS, *(["vectors"] if held.has_vectors else []), "sizes", *measured],
        "counts": {name: held.counts[name] for name in _COUNTED if name in held.counts},
    }
    return json_reply(answer)
