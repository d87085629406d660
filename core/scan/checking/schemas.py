"""What the four tools take: the bounds of section 2, from which the published schemas and the checks both follow."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from core.scan.checking.shapes import (
    Anything,
    Choice,
    Field,
    Fields,
    Flag,
    Items,
    Marks,
    Text,
    Whole,
    published,
)
from core.scan.vocabulary import Bearing, Domain, EvidenceLevel, ProfileName, QueryMode, QueryType

CID = Text(pattern="[0-9a-f]{12}", note="12 hex digits in lower case, as handed out")
SCAN_ID = Text(
    pattern="[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    note="a version 4 UUID in lower case with dashes",
)
MONTH = Text(pattern="[0-9]{4}-(0[1-9]|1[0-2])", note="a month such as 2024-03")
SLUG = Text(most=40, pattern="[a-z0-9]+(-[a-z0-9]+)*", note="lower-case letters, digits and single dashes")
RATING = Whole(0, 3)

WINDOW = Fields(
    (
        Field("from", MONTH, "First month; open when absent"),
        Field("to", MONTH, "Last month; the day of the start when absent"),
    )
)
SUB_CRITERION = Fields(
    (
        Field("id", Text(64), "Your own id", required=True),
        Field("name", Text(120), "Short name", required=True),
        Field("text", Text(1_000), "What a paper must do to meet it", required=True),
    )
)
QUERY = Fields(
    (
        Field("id", Text(64), "Your own id, unique in the plan", required=True),
        Field("type", Choice(get_args(QueryType)), "What the query is for", required=True),
        Field("text", Text(500, words=30), "What is searched for", required=True),
        Field("mode", Choice(get_args(QueryMode)), "How it is searched; keyword is Boolean", default="semantic"),
        Field("target_criterion", Text(64), "Id of the sub-criterion that it serves; a gap query needs one"),
    )
)
ANCHOR = Fields(
    (
        Field("title", Text(500), "Title of a known work; title or doi is needed"),
        Field("doi", Text(256), "Its DOI or arXiv id"),
    )
)
PLAN = Fields(
    (
        Field("brief_summary", Text(4_000), "The brief in your words", required=True),
        Field("domain", Choice(get_args(Domain)), "Which sources are asked", required=True),
        Field("window", WINDOW, "When works appeared"),
        Field("sub_criteria", Items(SUB_CRITERION, 3, 6), "The questions that papers are judged by", required=True),
        Field("must_not", Items(Text(100), 0, 30), "Phrases that rule a work out", default=()),
        Field(
            "queries",
            Items(QUERY, 6, 8),
            "The searches; at least one each of direct, terminology, contradictory, review; none of gap",
            required=True,
        ),
        Field("anchors", Items(ANCHOR, 0, 20), "Works known to be relevant", default=()),
        Field("round2", Items(QUERY, 0, 8), "Gap queries; leave empty at the start", default=()),
    )
)
SCORE = Fields(
    (
        Field("cid", CID, "The candidate", required=True),
        Field("score", RATING, "Relevance", required=True),
        Field("reason", Text(300, words=20), "Why", required=True),
        Field("criteria_hit", Items(Text(64), 0, 6), "Ids of the sub-criteria that it meets", default=()),
    )
)
FLAGS = Fields(
    (
        Field("review", Flag(), "It reviews other work", default=False),
        Field("contradicts", Flag(), "It speaks against the premise", default=False),
        Field("methods_paper", Flag(), "It is about a method", default=False),
    )
)
_PROSE = Text(2_000)
ENTRY = Fields(
    (
        Field("cid", CID, "The record", required=True),
        Field("criteria", Marks(RATING), "A score for each sub-criterion id of the plan", required=True),
        Field("overall", RATING, "One judgement of the whole", required=True),
        Field("evidence_level", Choice(get_args(EvidenceLevel)), "Kind of evidence", required=True),
        Field("relation", Choice(get_args(Bearing)), "How it bears on the brief"),
        Field("flags", FLAGS, "What it is; all false when absent"),
        Field("key_finding", _PROSE, "What it found", required=True),
        Field("methodology", _PROSE, "How", required=True),
        Field("limitations", Items(Text(500), 1, 10), "What weakens it", required=True),
        Field("why_it_matters", _PROSE, "What follows from it for the brief", required=True),
        Field("relevance_reason", _PROSE, "Why it was chosen", required=True),
        Field("verification", Anything(), "Ignored: the server verifies"),
    )
)

_SCAN_ID_FIELD = Field("scan_id", SCAN_ID, "Made by you, fresh for each brief", required=True)
_SAME_SCAN_ID = Field("scan_id", SCAN_ID, "The id given to scan_start", required=True)
_ENTRIES = Field("ranked_entries", Items(ENTRY, 1, 100), "Judgements of shortlisted records")

TOOLS: Mapping[str, Fields] = MappingProxyType(
    {
        "scan_start": Fields(
            (
                _SCAN_ID_FIELD,
                Field("brief", Text(20_000), "The question, Markdown or one sentence", required=True),
                Field("queries", PLAN, "The plan of the search", required=True),
                Field("profile", Choice(get_args(ProfileName)), "How wide the search is", default="standard"),
                Field("top", Whole(1, 50), "Papers to emit", default=10),
                Field("foundational", Whole(0, 50), "Places within top for works from outside the window", default=2),
                Field("since", MONTH, "First month of the window, unless the plan has one"),
                Field("until", MONTH, "Last month of the window, unless the plan has one"),
                Field("slug", SLUG, "Name of the run; made from the scan_id when absent"),
                Field("max_candidates", Whole(25, 2_000), "Size of the pool; the profile's when absent"),
                Field("per_query", Whole(1, 100), "Hits per source and query; the profile's when absent"),
                Field("force_gap_round", Flag(), "Run the gap round whatever the profile says", default=False),
            )
        ),
        "scan_continue": Fields(
            (
                _SAME_SCAN_ID,
                Field("screen_scores", Items(SCORE, 1, 500), "Scores of whole batches"),
                Field("gap_queries", Items(QUERY, 0, 8), "Queries for the gaps; an empty array skips the round"),
                _ENTRIES,
            )
        ),
        "scan_verify": Fields((_SAME_SCAN_ID, _ENTRIES)),
        "scan_result": Fields((_SAME_SCAN_ID,)),
    }
)
"""The arguments of each tool by its name."""

ARTIFACTS = ("screen_scores", "gap_queries", "ranked_entries")


def input_schema(tool: str) -> dict[str, Any]:
    """The published schema of a tool's arguments, made anew for each call."""
    return published(TOOLS[tool])
