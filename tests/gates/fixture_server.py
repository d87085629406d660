"""A process that serves the fixture toolsets as the service itself is served: `python -m tests.gates.fixture_server`.

The desk of the tests stands at `/mcp`, the toolset of the protocol's own suite at `/mcp/conformance`.
"""

import argparse
from dataclasses import replace

from core.clock import SystemClock
from server.allowlists import parse_hosts, parse_origins
from server.app import Front, Service, create_app
from server.bootstrap import DISPATCHERS
from server.documents import CatalogFacts
from server.drain import Drain
from server.endpoint.dispatch import DispatcherOf
from server.limits.budgets import DEFAULTS, LIMIT_MAX, Budgets
from server.limits.counting import counting_here
from server.logs import configure_logging
from server.metrics import State, Traffic
from server.readiness import Readiness
from server.registry import BoundToolset
from server.serving import listen, run
from tests.conformance.toolset import bound_fixture
from tests.server.desk_toolset import TOOLSET, Desk

WIDE = Budgets(anonymous=dict.fromkeys(DEFAULTS, LIMIT_MAX))
"""All calls of a gate come from one address."""


def main() -> None:
    """Serves until a signal."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log-level", default="INFO")
    parser.add_argument("--dispatcher", choices=DISPATCHERS, default="sdk")
    options = parser.parse_args()
    configure_logging(options.log_level, batched=True)
    url = f"http://127.0.0.1:{options.port}"
    front = Front(url, parse_hosts("", url)[0], parse_origins("default", url)[0])
    service = _service(DISPATCHERS[options.dispatcher])
    with listen("127.0.0.1", options.port) as listener:
        run(create_app(service, front), listener, service.drain)


def _service(dispatcher: DispatcherOf) -> Service:
    clock = SystemClock()

    async def probe() -> None:
        return None

    desk = BoundToolset(replace(TOOLSET, deadline_s=5.0), Desk(), clock=clock)
    return Service(
        toolsets=(desk, bound_fixture(clock)),
        readiness=Readiness(probe, clock, since_start=True),
        facts=CatalogFacts("sample", "b1"),
        drain=Drain(clock),
        traffic=Traffic(),
        state=State(is_ready=lambda: True),
        limits=counting_here(clock, WIDE),
        dispatcher=dispatcher,
    )


if __name__ == "__main__":
    main()
