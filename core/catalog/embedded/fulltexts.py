"""Stored full texts, read in chunks (catalog contract 13.1)."""

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import required_pid
from core.catalog.models import TextChunk
from core.catalog.reading import chunk_end
from core.errors import ContentChanged, InvalidInput, NoFullText


def read(connection: Connection, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
    """One chunk of at most `limit` bytes from byte `offset`; only the bytes around it are read from storage.

    Raises `NotFound`, `NoFullText`, `ContentChanged`, and `InvalidInput` for an offset outside the text or inside a
    character.
    """
    pid = required_pid(connection, paper_id)
    found = connection.execute(
        "SELECT f.version, f.bytes, p.id, p.arxiv_id, p.title FROM fulltext f JOIN paper p USING (pid) WHERE pid = ?",
        (pid,),
    ).fetchone()
    if found is None:
        raise NoFullText("The catalog holds this paper without its full text. Read its abstract, or follow its links.")
    current, total, number, arxiv_id, title = found
    if version is not None and version != current:
        raise ContentChanged("The stored text was replaced since this reading began. Start again without a cursor.")
    if not 0 <= offset <= total:
        raise InvalidInput(f"The offset lies outside the text of {total} bytes. Use the offset of the last reply.")
    with connection.blobopen("fulltext", "body", pid, readonly=True) as blob:
        blob.seek(offset)
        window = blob.read(min(limit, total) + 1)
    size = chunk_end(window, 0, limit)
    end = offset + size
    return TextChunk(
        body=window[:size],
        version=current,
        offset=offset,
        next_offset=end if end < total else None,
        total_bytes=total,
        paper_id=arxiv_id or str(number),
        title=title,
    )
