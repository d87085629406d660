"""No answer is larger than 36,000 bytes, and what gives way does so in order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scan.answers.envelope import Envelope
from core.scan.answers.sizes import ENVELOPE_BYTES, fitted

WIDE = "界"


def answer(**payload: Any) -> Envelope:
    return Envelope("id", "complete", payload=payload)


def top(count: int, *, reason: int = 40, title: int = 40) -> list[dict[str, Any]]:
    return [
        {
            "rank": rank,
            "title": WIDE * title,
            "doi": "10.1234/" + "x" * 30,
            "url": "https://doi.org/10.1234/" + "x" * 30,
            "relevance_reason": WIDE * reason,
            "cid": "0" * 12,
        }
        for rank in range(1, count + 1)
    ]


def coverage(seeds: int) -> dict[str, Any]:
    rows = [{"seed_id": "0" * 12, "neighbours": 3, "ge2": 1, "precision": 0.333}] * seeds
    return {"run": {}, "rounds": [{"round": 1, "criteria": [{"id": "c1", "hits": 4}], "seeds": rows}], "gap_round": {}}


def test_an_answer_that_fits_is_left_as_it_is() -> None:
    envelope = answer(evidence_md="# run", top=top(3), warnings=[])
    assert fitted(envelope) is envelope


def test_the_rendered_text_is_cut_at_the_end_of_a_paper_and_says_so() -> None:
    # scan A4
    papers = [f"\n## {n}. A paper\n\n{WIDE * 300}\n" for n in range(60)]
    envelope = fitted(answer(evidence_md="# run\n" + "".join(papers), top=top(10), coverage=coverage(15)))
    text = envelope.payload["evidence_md"]
    kept = text.count("\n## ")
    assert text == "# run\n" + "".join(papers[:kept])
    assert (kept > 20, envelope.payload["evidence_md_truncated"]) == (True, True)
    assert ENVELOPE_BYTES - 1_000 < envelope.size_bytes() <= ENVELOPE_BYTES
    assert list(envelope.payload) == ["evidence_md", "evidence_md_truncated", "top", "coverage"]
    assert envelope.payload["coverage"] == coverage(15)


def test_then_seeds_go_then_reasons_are_cut_then_unverified_rows() -> None:
    # scan A4
    seeds_only = fitted(answer(evidence_md="# run", coverage=coverage(700), top=top(2, reason=300)))
    assert seeds_only.payload["coverage"]["rounds"] == [{"round": 1, "criteria": [{"id": "c1", "hits": 4}]}]
    assert (seeds_only.payload["evidence_md"], len(seeds_only.payload["top"][0]["relevance_reason"])) == ("", 300)
    rows = [{"title": "a title", "mismatches": [], "cid": "0" * 12, "state": "unverifiable"}] * 30
    reasons = fitted(answer(top=top(40, reason=400), unverified=rows, coverage=coverage(1)))
    assert {len(each["relevance_reason"]) for each in reasons.payload["top"]} == {120}
    assert len(reasons.payload["unverified"]) == 30
    many = fitted(answer(top=top(2, reason=200), unverified=rows * 20))
    assert (len(many.payload["unverified"]), many.payload["unverified_total"]) == (20, 600)


def test_a_decision_beside_coverage_fits() -> None:
    # scan A4
    records = [{"cid": f"{n:012x}", "title": "T", "abstract": WIDE * 800} for n in range(14)]
    ranking = fitted(answer(coverage=coverage(5), shortlist_records=records))
    assert ranking.size_bytes() <= ENVELOPE_BYTES
    assert [len(each["abstract"]) > 700 for each in ranking.payload["shortlist_records"]] == [True] * 14
    items = [{"cid": f"{n:012x}", "title": "T", "abstract_600": WIDE * 430} for n in range(25)]
    criteria = {"run": {}, "rounds": [{"criteria": ["x" * 3_000]}]}
    screening = fitted(answer(coverage=criteria, screen_batch={"batch": "01", "items": items}))
    assert screening.payload == {"screen_batch": {"batch": "01", "items": items}}
    unplanned = [{**each, "abstract_600": None if n == 0 else WIDE * 600} for n, each in enumerate(items)]
    larger = fitted(answer(screen_batch={"batch": "01", "items": unplanned}))
    assert larger.size_bytes() <= ENVELOPE_BYTES
    assert larger.payload["screen_batch"]["items"][0]["abstract_600"] is None


def test_fifty_wide_papers_fit_with_shorter_titles() -> None:
    # scan A4
    envelope = fitted(answer(evidence_md=f"# run\n{WIDE * 20_000}", top=top(50, reason=2_000, title=300)))
    assert envelope.size_bytes() <= ENVELOPE_BYTES
    assert [len(each["title"]) for each in envelope.payload["top"]] == [60] * 50


def test_rows_go_last() -> None:
    long = [{**each, "doi": "x" * 256, "url": "x" * 700} for each in top(50)]
    envelope = fitted(answer(top=long, unverified=[]))
    assert envelope.size_bytes() <= ENVELOPE_BYTES
    assert 20 < len(envelope.payload["top"]) < 50
    assert envelope.payload["top_total"] == 50


def test_warnings_give_way_from_the_end() -> None:
    warnings = [{"code": "query_no_hits", "text": f"{n} " + "x" * 200} for n in range(400)]
    envelope = fitted(answer(warnings=warnings))
    kept = envelope.payload["warnings"]
    assert ENVELOPE_BYTES - 300 < envelope.size_bytes() <= ENVELOPE_BYTES
    assert kept == warnings[: len(kept)]


@pytest.mark.parametrize("newline", ["\n", '"', "\\"])
@given(st.integers(1, 60), st.integers(0, 2_000), st.integers(0, 50), st.integers(0, 300), st.integers(0, 600))
@settings(max_examples=25, deadline=None)
def test_any_finished_answer_fits(newline: str, papers: int, length: int, rows: int, title: int, seeds: int) -> None:
    # scan A4
    text = "# run" + f"\n## paper\n{newline * length}" * papers
    unverified = [{"title": WIDE * title, "mismatches": ["title"], "cid": "0" * 12, "state": "mismatched"}] * rows
    envelope = answer(
        coverage=coverage(seeds), unverified=unverified, top=top(rows, reason=length, title=title), evidence_md=text
    )
    assert fitted(envelope).size_bytes() <= ENVELOPE_BYTES
