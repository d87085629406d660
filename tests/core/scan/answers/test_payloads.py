"""What is handed out for each action, and how far a scan is."""

from typing import Any

import pytest

from core.scan.answers.pages import cut_bytes, size_of
from core.scan.answers.payloads import rank_shortlist, screen_candidates, without_decision, write_gap_queries
from core.scan.answers.progress import current_page, open_batches, progress
from core.scan.answers.results import Emitted, ScanView, result_payload
from core.scan.checking import verify
from core.scan.models import (
    Batch,
    Candidate,
    FoundWork,
    Ids,
    Origin,
    Packet,
    Pool,
    RankedEntry,
    ScanAuthor,
    Shortlist,
    Shortlisted,
    Verification,
)
from tests.core.scan.sent import SCAN_ID, sent_entry

RUBRIC = {"prompt": "scan_rank", "uri": "scan-rubric://rank", "version": "0123456789ab", "text": "long"}
SHOWN_RUBRIC = {"prompt": "scan_rank", "uri": "scan-rubric://rank", "version": "0123456789ab"}


def cid_of(number: int) -> str:
    return f"{number:012x}"


def listed(number: int, **work: Any) -> Shortlisted:
    return Shortlisted(Candidate(cid_of(number), FoundWork(**{"title": f"Work {number}", **work})), 2)


def entry(cid: str) -> RankedEntry:
    asked = verify({"scan_id": SCAN_ID, "ranked_entries": [sent_entry(cid, relation="closely-related")]})
    assert asked.ranked_entries is not None
    return asked.ranked_entries[0]


def test_a_batch_is_handed_out_as_it_was_made() -> None:
    # scan A19
    item = {
        "cid": cid_of(1),
        "title": "T",
        "abstract_600": None,
        "year": None,
        "venue": None,
        "origin_count": 1,
        "outside_window": False,
    }
    batch = {"batch": "01", "sub_criteria": [], "items": [item]}
    assert screen_candidates(batch, [f"{n:02}" for n in range(1, 120)], RUBRIC) == {
        "screen_batch": batch,
        "open_batches": [f"{n:02}" for n in range(1, 101)],
        "rubric": SHOWN_RUBRIC,
    }


def test_gap_queries_are_asked_for_with_the_reasons_and_the_thin_criteria() -> None:
    advice = {"should_run": True, "profile": "standard", "forced": False, "reasons": ("weakest 4 < 8",)}
    coverage = {"round": 1, "criteria": [{"id": "c1", "hits": 4}, {"id": "c2", "hits": 5}]}
    assert write_gap_queries(advice, coverage) == {
        "gap_round": {"should_run": True, "profile": "standard", "forced": False, "reasons": ["weakest 4 < 8"]},
        "coverage": coverage,
        "thin": ["c1"],
    }


def test_a_page_is_handed_out_whole_until_all_its_records_are_ranked() -> None:
    # scan A32
    shortlist = Shortlist(tuple(listed(n) for n in range(12)), tuple(listed(n) for n in range(12, 25)))

    def page(ranked: int) -> list[str]:
        payload = rank_shortlist(shortlist, {cid_of(n) for n in range(ranked)})
        return [each["cid"] for each in payload["shortlist_records"]]

    pages = [[cid_of(n) for n in numbers] for numbers in (range(10), range(10, 20), range(20, 25))]
    assert [page(ranked) for ranked in (0, 9, 10, 19, 20, 25)] == [pages[n] for n in (0, 0, 1, 1, 2, 2)]
    assert rank_shortlist(Shortlist(), ()) == {"shortlist_records": []}
    assert without_decision(RUBRIC) == {"rubric": SHOWN_RUBRIC}


def test_a_record_shows_the_first_authors_and_origins_and_counts_all() -> None:
    authors = tuple(ScanAuthor(f"Author {n}") for n in range(500))
    origins = tuple(Origin("s2", "query", "Q1", None, n) for n in range(30))
    work = {"authors": authors, "origins": origins, "abstract": "界" * 2_000}
    shown = rank_shortlist(Shortlist((listed(1, **work),)), ())["shortlist_records"][0]
    assert [each["name"] for each in shown["authors"]] == [f"Author {n}" for n in range(8)]
    assert (shown["author_count"], len(shown["origins"]), shown["origin_count"]) == (500, 10, 30)
    assert (shown["abstract"], shown["score"]) == ("界" * 800, 2)


