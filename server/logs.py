"""Logging of the hosted service: our records with their request's id, and nothing of a library's that holds content."""

import logging
import sys

from server.exchange import current_exchange


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


def configure_logging(level: str) -> None:
    """Sends all records to standard error; `level` changes how many, never what they may hold."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(OwnWordsOnly())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("paperdesk").setLevel(level)
    # The SDK logs a handler's exception with its text and traceback.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
