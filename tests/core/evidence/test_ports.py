"""The desks fulfil the ports that the toolsets call."""

import pytest

from core.errors import Unavailable
from core.evidence.desk import no_evidence
from core.evidence.service import Connector, Evidence
from tests.evidence_room import Room, run

TOOLS = (
    "search_claims",
    "search_papers",
    "find_authors",
    "get_author_papers",
    "semantic_search",
    "get_paper",
    "list_digests",
    "get_digest",
)


def test_the_desks_have_every_method_of_their_ports(room: Room) -> None:
    evidence: Evidence = room.desk
    connector: Connector = room.connector
    assert [name for name in vars(Evidence) if not name.startswith("_")] == list(TOOLS)
    assert all(callable(getattr(evidence, name)) for name in TOOLS)
    assert callable(connector.search)
    assert callable(connector.fetch)


@pytest.mark.parametrize("tool", TOOLS)
def test_without_a_set_every_tool_is_unavailable(tool: str) -> None:
    # evidence A58
    with pytest.raises(Unavailable, match="no evidence set"):
        run(getattr(no_evidence(), tool)(limit=1))
