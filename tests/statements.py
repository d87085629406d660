"""Which acceptance statements of a contract the tests name, by comments such as `# hosting A7, A8 (part)`."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
_TOKEN = re.compile(r"\b(hosting|catalog|references|evidence|scan)\b|\bA(\d+)\b(\s*\(part\))?")


def mentions(line: str, contract: str) -> Iterator[tuple[int, bool]]:
    """The statements of a contract that a line's comment names, and which of them in part."""
    current = ""
    for found in _TOKEN.finditer(line.partition("#")[2]):
        if found[1]:
            current = found[1]
        elif current == contract:
            yield int(found[2]), bool(found[3])


@cache
def named(contract: str, *, but: Path) -> Mapping[int, frozenset[bool]]:
    """Every statement that some test names: {False} in full, {True} in part, or both; what `but` says is no proof."""
    found: dict[int, set[bool]] = {}
    for path in TESTS.rglob("*.py"):
        if path not in (but, Path(__file__)):
            for line in path.read_text(encoding="utf-8").splitlines():
                for number, in_part in mentions(line, contract):
                    found.setdefault(number, set()).add(in_part)
    return {number: frozenset(ways) for number, ways in found.items()}
