"""Where an exception that nobody planned came from, for the log: never its text."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def place_of(error: BaseException) -> str:
    """The innermost own module and line that an exception passed through."""
    place = "outside"
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(_ROOT):
            place = f"{path.relative_to(_ROOT)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
