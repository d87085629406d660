"""Chunks of full texts as an upstream cuts them, each header checked (catalog contract 13.3 and 16.3)."""

import re
from urllib.parse import unquote

from core.catalog.models import TextChunk
from core.catalog.upstream.api import Api, item
from core.catalog.upstream.papers import UpstreamPapers
from core.errors import NoFullText, NotFound, SourceMalformed
from core.http.client import Exchange
from core.http.upstream import NOT_FOUND, OK

_VERSION = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OFFSET = re.compile(r"[0-9]{1,18}", re.ASCII)


class UpstreamTexts:
    """Full texts of one API."""

    def __init__(self, api: Api, papers: UpstreamPapers) -> None:
        self._api = api
        self._papers = papers

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk; raises `NotFound`, `NoFullText`, `ContentChanged`, and `SourceMalformed` for a broken reply."""
        sent = {"offset": offset, "limit": limit, "content_version": version}
        exchange = await self._api.exchange(item("research", "papers", paper_id, "read"), sent)
        if exchange.status == NOT_FOUND:
            raise await self._absence(paper_id)
        return self._chunk(self._api.accepted(exchange), paper_id, offset, limit, version)

    async def _absence(self, paper_id: str) -> NotFound | NoFullText:
        """Whether the paper or only its text is missing."""
        if await self._papers.row(paper_id) is None:
            return NotFound("The catalog's service holds no such paper.")
        return NoFullText("The catalog holds this paper but no full text of it; get_paper_info has its links.")

    def _chunk(self, exchange: Exchange, paper_id: str, offset: int, limit: int, pinned: str | None) -> TextChunk:
        headers, body = exchange.headers, exchange.body
        version = headers.get("x-pwc-content-version", "")
        flag, following = headers.get("x-pwc-truncated", ""), headers.get("x-pwc-next-offset")
        is_truncated = flag == "1"
        is_whole = (
            exchange.status == OK
            and _VERSION.fullmatch(version) is not None
            and flag in ("0", "1")
            and pinned in (None, version)
            and is_truncated is (following is not None)
            and len(body) <= limit
            and _is_utf8(body)
        )
        if not is_whole:
            raise self._broken()
        next_offset = None
        if following is not None:
            next_offset = int(following) if _OFFSET.fullmatch(following) else -1
            if next_offset <= offset or next_offset != offset + len(body):
                raise self._broken()
        total = headers.get("x-paperdesk-total-bytes", "")
        return TextChunk(
            body=body,
            version=version,
            offset=offset,
            next_offset=next_offset,
            total_bytes=int(total) if _OFFSET.fullmatch(total) else None,
            paper_id=paper_id,
            title=unquote(headers.get("x-paperdesk-title", "")).strip() or None,
        )

    def _broken(self) -> SourceMalformed:
        return SourceMalformed(
            "The catalog's service gave a chunk of text that cannot be trusted.", source=self._api.source
        )


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
