"""How single sources say that they are asked too much."""

import pytest

from core.clock import ManualClock
from core.http.client import Exchange
from core.http.rules import Throttle, Tightening
from core.sources.habits import (
    arxiv_throttled,
    crossref_tightened,
    ncbi_throttled,
    openalex_defect,
    openalex_throttled,
)

CLOCK = ManualClock(1_700_000_000)
TO_MIDNIGHT_S = 86_400 - 1_700_000_000 % 86_400


# references A68
@pytest.mark.parametrize(
    ("found", "throttle"),
    [
        (Exchange(403), Throttle(900)),
        (Exchange(406), Throttle()),
        (Exchange(429), Throttle(may_retry=True)),
        (Exchange(503, {"retry-after": "30"}), Throttle(30, may_retry=True)),
        (Exchange(200, {}, b"\nRate exceeded."), Throttle()),
        (Exchange(200, {}, b"<feed>Rate exceeded</feed>"), None),
        (Exchange(404), None),
        (Exchange(500), None),
        (Exchange(200, {}, b""), None),
    ],
)
def test_arxiv(found: Exchange, throttle: Throttle | None) -> None:
    assert arxiv_throttled(found, CLOCK) == throttle


# references A69
@pytest.mark.parametrize(
    ("found", "throttle"),
    [
        (Exchange(429, {"x-ratelimit-remaining": "5", "retry-after": "1"}), Throttle(1, may_retry=True)),
        (
            Exchange(429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "90000"}),
            Throttle(90_000, cool_max_s=86_400),
        ),
        (Exchange(429, {"x-ratelimit-remaining": "-1"}), Throttle(TO_MIDNIGHT_S, cool_max_s=86_400)),
        (Exchange(429, {"x-ratelimit-remaining": "lots"}), Throttle(TO_MIDNIGHT_S, cool_max_s=86_400)),
        (Exchange(429, {"x-ratelimit-reset": "-5"}), Throttle(0, cool_max_s=86_400)),
        (Exchange(429), Throttle(TO_MIDNIGHT_S, cool_max_s=86_400)),
        (Exchange(403, {"x-ratelimit-limit": "9"}), Throttle(TO_MIDNIGHT_S, cool_max_s=86_400)),
        (Exchange(403), None),
        (Exchange(200, {"x-ratelimit-remaining": "0"}), None),
        (Exchange(503, {"x-ratelimit-remaining": "0"}), None),
    ],
)
def test_openalex(found: Exchange, throttle: Throttle | None) -> None:
    assert openalex_throttled(found, CLOCK) == throttle


def test_a_cool_down_of_a_spent_budget_is_a_day_at_most() -> None:
    throttle = openalex_throttled(Exchange(429, {"x-ratelimit-reset": "90000"}), CLOCK)
    assert throttle is not None
    assert (throttle.wait_s, throttle.cool_s) == (90_000, 86_400)


@pytest.mark.parametrize(
    ("status", "body", "is_ours"),
    [
        (403, b'{"error": "Invalid query parameters error."}', True),
        (400, b"Invalid Query Parameter", True),
        (403, b"forbidden", False),
        (500, b"query parameters", False),
    ],
)
def test_openalex_says_what_we_wrote_wrongly(status: int, body: bytes, is_ours: bool) -> None:
    assert openalex_defect(Exchange(status, {}, body)) is is_ours


@pytest.mark.parametrize(
    ("found", "throttle"),
    [
        (Exchange(200, {}, b'{"error":"API rate limit exceeded","count":"11"}'), Throttle(may_retry=True)),
        (Exchange(429, {"retry-after": "2"}, b'{"error": "API rate limit exceeded"}'), Throttle(2, may_retry=True)),
        (Exchange(429, {}, b""), Throttle(may_retry=True)),
        (Exchange(200, {}, b'{"title": "API rate limit exceeded"}'), None),
    ],
)
def test_ncbi(found: Exchange, throttle: Throttle | None) -> None:
    assert ncbi_throttled(found, CLOCK) == throttle


@pytest.mark.parametrize(
    ("headers", "tightening"),
    [
        (
            {"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s", "x-concurrency-limit": "3"},
            Tightening(0.02, 3),
        ),
        ({"x-rate-limit-limit": "2", "x-rate-limit-interval": "1m"}, Tightening(30.0)),
        ({"x-rate-limit-limit": "4", "x-rate-limit-interval": "500ms"}, Tightening(0.125)),
        ({"x-rate-limit-limit": "10", "x-rate-limit-interval": "5"}, Tightening(0.5)),
        ({"x-rate-limit-limit": "1", "x-rate-limit-interval": "365d"}, Tightening(60.0)),
        ({"x-concurrency-limit": "1"}, Tightening(0.0, 1)),
        ({"x-concurrency-limit": "0"}, None),
        ({"x-rate-limit-limit": "0", "x-rate-limit-interval": "1s"}, None),
        ({"x-rate-limit-limit": "-3", "x-rate-limit-interval": "1s"}, None),
        ({"x-rate-limit-limit": "50", "x-rate-limit-interval": "soon"}, None),
        ({"x-rate-limit-limit": "50"}, None),
        ({}, None),
    ],
)
def test_crossref(headers: dict[str, str], tightening: Tightening | None) -> None:
    assert crossref_tightened(Exchange(200, headers)) == tightening
