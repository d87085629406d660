"""The shipped evidence set keeps the rules of evidence contract sections 3 and 8, read here by themselves."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from core.identifiers import Identifier, IdentifierKind, find_all, parse
from tests.conftest import SAMPLE

EVIDENCE = SAMPLE / "evidence"
DIGESTS = sorted((EVIDENCE / "digests").iterdir())
Row = dict[str, Any]

GRADES = {"high", "low", "medium", "speculative"}
LEVELS = {"high", "low", "medium"}
DIRECTIONS = {"mixed", "negative", "null_result", "positive"}
EFFECTS = {
    *("cohens_d", "count", "dollars", "log_points"),
    *("odds_ratio", "other", "percentage", "standard_deviations"),
}
PAPER_TYPES = {
    *("commentary", "correlational", "descriptive", "other"),
    *("quasi_experimental", "rct", "review_meta", "theoretical"),
}
THEMES = {
    *("adoption", "governance", "human_ai_collab", "inequality", "innovation"),
    *("labor_markets", "org_design", "productivity", "skills_training"),
}
RELATIONS = {"supports", "contradicts", "extends", "qualifies", "replicates"}
SYMMETRIC = {"contradicts", "replicates"}
CATEGORIES = {
    *("ai_safety_ethics", "automation_exposure", "consumer_welfare", "creative_output", "decision_quality"),
    *("developer_productivity", "employment_level", "error_rate", "firm_productivity", "firm_revenue"),
    *("fiscal_macroeconomic", "governance_regulation", "hiring_recruitment", "inequality_measures"),
    *("innovation_output", "job_displacement", "labor_share_of_income", "market_structure"),
    *("organizational_efficiency", "other", "output_quality", "regulatory_compliance", "research_productivity"),
    *("skill_acquisition", "skill_obsolescence", "social_protection", "task_allocation", "task_completion_time"),
    *("team_performance", "technology_adoption_rate", "training_effectiveness", "wages_compensation"),
    *("worker_satisfaction", "worker_turnover"),
}
RETRACTIONS = {"none", "retracted", "concern", "corrected", "unknown"}
DIGEST_BYTES_MAX = 28_000

Check = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value == value.strip() != ""


def is_line(value: Any) -> bool:
    return is_text(value) and "\n" not in value


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def one_of(values: set[str]) -> Check:
    return lambda value: isinstance(value, str) and value in values


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value)) and len(value) == len(set(value))


def fields(required: dict[str, Check], optional: dict[str, Check]) -> Check:
    checks = required | optional

    def check(value: Any) -> bool:
        is_known = isinstance(value, dict) and required.keys() <= value.keys() <= checks.keys()
        return is_known and all(checks[name](each) for name, each in value.items())

    return check


def is_resource_list(value: Any) -> bool:
    is_resource = fields({"id": is_line, "url": lambda url: url.startswith("https://huggingface.co/")}, {})
    return isinstance(value, list) and all(map(is_resource, value))


KINDS: dict[str, tuple[dict[str, Check], dict[str, Check]]] = {
    "assessment": (
        {"kind": is_line, "paper_id": is_line, "paper_type": one_of(PAPER_TYPES), "themes": list_of(one_of(THEMES))},
        {
            "methods_rigor": one_of(LEVELS),
            "evidence_strength": one_of(LEVELS),
            "relevance": lambda value: is_whole(value) and value <= 10,
            "rationale": is_text,
            "takeaway": is_line,
            "summary_markdown": is_text,
            "hf_resources": fields(dict.fromkeys(("models", "datasets", "spaces"), is_resource_list), {}),
            "retraction": fields({"status": one_of(RETRACTIONS)}, {"notice_doi": is_line, "checked_at": is_line}),
        },
    ),
    "claim": (
        {
            "kind": is_line,
            "claim_id": is_whole,
            "paper_id": is_line,
            "claim_text": lambda value: is_line(value) and len(value) <= 600,
            "outcome_category": one_of(CATEGORIES),
            "evidence_grade": one_of(GRADES),
        },
        {
            "evidence_basis": lambda value: is_line(value) and len(value) <= 300,
            "direction": one_of(DIRECTIONS),
            "effect": fields(
                {"type": one_of(EFFECTS), "unit": is_line},
                {"value": is_number, "ci_low": is_number, "ci_high": is_number, "sample_size": is_whole},
            ),
            "locator": fields({"section": is_line}, {"page": is_line}),
            "forecast_or_normative": lambda value: value is True,
        },
    ),
    "relation": (
        {
            "kind": is_line,
            "relation_id": is_whole,
            "from_claim": is_whole,
            "to_claim": is_whole,
            "type": one_of(RELATIONS),
            "confidence": lambda value: is_number(value) and 0 <= value <= 1,
        },
        {"rationale": is_line},
    ),
}
IS_AUTHOR = fields(
    {"author_id": is_whole, "display_name": is_line, "paper_ids": list_of(is_line)},
    {"name_variants": list_of(is_line), "affiliations": list_of(is_line)},
)


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (SAMPLE / name).read_text().splitlines()]


def of_kind(kind: str) -> list[Row]:
    return [row for row in rows("evidence/claims.jsonl") if row["kind"] == kind]


def paper_id(row: Row) -> str:
    return f"arxiv:{row['arxiv_id']}" if "arxiv_id" in row else f"doi:{row['doi']}"


def read(reference: str) -> Identifier:
    return parse(reference, titles=False, bare_digits="refuse")


@pytest.fixture(scope="module")
def papers() -> dict[str, Row]:
    """The papers of the sample catalog that have an arXiv id or a DOI, by the id that they have as evidence."""
    return {paper_id(row): row for row in rows("paperdesk/papers.jsonl") if row.keys() & {"arxiv_id", "doi"}}


@pytest.fixture(scope="module")
def assessed() -> set[str]:
    return {row["paper_id"] for row in of_kind("assessment")}


def test_the_set_is_large_enough_to_answer_from() -> None:
    sizes = {kind: len(of_kind(kind)) for kind in KINDS}
    assert sizes["assessment"] >= 60
    assert sizes["claim"] >= 200
    assert sizes["relation"] >= 60
    assert len(rows("evidence/authors.jsonl")) >= 25
    assert len(DIGESTS) >= 6


def test_every_row_has_the_known_fields_with_values_in_bounds() -> None:
    faults = []
    for number, row in enumerate(rows("evidence/claims.jsonl"), start=1):
        required, optional = KINDS[row["kind"]]
        if not fields(required, optional)(row):
            faults.append(number)
    assert faults == []


def test_every_author_has_the_known_fields() -> None:
    assert [row for row in rows("evidence/authors.jsonl") if not IS_AUTHOR(row)] == []


def test_a_confidence_interval_has_both_ends_around_its_value() -> None:
    effects = [row["effect"] for row in of_kind("claim") if row.get("effect", {}).keys() & {"ci_low", "ci_high"}]
    assert effects
    assert [each for each in effects if not each["ci_low"] <= each["value"] <= each["ci_high"]] == []


@pytest.mark.parametrize(("kind", "name"), [("claim", "claim_id"), ("relation", "relation_id")])
def test_ids_are_given_once_and_rise_within_the_file(kind: str, name: str) -> None:
    ids = [row[name] for row in of_kind(kind)]
    assert ids == list(range(1, len(ids) + 1))


def test_assessments_come_once_for_each_paper_by_id_before_claims_and_relations() -> None:
    kinds = [row["kind"] for row in rows("evidence/claims.jsonl")]
    assert kinds == sorted(kinds)
    ids = [row["paper_id"] for row in of_kind("assessment")]
    assert ids == sorted(set(ids))


def test_every_paper_is_in_the_sample_catalog_under_its_canonical_id(
    papers: dict[str, Row], assessed: set[str]
) -> None:
    assert assessed <= papers.keys()
    for reference in assessed:
        identifier = read(reference)
        assert identifier.kind in {IdentifierKind.ARXIV, IdentifierKind.DOI}
        assert identifier.plausible
        assert (identifier.key, identifier.version) == (reference, None)


def test_identifiers_of_the_papers_are_well_formed(papers: dict[str, Row], assessed: set[str]) -> None:
    for reference in assessed:
        row = papers[reference]
        if "doi" in row:
            assert read(row["doi"]).key == f"doi:{row['doi']}"
        assert read(row["url"]).key == reference


def test_claims_belong_to_assessed_papers_and_every_assessed_paper_has_one(assessed: set[str]) -> None:
    assert {row["paper_id"] for row in of_kind("claim")} == assessed


def test_relations_join_claims_of_different_papers() -> None:
    paper = {row["claim_id"]: row["paper_id"] for row in of_kind("claim")}
    within = [row["relation_id"] for row in of_kind("relation") if paper[row["from_claim"]] == paper[row["to_claim"]]]
    assert within == []


def test_no_relation_is_given_twice_nor_a_symmetric_one_from_both_ends() -> None:
    pairs = Counter(
        (row["type"], *sorted((row["from_claim"], row["to_claim"])))
        if row["type"] in SYMMETRIC
        else (row["type"], row["from_claim"], row["to_claim"])
        for row in of_kind("relation")
    )
    assert [pair for pair, count in pairs.items() if count > 1] == []


def test_authors_wrote_the_papers_that_they_are_given(papers: dict[str, Row], assessed: set[str]) -> None:
    authors = rows("evidence/authors.jsonl")
    assert [author["author_id"] for author in authors] == list(range(1, len(authors) + 1))
    for author in authors:
        names = {author["display_name"], *author.get("name_variants", [])}
        assert author["paper_ids"] == sorted(author["paper_ids"]) != []
        assert set(author["paper_ids"]) <= assessed
        for reference in author["paper_ids"]:
            assert names & {each["name"] for each in papers[reference]["authors"]}, (author["display_name"], reference)


def test_what_is_retracted_here_is_retracted_in_the_catalog(papers: dict[str, Row]) -> None:
    here = {row["paper_id"] for row in of_kind("assessment") if row.get("retraction") == {"status": "retracted"}}
    assert here == {"arxiv:2412.17866"}
    assert {reference for reference in here if papers[reference].get("is_retracted")} == here


@pytest.mark.parametrize("path", DIGESTS, ids=lambda path: path.name)
def test_a_digest_is_named_by_a_day_and_links_to_papers_of_the_set(path: Any, assessed: set[str]) -> None:
    assert path.suffix == ".md"
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", path.stem)
    assert date.fromisoformat(path.stem).isoformat() == path.stem
    text = path.read_bytes().decode()
    assert "\r" not in text
    assert text.startswith("# ")
    assert len(json.dumps(text, ensure_ascii=False).encode()) <= DIGEST_BYTES_MAX
    links = re.findall(r"\]\((https://[^)\s]+)\)", text)
    assert len(links) >= 4
    assert {read(link).key for link in links} <= assessed
    assert text.count("](") == len(links)


def test_a_reader_of_running_text_finds_the_papers_of_the_digests_too(assessed: set[str]) -> None:
    found = {each.key for path in DIGESTS for each in find_all(path.read_text())}
    assert len(found & assessed) >= 60
    assert {key for key in found if key.startswith(("arxiv:", "doi:"))} <= assessed
