"""A bibliography that is sent, or one that lies on the user's own disk: local mode only (references contract, 3.6)."""

import anyio.to_thread

from core.errors import InvalidInput
from core.references.bibliography.local_file import FILE_BYTES_MAX, read_local
from core.references.copies import Copies
from core.references.failures import BadArgument
from core.references.results import RowsAnswer


class LocalBibliographies:
    """Reads the one or the other, and fetches what it names."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    async def fetch(
        self, content: str | None, path: str | None, *, format: str, strict: bool, force: bool
    ) -> RowsAnswer:
        """A row for each entry; nothing of a file but identifiers is shown again."""
        if (content is None) == (path is None):
            raise BadArgument("Send either content, or path to a file of yours.", field="path")
        if path is None:
            return await self._copies.bibliography(content or "", format=format, strict=strict, force=force)
        try:
            found, ending = await anyio.to_thread.run_sync(read_local, path)
        except InvalidInput as error:
            raise BadArgument(error.message, field="path") from error
        return await self._copies.bibliography(
            found, format=format, strict=strict, force=force, ending=ending, bytes_max=FILE_BYTES_MAX
        )
