"""The service itself with short leases of scans: `python -m tests.gates.scan_worker serve ...` is `paperdesk serve`."""

import functools

from core.scan.engine.configuration import EngineSettings
from server import scan_desk
from server.__main__ import main

LEASE_S = 3.0
RENEWED_EVERY_S = 0.5
LOOKS_EVERY_S = 0.5


def serve() -> None:
    """Runs the command line."""
    scan_desk.EngineSettings = functools.partial(  # type: ignore[assignment, misc]
        EngineSettings, lease_s=LEASE_S, renewed_every_s=RENEWED_EVERY_S, looks_every_s=LOOKS_EVERY_S
    )
    main()


if __name__ == "__main__":
    serve()
