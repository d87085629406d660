"""What the service must turn away, and in which words."""

from urllib.parse import urlsplit

from server.body import MAX_BODY_BYTES
from server.envelope import INVALID_PARAMS
from server.smoke.target import Listed, Target
from server.smoke.verdict import json_of, require, require_status

FOREIGN_HOST = "smoke.invalid"
FOREIGN_ORIGIN = "https://smoke.invalid"


def are_in_place(target: Target) -> None:
    """Wrong methods, hosts and origins on every endpoint; bodies, an unknown tool and a slash on the first."""
    for endpoint in target.endpoints:
        _no_stream(target, endpoint)
        _foreign_host(target, endpoint)
        _foreign_origin(target, endpoint)
        _preflight(target, endpoint)
    first, who = target.endpoints[0], target.tag("refusals")
    _large_body(target, first, who)
    _array(target, first, who)
    _unknown_tool(target, first, who)
    _trailing_slash(target, first, who)


def _no_stream(target: Target, endpoint: Listed) -> None:
    answer = target.get(target.here(endpoint.url), {"Accept": "text/event-stream"})
    require_status(answer, 405, f"{endpoint.path} GET")
    allowed = answer.headers.get("allow")
    require(allowed == "POST", f"{endpoint.path} GET: 405 with Allow {allowed} instead of POST")


def _foreign_host(target: Target, endpoint: Listed) -> None:
    answer = target.post(endpoint, b"{}", {"Host": FOREIGN_HOST})
    require_status(answer, 421, f"{endpoint.path} with a foreign Host")


def _foreign_origin(target: Target, endpoint: Listed) -> None:
    answer = target.post(endpoint, b"{}", {"Origin": FOREIGN_ORIGIN})
    require_status(answer, 403, f"{endpoint.path} with a foreign Origin")


def _preflight(target: Target, endpoint: Listed) -> None:
    """From the public address's own origin, which is always allowed."""
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(endpoint.url))
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    answer = target.get(target.here(endpoint.url), asked, method="OPTIONS")
    require_status(answer, 200, f"{endpoint.path} preflight")
    allowed = answer.headers.get("access-control-allow-origin")
    require(allowed == origin, f"{endpoint.path} preflight: allows {allowed} instead of {origin}")


def _large_body(target: Target, endpoint: Listed, who: dict[str, str]) -> None:
    answer = target.post(endpoint, b" " * (MAX_BODY_BYTES + 1), who)
    require_status(answer, 413, f"{endpoint.path} with a body over {MAX_BODY_BYTES} bytes")


def _array(target: Target, endpoint: Listed, who: dict[str, str]) -> None:
    answer = target.post(endpoint, b"[]", who)
    require_status(answer, 400, f"{endpoint.path} with an array")


def _unknown_tool(target: Target, endpoint: Listed, who: dict[str, str]) -> None:
    where = f"{endpoint.path} with an unknown tool"
    params = {"name": f"no_tool_{target.run}", "arguments": {}}
    answer = target.ask(endpoint, "tools/call", params, era="2025", headers=who)
    require_status(answer, 200, where)
    error = json_of(answer, where).get("error")
    code = error.get("code") if isinstance(error, dict) else None
    require(code == INVALID_PARAMS, f"{where}: code {code} instead of {INVALID_PARAMS}")


def _trailing_slash(target: Target, endpoint: Listed, who: dict[str, str]) -> None:
    path = f"{endpoint.path}/"
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    require_status(target.post(endpoint, ping, who, path=path), 200, path)
