"""Where the program `paperdesk` starts. A health check, made twice a minute, does not load all that a server needs."""

import runpy
import sys

from server.commands.health import health


def main() -> None:
    """Runs the command line."""
    if sys.argv[1:] == ["health"]:
        health()
    runpy.run_module("server", run_name="__main__")
