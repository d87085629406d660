"""Whether the service is ready, and of the version that was meant to be put there."""

import httpx

from server.smoke.target import Target
from server.smoke.verdict import Failed, json_of, require, require_status

PATH = "/health"
READY_WITHIN_S = 30.0
AGAIN_AFTER_S = 0.5


def becomes_ready(target: Target) -> None:
    """`/health` is 200 within 30 s, and its version is the one expected."""
    answer = _first_ready(target)
    target.is_ready = True
    body = json_of(answer, PATH)
    require(body.get("status") == "ok", f"{PATH}: 200 without status ok")
    expected = target.options.expect_version
    if expected is not None:
        require(body.get("version") == expected, f"{PATH}: version {body.get('version')} instead of {expected}")


def _first_ready(target: Target) -> httpx.Response:
    until_s = target.clock() + READY_WITHIN_S
    while True:
        try:
            answer = target.get(PATH)
            require_status(answer, 200, PATH)
            return answer
        except Failed as failed:
            said = str(failed)
        except httpx.HTTPError as error:
            said = f"{PATH}: no answer ({type(error).__name__})"
        if target.clock() >= until_s:
            raise Failed(f"{said}, for {READY_WITHIN_S:.0f} s")
        target.pause(AGAIN_AFTER_S)


def backend_kind(target: Target) -> str:
    """What the catalog lies in: `sample`, `file` or `http`; empty where health does not say."""
    catalog = json_of(target.get(PATH), PATH).get("catalog")
    return str(catalog.get("backend", "")) if isinstance(catalog, dict) else ""
