"""`paperdesk health`: whether the service on this machine is ready, for a container's health check.

It is made twice a minute beside the service, so it reads the two settings that it needs by itself and loads nothing
else; bad settings are the service's to report.
"""

import http.client
import os
import sys

HOST_NAMES = ("PAPERDESK_HOST", "PWC_MCP_HOST")
PORT_NAMES = ("PAPERDESK_PORT", "PORT")
DEFAULTS = ("127.0.0.1", "7860")

ANSWER_LIMIT_S = 4.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def health() -> None:
    """Ask the service of this machine whether it is ready: exit status 0 when it is, 1 when it is not."""
    sys.exit(check())


def check() -> int:
    """The exit status; a reason for 1 goes to standard error."""
    host, port = (
        next((given for name in names if (given := os.environ.get(name, "").strip())), default)
        for names, default in zip((HOST_NAMES, PORT_NAMES), DEFAULTS, strict=True)
    )
    host = host.strip("[]")
    try:
        connection = http.client.HTTPConnection(EVERYWHERE.get(host, host), int(port), timeout=ANSWER_LIMIT_S)
        connection.request("GET", "/health")
        status = connection.getresponse().status
        connection.close()
    except (OSError, ValueError, OverflowError, http.client.HTTPException) as error:
        return _not_ready(f"no answer on port {port} ({type(error).__name__})")
    if status != http.HTTPStatus.OK:
        return _not_ready(f"/health answers {status}")
    sys.stdout.write("ready\n")
    return 0


def _not_ready(why: str) -> int:
    sys.stderr.write(f"paperdesk: not ready: {why}\n")
    return 1
