"""Logging of the hosted service: our records with their request's id, and nothing of a library's that holds content.

Lines are written in batches, since a write for each request costs as much as all else that is done around it.
"""

import logging
import sys
import threading
import time
from logging.handlers import BufferingHandler
from typing import TextIO

from server.exchange import current_exchange

LATE_S = 0.25
"""How long a line may wait for others; contract 7.5 allows half a second."""
HELD_MAX = 1000


class OwnWordsOnly(logging.Filter):
    """Drops a library's records that carry a traceback or arguments: either may hold what a client sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keeps our own records, and those of others that are fixed texts."""
        exchange = current_exchange.get()
        record.request_id = "-" if exchange is None else exchange.request_id
        if record.name.partition(".")[0] == "paperdesk":
            record.exc_info = record.exc_text = record.stack_info = None
            return True
        return not (record.exc_info or record.stack_info or record.args)


class BatchedLines(BufferingHandler):
    """Writes what has come together; a warning or worse is never held back, nor what came before it."""

    def __init__(self, stream: TextIO, *, held_max: int = HELD_MAX) -> None:
        super().__init__(held_max)
        self._stream = stream

    def shouldFlush(self, record: logging.LogRecord) -> bool:  # noqa: N802 (the standard library's name)
        """Whether to write now."""
        return record.levelno >= logging.WARNING or len(self.buffer) >= self.capacity

    def flush(self) -> None:
        """Writes all lines at once, in their order."""
        self.acquire()
        try:
            records, self.buffer = self.buffer, []
            if records:
                self._stream.write("".join(f"{self.format(record)}\n" for record in records))
                self._stream.flush()
        except Exception:
            self.handleError(records[-1])
        finally:
            self.release()

    def flush_for_ever(self) -> None:
        """Writes what waits, again and again, from a thread of its own."""
        threading.Thread(target=self._keep_flushing, name="log-lines", daemon=True).start()

    def _keep_flushing(self) -> None:
        while True:
            time.sleep(LATE_S)
            if self.buffer:
                self.flush()


class _Lines(logging.Formatter):
    """The form of a line; the time is worded once a second, and there is never a traceback to append."""

    def __init__(self) -> None:
        super().__init__()
        self._second = -1
        self._worded = ""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, logger, request and message."""
        second = int(record.created)
        if second != self._second:
            self._second = second
            self._worded = time.strftime(self.default_time_format, self.converter(record.created))
        request_id = getattr(record, "request_id", "-")
        when = f"{self._worded},{int(record.msecs):03d}"
        return f"{when} {record.levelname} {record.name} [{request_id}] {record.getMessage()}"


def configure_logging(level: str, *, batched: bool = False) -> None:
    """Sends all records to standard error; `level` changes how many, never what they may hold."""
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if batched:
        lines = BatchedLines(sys.stderr)
        lines.flush_for_ever()
        handler = lines
        # Nothing in a line names them, and finding them out is most of what a record costs.
        logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
        logging._srcfile = None
    handler.addFilter(OwnWordsOnly())
    handler.setFormatter(_Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("paperdesk").setLevel(level)
    # Its warnings are of requests that cannot be read: whoever connects could fill the log with them.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # The SDK logs a handler's exception with its text and traceback.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def flush_logs() -> None:
    """Writes what waits."""
    for handler in logging.getLogger().handlers:
        handler.flush()