@pytest.mark.parametrize("length", [0, 50, 1_000, 5_000])
def test_a_page_never_exceeds_its_bytes_and_cuts_abstracts_first_and_all_alike(length: int) -> None:
    # scan A4
    long = "界" * length
    authors = tuple(ScanAuthor(f"{n}{long}", "s" * 10, "A" * 10) for n in range(500))
    origins = tuple(Origin("openalex", "query", "界" * 30, None, n) for n in range(40))
    works = [listed(n, title=f"{n}{long}", abstract="界" * 4_000, authors=authors, origins=origins) for n in range(10)]
    records = rank_shortlist(Shortlist(tuple(works)), ())["shortlist_records"]
    assert size_of(records) <= 34_000
    assert len({len(each["abstract"]) for each in records}) == 1
    if length == 0:
        assert len(records[0]["authors"]) == 8 and size_of(records) > 33_900


def test_bytes_are_cut_between_characters() -> None:
    assert [cut_bytes("a界b", size) for size in range(6)] == ["", "a", "a", "a", "a界", "a界b"]
    assert cut_bytes(None, 3) is None


def test_progress_counts_batches_and_pages() -> None:
    pool = Pool(tuple(each.candidate for each in map(listed, range(3))), {"f" * 12: cid_of(0)})
    batches = [Batch("01", (cid_of(0), cid_of(1))), Batch("02", (cid_of(2), "f" * 12))]
    assert progress(pool, batches, {cid_of(0), cid_of(2)}) == {"batches_scored": 1, "batches_total": 2}
    assert open_batches(pool, batches, {cid_of(2)}) == ("01", "02")
    shortlist = Shortlist(tuple(map(listed, range(11))))
    counts = {"emitted": 3, "retrieved": 40, "deduped": None, "wall_clock_s": 1.5}
    told = progress(pool, batches, (), counts=counts, shortlist=shortlist, ranked={cid_of(n) for n in range(10)})
    assert list(told["counts"].items()) == [("retrieved", 40), ("emitted", 3), ("wall_clock_s", 1.5)]
    assert (told["ranked"], told["shortlisted"], told["page"], told["of"]) == (10, 11, 2, 2)


def test_there_is_always_one_page() -> None:
    assert current_page([], ()) == (1, 1)
    assert current_page([cid_of(n) for n in range(20)], {cid_of(n) for n in range(20)}) == (2, 2)


def test_a_result_before_the_end_carries_the_decision() -> None:
    view = ScanView(
        SCAN_ID,
        {"engine": "1"},
        coverage={"run": {}, "rounds": []},
        decision={"gap_round": {}, "coverage": {"round": 1}, "thin": []},
        source_health={"s2": {"queried": 6}},
    )
    assert list(result_payload(view).items()) == [
        ("run_dir", f"scan-run://{SCAN_ID}/"),
        ("coverage", {"run": {}, "rounds": []}),
        ("unverified", []),
        ("gap_round", {}),
        ("thin", []),
        ("source_health", {"s2": {"queried": 6}}),
        ("versions", {"engine": "1"}),
    ]


def test_a_complete_result_has_the_papers_the_text_and_what_is_not_verified() -> None:
    good = listed(1, year=2025, ids=Ids(doi="10.1/a"))
    bad = listed(2)
    verdicts = {
        cid_of(1): Verification("verified"),
        cid_of(2): Verification("mismatched", mismatches=("title", "year")),
    }
    packet = Packet(good, entry(cid_of(1)), verdicts[cid_of(1)], 1, "score", "https://doi.org/10.1/a")
    view = ScanView(SCAN_ID, {}, None, Shortlist((good,), (bad,)), verdicts, Emitted([packet], "# run\n"))
    assert result_payload(view) == {
        "run_dir": f"scan-run://{SCAN_ID}/",
        "unverified": [{"title": "Work 2", "mismatches": ["title", "year"], "cid": cid_of(2), "state": "mismatched"}],
        "evidence_json": f"scan-run://{SCAN_ID}/evidence.json",
        "top": [
            {
                "rank": 1,
                "title": "Work 1",
                "year": 2025,
                "doi": "10.1/a",
                "url": "https://doi.org/10.1/a",
                "evidence_level": "other",
                "verified": True,
                "selection_reason": "score",
                "relation": "closely-related",
                "relevance_reason": "It is near",
                "cid": cid_of(1),
                "verification_state": "verified",
            }
        ],
        "evidence_md": "# run\n",
        "versions": {},
    }
