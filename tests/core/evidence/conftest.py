"""One small catalog with evidence for all tests of the room that only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evidence_room import Folder, Room
from tests.hashing_embedder import HashingEmbedder

SHARED = "Common Words about Work"


def filled(folder: Folder) -> Folder:
    """A corpus in which every rule of the contract has something to show."""
    paper, assess, claim = folder.paper, folder.assess, folder.claim
    paper(
        "trial",
        "Remote Work and Output: A Trial",
        arxiv_id="2603.14558",
        published="2026-03-01",
        authors=["José García", "Hans Müller"],
        abstract="Staff at home finish more calls.",
    )
    paper("doi", "Wages after Robots", doi="10.1234/ABC", published="2025", authors=["J. Garcia", "Sean O'Brien"])
    paper("openalex", "An Essay on Skills", identifiers={"openalex": "W2741809807"}, authors=["José García"])
    paper("bare", "Nothing but a Title", authors=["Mei-Ling Wu"])
    paper("twin-1", "Twin Title", doi="10.1234/twin.1", published="2020-01-01")
    paper("twin-2", "Twin Title", doi="10.1234/twin.2", published="2021-01-01")
    paper("withdrawn", "A Withdrawn Study", doi="10.1234/gone", published="2019-05")
    paper("unknown", "No Evidence Here", doi="10.1234/none", published="2018")
    levels = {"methods_rigor": "high", "evidence_strength": "high"}
    assess("arxiv:2603.14558", "rct", relevance=9, themes=["productivity"], takeaway="Home helps.", **levels)
    assess("10.1234/abc", "commentary", relevance=3)
    assess("openalex:W2741809807", "descriptive", hf_resources={"models": [], "datasets": [], "spaces": []})
    assess("10.1234/gone", "rct", retraction={"status": "retracted"}, **levels)
    assess("10.1234/twin.1", "other")
    assess("10.1234/twin.2", "other", themes=["labor_markets"])
    category = {"outcome_category": "developer_productivity"}
    claim(123, "arxiv:2603.14558", "Home staff answer more calls", direction="positive", **category)
    claim(7, "arxiv:2603.14558", "Home staff quit less often", direction="null_result", evidence_grade="medium")
    claim(8, "10.1234/abc", "Robots lower wages", direction="negative", outcome_category="wages_compensation")
    claim(9, "openalex:W2741809807", "Skills age quickly", locator=None)
    claim(10, "openalex:W2741809807", "Skills age", forecast_or_normative=True)
    claim(11, "10.1234/gone", "Home staff answer all calls", direction="positive", **category)
    claim(12, "10.1234/twin.1", "Twins agree", outcome_category="Office Mood", direction="mixed")
    claim(13, "10.1234/twin.2", "Twins agree again")
    folder.relate(1, "supports", 12, 123, confidence=0.9)
    folder.relate(2, "contradicts", 8, 123, confidence=0.4)
    folder.relate(3, "supports", 11, 123)
    folder.relate(4, "extends", 123, 13)
    folder.authors = [
        {
            "author_id": 1,
            "display_name": "José García",
            "paper_ids": ["arxiv:2603.14558"],
            "orcid": "0000-0002-1825-0097",
        },
        {"author_id": 2, "display_name": "José García", "paper_ids": ["openalex:W2741809807"]},
    ]
    folder.digests = {
        "2026-04-03": "# Home again\n\nSee https://arxiv.org/abs/2603.14558 and doi:10.1234/abc.\n",
        "2026-04-10": "No heading, no link.\r\n",
        "2026-04-17": "# Third\n",
    }
    return folder


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    root = tmp_path_factory.mktemp("evidence")
    opened = filled(Folder(root)).opened(root / "built", embedder=HashingEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "sources")
