import logging
import sys
from io import StringIO

from server.exchange import Exchange, current_exchange
from server.logs import BatchedLines, OwnWordsOnly


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


def batched() -> tuple[BatchedLines, StringIO]:
    stream = StringIO()
    lines = BatchedLines(stream, held_max=3)
    lines.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    return lines, stream


def info(message: str, level: int = logging.INFO) -> logging.LogRecord:
    return logging.LogRecord("paperdesk.requests", level, "", 0, message, (), None)


def test_lines_are_written_together_and_in_order() -> None:
    lines, stream = batched()
    lines.handle(info("one"))
    lines.handle(info("two"))
    assert stream.getvalue() == ""
    lines.handle(info("three"))
    assert stream.getvalue() == "INFO one\nINFO two\nINFO three\n"
    lines.handle(info("four"))
    lines.flush()
    lines.flush()
    assert stream.getvalue() == "INFO one\nINFO two\nINFO three\nINFO four\n"


def test_a_warning_is_written_at_once_with_what_came_before_it() -> None:
    lines, stream = batched()
    lines.handle(info("before"))
    lines.handle(info("trouble", logging.WARNING))
    assert stream.getvalue() == "INFO before\nWARNING trouble\n"
