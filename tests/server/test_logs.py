import logging
import sys

from server.exchange import Exchange, current_exchange
from server.logs import OwnWordsOnly


def record(name: str, message: str, *arguments: object, with_traceback: bool = False) -> logging.LogRecord:
    try:
        raise ValueError("planted-secret")
    except ValueError:
        trace = sys.exc_info() if with_traceback else None
    return logging.LogRecord(name, logging.ERROR, __file__, 1, message, arguments, trace)


def test_records_of_libraries_pass_only_as_fixed_texts() -> None:
    keep = OwnWordsOnly().filter
    assert keep(record("uvicorn.error", "a fixed text"))
    assert not keep(record("uvicorn.error", "path %s", "/planted"))
    assert not keep(record("uvicorn.error", "failed", with_traceback=True))
    assert not keep(record("paperdeskish", "with %s", "arguments"))


def test_own_records_lose_their_traceback_and_carry_the_request_id() -> None:
    own = record("paperdesk.http", "request_crashed error=%s", "ValueError", with_traceback=True)
    token = current_exchange.set(Exchange(request_id="abcdef01"))
    try:
        assert OwnWordsOnly().filter(own)
    finally:
        current_exchange.reset(token)
    line = logging.Formatter("[%(request_id)s] %(message)s").format(own)
    assert line == "[abcdef01] request_crashed error=ValueError"
