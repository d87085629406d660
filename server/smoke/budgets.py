"""Who is counted, and how far: the budget of one minute, and that nobody talks itself into another's."""

import secrets

import httpx

from server.smoke.target import Listed, Target
from server.smoke.verdict import Failed, NotRun, json_of, require, require_status, short

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
BUDGET = "per_minute"
MOST_REQUESTS = 2_000
"""A larger budget is not used up by a smoke run."""
TRIES = 3


def are_kept(target: Target) -> None:
    """As many requests pass as the budget has, the next is 429, and a second caller is not hindered by the first."""
    endpoint, who = target.endpoints[0], target.tag("limits")
    first = _ping(target, endpoint, who)
    limit = _number(first, "RateLimit-Limit")
    if limit > MOST_REQUESTS:
        raise NotRun(f"{BUDGET} is {limit}, more than a smoke run uses up")
    if target.options.has_one_caller:
        _refused_at_last(target, endpoint, who, limit)
        return
    for sent in range(1, limit + 1):
        left = _number(first, "RateLimit-Remaining")
        require(left == limit - sent, f"limits: {left} of {limit} left after request {sent} of a new caller")
        if sent < limit:
            first = _ping(target, endpoint, who, where=f"limits: request {sent + 1} of {limit}")
    _is_refusal(target.post(endpoint, PING, who), f"limits: request {limit + 1} of {limit}")
    other = _number(
        _ping(target, endpoint, target.tag("second"), where="limits: a second caller"), "RateLimit-Remaining"
    )
    require(other == limit - 1, f"limits: {other} of {limit} left for a second caller")


def are_not_talked_out_of(target: Target) -> None:
    """A forged `X-Forwarded-For` gives no budget of its own."""
    endpoint = target.endpoints[0]
    check = _with_one_caller if target.options.has_one_caller else _as_the_proxy
    check(target, endpoint)


def _refused_at_last(target: Target, endpoint: Listed, who: dict[str, str], limit: int) -> None:
    """All that this address, or the holder of this key, has asked in the last minute counts, so the refusal may come
    sooner.
    """
    for _ in range(limit):
        answer = target.post(endpoint, PING, who)
        if answer.status_code != httpx.codes.OK:
            _is_refusal(answer, "limits: the first refusal")
            return
    raise Failed(f"limits: {limit + 1} requests passed, of {limit}")


def _is_refusal(answer: httpx.Response, where: str) -> None:
    require(answer.status_code == httpx.codes.TOO_MANY_REQUESTS, f"{where}: {answer.status_code} instead of 429")
    budget = json_of(answer, where).get("budget")
    require(budget == BUDGET, f"{where}: refused by {short(budget)} instead of {BUDGET}")
    wait_s = _number(answer, "Retry-After")
    require(1 <= wait_s <= 60, f"{where}: Retry-After is {wait_s}, not 1 to 60")


def _with_one_caller(target: Target, endpoint: Listed) -> None:
    """The budget goes on falling under forged headers. Old requests may leave the window in between, so it is tried
    more than once; an identity of its own would have a full budget each time.
    """
    for _ in range(TRIES):
        plain = _number(_ping(target, endpoint, {}), "RateLimit-Remaining")
        claim = f"198.51.100.{secrets.randbelow(254) + 1}"
        forged = {"X-Forwarded-For": claim, "X-Real-IP": claim, **target.tag(f"forged-{secrets.token_hex(4)}")}
        if _number(_ping(target, endpoint, forged), "RateLimit-Remaining") < plain:
            return
    raise Failed("a forged X-Forwarded-For or client tag has a budget of its own")


def _as_the_proxy(target: Target, endpoint: Listed) -> None:
    """On loopback the run stands where the proxy does. It names a client of its own, fresh for each run, that claims
    to stand for others: the claims, left of the proxy's word, and a tag beside it change nothing.
    """
    client = f"2001:db8:{secrets.randbelow(1 << 16):x}:{secrets.randbelow(1 << 16):x}::1"
    counted = []
    for claim in ("198.51.100.1", "198.51.100.2"):
        headers = {"X-Forwarded-For": f"{claim}, {client}", **target.tag(f"forged-{claim}")}
        answer = _ping(target, endpoint, headers)
        counted.append(_number(answer, "RateLimit-Limit") - _number(answer, "RateLimit-Remaining"))
    require(counted == [1, 2], f"a forged X-Forwarded-For or tag: {counted} requests counted instead of [1, 2]")


def _ping(target: Target, endpoint: Listed, headers: dict[str, str], *, where: str = "limits") -> httpx.Response:
    answer = target.post(endpoint, PING, headers)
    require_status(answer, 200, where)
    return answer


def _number(answer: httpx.Response, name: str) -> int:
    value = answer.headers.get(name, "")
    if not value.isdigit():
        raise Failed(f"limits: {name} is {short(value)}, not a number")
    return int(value)
