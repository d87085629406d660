"""Every toolset of this release, in the order of their paths (hosting contract 1.1): one place to add one."""

from server.registry import Toolset
from server.toolsets.catalog import TOOLSET as CATALOG_TOOLSET
from server.toolsets.connector import TOOLSET as CONNECTOR_TOOLSET
from server.toolsets.evidence import TOOLSET as EVIDENCE_TOOLSET
from server.toolsets.references import TOOLSET as REFERENCES_TOOLSET
from server.toolsets.scan import TOOLSET as SCAN_TOOLSET

TOOLSETS: tuple[Toolset, ...] = (
    CATALOG_TOOLSET,
    REFERENCES_TOOLSET,
    EVIDENCE_TOOLSET,
    SCAN_TOOLSET,
    CONNECTOR_TOOLSET,
)
TOOLSET_IDS = tuple(toolset.id for toolset in TOOLSETS)
