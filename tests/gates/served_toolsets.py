"""The toolsets of this release, and for each what a client's gate calls: one good call and one that fails."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.registry import Toolset
from server.served import TOOLSET_IDS

TOOLSETS: tuple[Toolset, ...] = tuple(
    importlib.import_module(f"server.toolsets.{toolset_id}").TOOLSET for toolset_id in TOOLSET_IDS
)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool, its arguments, and the code of its failure where it is to fail."""

    tool: str
    arguments: Mapping[str, Any]
    code: str | None = None


GOOD: Mapping[str, Call] = {
    "catalog": Call("search_papers", {"query": "attention", "mode": "keyword", "limit": 2}),
    "evidence": Call("search_claims", {"query": "productivity", "limit": 2}),
    "connector": Call("search", {"query": "attention"}),
}
FAILING: Mapping[str, Call] = {
    "catalog": Call("get_paper_info", {"paper": "2999.99999"}, "not_found"),
    "evidence": Call("get_paper", {"paper_id": "arxiv:2999.99999"}, "not_found"),
    "connector": Call("fetch", {"id": "claim:999999"}, "not_found"),
}
"""A toolset without a row here fails the gates: it is covered the day it arrives."""
