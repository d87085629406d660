"""The service's log of the run's own request: all that may be in it, and nothing that a client sent."""

import re
from pathlib import Path

from server.smoke.target import Target
from server.smoke.verdict import Failed, NotRun, require

FIRST_FIELDS = ("tool", "status", "latency_ms", "bytes", "protocol", "version")
FURTHER_FIELDS = frozenset(
    {"toolset", "method", "outcome", "code", "budget", "identity", "cache", "upstream_ms", "request_id"}
)
WRITTEN_WITHIN_S = 3.0
AGAIN_AFTER_S = 0.1

_FIELD = re.compile(r"(\w+)=(\S*)")


class Log:
    """What is added to a log file after the run began."""

    def __init__(self, path: str | None) -> None:
        self._path = None if path is None else Path(path)
        self._start = self._size()

    @property
    def is_given(self) -> bool:
        """Whether the operator named one."""
        return self._path is not None

    def added(self) -> str:
        """The new lines; all of a file that became shorter, since it is another one."""
        if self._path is None:
            return ""
        try:
            with self._path.open("rb") as file:
                file.seek(self._start if self._size() >= self._start else 0)
                return file.read().decode(errors="replace")
        except OSError as error:
            raise Failed(f"the log cannot be read: {error.strerror}") from error

    def _size(self) -> int:
        try:
            return self._path.stat().st_size if self._path else 0
        except OSError:
            return 0


def says_enough_and_no_more(target: Target, log: Log) -> None:
    """A call whose arguments, address and headers hold a secret leaves a line with its fields, without the secret."""
    if not log.is_given:
        raise NotRun("no --log FILE")
    secret = f"planted{target.run}"
    request_id = _plant(target, secret)
    line = _line_of(target, log, request_id)
    fields = _FIELD.findall(line.partition("mcp_request ")[2])
    names = tuple(name for name, _ in fields)
    require(names[:6] == FIRST_FIELDS, f"the log line starts with {', '.join(names[:6])}")
    further = sorted(set(names[6:]) - FURTHER_FIELDS)
    require(not further, f"the log line has {', '.join(further)}, which may not be logged")
    values = dict(fields)
    require(values["tool"] == "unknown", "the log line of an unknown tool does not call it unknown")
    require(values["status"] == "200", f"the log line has status {values['status']} instead of 200")
    require(values.get("request_id", request_id) == request_id, "the log line has another request's id")
    require(secret not in log.added(), "the log holds what a client sent")


def _plant(target: Target, secret: str) -> str:
    """Sends the secret wherever a client can put one; answers the request's id as the service knows it."""
    endpoint, who = target.endpoints[0], target.tag("log")
    headers = {**who, "User-Agent": secret, "Referer": secret, "X-Note": secret}
    params = {"name": secret, "arguments": {"query": secret, secret: secret}}
    for path in (f"/{secret}", f"{endpoint.path}?{secret}={secret}"):
        target.get(target.here(path), headers)
    named = {**headers, "X-Request-Id": f"smoke-{target.run}"}
    answer = target.ask(endpoint, "tools/call", params, era="2025", headers=named)
    return str(answer.headers.get("x-request-id", ""))


def _line_of(target: Target, log: Log, request_id: str) -> str:
    """The line of one request; lines are written in batches, so it may come a little later."""
    until_s = target.clock() + WRITTEN_WITHIN_S
    while True:
        for line in log.added().splitlines():
            if "mcp_request " in line and request_id and request_id in line:
                return line
        if target.clock() >= until_s:
            raise Failed(f"no line of the run's own request within {WRITTEN_WITHIN_S:.0f} s")
        target.pause(AGAIN_AFTER_S)
