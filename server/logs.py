"""Logging of the hosted service: our records with their request's id, and nothing of a library's that holds content.

Lines are written in batches, since a write for each request costs as much as all else that is done around it.
"""

import logging
import sys
import threading
import time
from collections import deque
from typing import TextIO

from server.exchange import current_exchange

LATE_S = 0.25
"""How long a line may wait for others; contract 7.5 allows half a second."""
HELD_MAX = 1000
REQUESTS = "paperdesk.requests"
"""The logger of the lines of requests."""

_LEVEL_NAMES = {level: logging.getLevelName(level) for level in (logging.INFO, logging.WARNING, logging.ERROR)}

_UNASKED = {
    "args": None,
    "exc_info": None,
    "exc_text": None,
    "stack_info": None,
    "pathname": "",
    "filename": "",
    "module": "",
    "funcName": None,
    "lineno": 0,
    "relativeCreated": 0.0,
    "thread": None,
    "threadName": None,
    "process": None,
    "processName": None,
    "taskName": None,
}
"""What other records say of the place they were written at."""


class LineRecord(logging.LogRecord):
    """A record of a line: nothing is found out of where it was written, which costs more than all else of it.

    `line` is text, or an object whose `str` is worded only when the batch is written.
    """

    def __init__(self, name: str, level: int, line: object, request_id: str) -> None:
        created_s = time.time()
        self.__dict__ = {
            **_UNASKED,
            "name": name,
            "levelno": level,
            "levelname": _LEVEL_NAMES[level],
            "msg": line,
            "request_id": request_id,
            "created": created_s,
            "msecs": created_s % 1 * 1000,
        }


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


class BatchedLines(logging.Handler):
    """Writes what has come together; a warning or worse is never held back, nor what came before it.

    A line is held without a lock, since every request would wait for a batch that is being written: what is appended
    is taken from the other end, a line at a time.
    """

    def __init__(self, stream: TextIO, *, held_max: int = HELD_MAX) -> None:
        super().__init__()
        self._stream = stream
        self._held_max = held_max
        self._held: deque[logging.LogRecord] = deque()

    def handle(self, record: logging.LogRecord) -> bool:
        """Holds a record, or writes all that is held."""
        # Ours are closed lists already and know their request.
        if type(record) is not LineRecord and not self.filter(record):
            return False
        self._held.append(record)
        if record.levelno >= logging.WARNING or len(self._held) >= self._held_max:
            self.flush()
        return True

    def flush(self) -> None:
        """Writes all lines at once, in their order."""
        self.acquire()
        record = None
        try:
            lines = []
            for _ in range(len(self._held)):
                record = self._held.popleft()
                lines.append(f"{self.format(record)}\n")
            if lines:
                self._stream.write("".join(lines))
                self._stream.flush()
        except Exception:
            if record is not None:
                self.handleError(record)
        finally:
            self.release()

    def flush_for_ever(self) -> None:
        """Writes what waits, again and again, from a thread of its own."""
        threading.Thread(target=self._keep_flushing, name="log-lines", daemon=True).start()

    def _keep_flushing(self) -> None:
        while True:
            time.sleep(LATE_S)
            if self._held:
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
        # The lines of requests go to it at once: asking each logger above theirs costs more than holding a line.
        requests = logging.getLogger(REQUESTS)
        requests.handlers[:] = [handler]
        requests.propagate = False
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
