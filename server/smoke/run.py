"""One smoke run: the nine checks, a line for each, and whether the service may have clients."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import httpx

from server.smoke import budgets, continuation, documents, eras, health, log_line, refusals
from server.smoke.target import Options, Target
from server.smoke.verdict import Failed, NotRun

WHOLE_LIMIT_S = 58.0


@dataclass(frozen=True, slots=True)
class Line:
    """How one check ended, in the numbering of hosting contract 5.9."""

    number: int
    name: str
    ending: Literal["pass", "FAIL", "skip"]
    text: str = ""

    def __str__(self) -> str:
        told = f": {self.text}" if self.text else ""
        return f"{self.ending} {self.number} {self.name}{told}"


def smoke_run(
    options: Options,
    client: httpx.Client,
    *,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Line]:
    """The lines, as the checks end. A service that never becomes ready is asked nothing more.

    The budget is used up last: through a proxy, or with a key, the whole run has one caller's budget.
    """
    target = Target(options, client, clock=clock, pause=pause)
    log = log_line.Log(options.log)
    started_s = clock()
    checks: list[tuple[int, str, Callable[[Target], None]]] = [
        (1, "health", health.becomes_ready),
        (2, "documents", documents.are_served),
        (3, "older era", eras.older_era_is_served),
        (4, "newer era", eras.newer_era_is_served),
        (5, "continuation", continuation.reads_on),
        (6, "refusals", refusals.are_in_place),
        (8, "forged address", budgets.are_not_talked_out_of),
        (9, "log line", lambda target: log_line.says_enough_and_no_more(target, log)),
        (7, "limits", budgets.are_kept),
    ]
    for number, name, check in checks:
        if number != 1 and not target.is_ready:
            yield Line(number, name, "skip", "the service is not ready")
        elif clock() - started_s > WHOLE_LIMIT_S:
            yield Line(number, name, "FAIL", f"not reached within {WHOLE_LIMIT_S:.0f} s; the service is too slow")
        else:
            yield _line(number, name, check, target)


def _line(number: int, name: str, check: Callable[[Target], None], target: Target) -> Line:
    try:
        check(target)
    except NotRun as why:
        return Line(number, name, "skip", str(why))
    except Failed as why:
        return Line(number, name, "FAIL", str(why))
    except httpx.HTTPError as error:
        return Line(number, name, "FAIL", f"no answer ({type(error).__name__})")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return Line(number, name, "FAIL", f"an answer of a form that no client expects ({type(error).__name__})")
    return Line(number, name, "pass")
