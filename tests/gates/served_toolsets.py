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

ERROR_KEY = "org.paperdesk/error"
NOBODYS = "00000000-0000-4000-8000-00000000beef"
"""The id of a scan that nobody began: asking for it is an ordinary answer, and nothing is written."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool, its arguments, and the code of its failure where it is to fail."""

    tool: str
    arguments: Mapping[str, Any]
    code: str | None = None
    is_told_in_result: bool = False
    """A failure of this family is a result that says so, never an error of the protocol."""

    def check_failure(self, *, is_error: bool, meta: Any, structured: Any) -> None:
        """The failure came as its family tells failures."""
        if self.is_told_in_result:
            told = structured["error"] if "ok" in structured else structured["payload"]
            assert (is_error, structured.get("ok", False), told["code"]) == (False, False, self.code)
        else:
            assert (is_error, meta[ERROR_KEY]["code"]) == (True, self.code)


GOOD: Mapping[str, Call] = {
    "catalog": Call("search_papers", {"query": "attention", "mode": "keyword", "limit": 2}),
    "references": Call("doiget_info", {"ref": "1706.03762"}),
    "evidence": Call("search_claims", {"query": "productivity", "limit": 2}),
    "scan": Call("scan_result", {"scan_id": NOBODYS}),
    "connector": Call("search", {"query": "attention"}),
}
FAILING: Mapping[str, Call] = {
    "catalog": Call("get_paper_info", {"paper": "2999.99999"}, "not_found"),
    "references": Call("doiget_resolve_paper", {"ref": "9999.99999"}, "NOT_FOUND", is_told_in_result=True),
    "evidence": Call("get_paper", {"paper_id": "arxiv:2999.99999"}, "not_found"),
    "scan": Call("scan_verify", {"scan_id": "not-an-id"}, "invalid_scan_id", is_told_in_result=True),
    "connector": Call("fetch", {"id": "claim:999999"}, "not_found"),
}
"""A toolset without a row here fails the gates: it is covered the day it arrives."""
