"""Full texts and lineage of one paper (catalog contract 16.2 and 16.3)."""

import re
from urllib.parse import quote

from core.catalog import api_rows
from core.catalog.reading import MAX_CHUNK_BYTES
from core.errors import InvalidInput
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply

WHOLE_TEXT_BYTES = 262_144
OFFSET_MAX = 2**63 - 1

_VERSION = re.compile(r"[0-9a-f]{64}", re.ASCII)


async def read(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """A piece of the stored Markdown; without `limit` a large one."""
    offset = query.integer("offset", low=0, high=OFFSET_MAX) or 0
    limit = query.integer("limit", low=1, high=MAX_CHUNK_BYTES) or WHOLE_TEXT_BYTES
    version = query.text("content_version")
    if version is not None and _VERSION.fullmatch(version) is None:
        raise InvalidInput("content_version must be 64 lower-case hexadecimal digits.")
    chunk = await desk.backend.read(await desk.paper_id(path[0]), offset, limit, version)
    headers = [
        (b"content-type", b"text/markdown; charset=utf-8"),
        (b"x-pwc-content-version", chunk.version.encode()),
        (b"x-pwc-truncated", b"0" if chunk.next_offset is None else b"1"),
    ]
    if chunk.next_offset is not None:
        headers.append((b"x-pwc-next-offset", str(chunk.next_offset).encode()))
    if chunk.total_bytes is not None:
        headers.append((b"x-paperdesk-total-bytes", str(chunk.total_bytes).encode()))
    if chunk.title is not None:
        headers.append((b"x-paperdesk-title", quote(chunk.title).encode()))
    return Reply(chunk.body, tuple(headers))


async def lineage(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The explicit predecessors and successors of one paper."""
    found = await desk.backend.lineage(await desk.paper_id(path[0]))
    answer = {
        "paper": api_rows.lineage_link(found.paper),
        "predecessors": [api_rows.lineage_link(link) for link in found.predecessors],
        "successors": [api_rows.lineage_link(link) for link in found.successors],
    }
    return json_reply(answer)
