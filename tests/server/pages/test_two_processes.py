"""Every document has equal bytes in every process of one release and one deployment."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import asyncio, hashlib
from core.clock import SystemClock
from server.pages import documents
from server.pages.facts import Facts
from server.served import TOOLSETS
from server.registry import BoundToolset

async def tag(app, query):
    sent = []
    async def send(message):
        sent.append(message)
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": query}
    await app(scope, None, send)
    return dict(sent[0]["headers"])[b"etag"].decode(), hashlib.sha256(sent[1]["body"]).hexdigest()

async def main():
    bound = [BoundToolset(toolset, None, clock=SystemClock()) for toolset in TOOLSETS]
    facts = Facts("https://desk.example.org", limits={"per_minute": 60}, has_keys=True)
    for path, app in documents(facts, bound).items():
        for query in (b"", b"format=html"):
            print(path, query.decode(), *await tag(app, query))

asyncio.run(main())
"""


def tags(seed: str) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()


def test_two_processes_give_equal_tags() -> None:
    # hosting A16
    first, second = tags("1"), tags("2")
    assert len(first) == 2 * 18
    assert first == second
