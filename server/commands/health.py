"""`paperdesk health`: whether the service on this machine is ready, for a container's health check."""

import http.client
import os
import sys

from core.errors import PaperdeskError
from server.settings import parse_settings

ANSWER_LIMIT_S = 4.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def health() -> None:
    """Ask the service of this machine whether it is ready: exit status 0 when it is, 1 when it is not."""
    sys.exit(check())


def check() -> int:
    """The exit status; a reason for 1 goes to standard error."""
    try:
        settings = parse_settings(os.environ)
    except PaperdeskError as error:
        return _not_ready(error.message)
    host = EVERYWHERE.get(settings.host, settings.host)
    connection = http.client.HTTPConnection(host, settings.port, timeout=ANSWER_LIMIT_S)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        return _not_ready(f"no answer on port {settings.port} ({type(error).__name__})")
    finally:
        connection.close()
    return 0 if answer.status == http.HTTPStatus.OK else _not_ready(f"/health answers {answer.status}")


def _not_ready(why: str) -> int:
    sys.stderr.write(f"paperdesk: not ready: {why}\n")
    return 1
