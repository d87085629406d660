"""The recorded run A replayed through the rules (scan contract 12, R1 to R7 and the table of facts).

Run B, with its gap round, is not among the shared inputs, so its column is not tested.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pybtex.database import parse_string

from core.scan.coverage import coverage_round, gap_decision
from core.scan.documents import entry_json, entry_of, plan_json, plan_of, score_json, score_of
from core.scan.expansion.seeds import seeds
from core.scan.identity.keys import family_and_initial
from core.scan.models import Candidate, Packet, Pool, Shortlist
from core.scan.picking import picked
from core.scan.profiles import PROFILES
from core.scan.rendering.bibtex import evidence_bibtex
from core.scan.rendering.markdown import evidence_markdown
from core.scan.replay.loader import RecordedRun, load, packets_of
from core.scan.selection import Selection, first_of_versions, ranked_packets, select, selection_of
from core.scan.shortlist import shortlist
from core.scan.standing import origin_count
from tests.core.scan.rendering.reading import bibtex_text, table_rows

pytestmark = [pytest.mark.shared_data]

QUICK = PROFILES["quick"]
TOP, FOUNDATIONAL = 10, 2


@pytest.fixture(scope="module")
def run(shared_data: Path) -> RecordedRun:
    return load(shared_data / "scan-run")


def cids(packets: Sequence[Packet]) -> list[str]:
    return [each.shortlisted.candidate.cid for each in packets]


def date_of(candidate: Candidate) -> str:
    return candidate.work.publication_date or ""


def selected(run: RecordedRun) -> Selection:
    assert run.shortlist is not None
    return select(run.shortlist, run.entries, run.verifications, top=TOP, foundational=FOUNDATIONAL)


def test_the_recording_is_what_the_contract_says_of_it(run: RecordedRun) -> None:
    kept = [each for each in run.pool.candidates if run.scores[each.cid].score >= 2]
    assert run.shortlist is not None
    assert {
        "rows": run.rows,
        "cids": len(run.pool.candidates),
        "batches": len(run.batches),
        "calls": 1 + len(run.batches) + 5 + 1 + 1,
        "kept": len(kept),
        "kept in the window": sum(1 for each in kept if not each.outside_window),
        "best in the window": sum(1 for each in kept if run.scores[each.cid].score == 3 and not each.outside_window),
        "shortlist": (len(run.shortlist.in_window), len(run.shortlist.outside_window)),
        "entries": len(run.entries),
        "overall 3": sum(1 for each in run.entries.values() if each.overall == 3),
        "without title ratio": sum(1 for each in run.verifications.values() if each.title_match_ratio is None),
    } == {
        "rows": 362,
        "cids": 360,
        "batches": 15,
        "calls": 23,
        "kept": 148,
        "kept in the window": 141,
        "best in the window": 31,
        "shortlist": (40, 7),
        "entries": 47,
        "overall 3": 33,
        "without title ratio": 10,
    }


def test_r1_recorded_documents_are_read_and_written_back(run: RecordedRun) -> None:
    # scan A80
    assert plan_of(plan_json(run.plan)) == run.plan
    assert {cid: score_of(score_json(each)) for cid, each in run.scores.items()} == run.scores
    assert {cid: entry_of(entry_json(each)) for cid, each in run.entries.items()} == run.entries


def test_r2_coverage_is_counted_as_recorded(run: RecordedRun) -> None:
    # scan A80
    assert run.coverage is not None
    [recorded] = run.coverage["rounds"]
    counted = coverage_round(run.pool, run.scores, run.plan, 1, run.expansions["expanded.json"]["seeds"])
    assert counted == recorded
    assert [each["pool"] for each in counted["queries"]] == [34, 36, 44, 37, 32, 34, 31, 37]
    assert [each["ge2"] for each in counted["queries"]] == [15, 20, 12, 17, 22, 11, 10, 9]
    advice = gap_decision(counted, "quick", is_forced=False)
    assert (advice.should_run, list(advice.reasons)) == (False, run.coverage["gap_round"]["reasons"])


def test_r3_seeds_are_those_recorded_in_their_order(run: RecordedRun) -> None:
    # scan A80
    searched = []
    for candidate in run.pool.candidates:
        origins = tuple(each for each in candidate.work.origins if each.relation == "query")
        if origins:
            searched.append(replace(candidate, work=replace(candidate.work, origins=origins)))
    assert list(seeds(Pool(tuple(searched)), run.scores, ())) == run.expansions["expanded.json"]["seeds"]


def test_r4_the_earlier_order_gives_the_recorded_shortlist(run: RecordedRun) -> None:
    # scan A80
    kept = [each for each in run.pool.candidates if run.scores[each.cid].score >= 2]
    kept.sort(key=date_of, reverse=True)
    kept.sort(key=lambda each: (-run.scores[each.cid].score, -origin_count(each.work)))
    inside = [each.cid for each in kept if not each.outside_window][:40]
    outside = [each.cid for each in kept if each.outside_window][:12]
    assert run.shortlist is not None
    assert inside == [each.candidate.cid for each in run.shortlist.in_window]
    assert outside == [each.candidate.cid for each in run.shortlist.outside_window]


def test_r5_our_order_differs_from_the_recording_in_eight_members(run: RecordedRun) -> None:
    # scan A80
    ours = shortlist(run.pool, run.scores, run.plan, QUICK)
    assert run.shortlist is not None
    recorded = {each.candidate.cid for each in run.shortlist.in_window}
    assert (len(ours.in_window), len(ours.outside_window)) == (40, 7)
    assert len({each.candidate.cid for each in ours.in_window} - recorded) == 8


def test_r6a_the_earlier_order_and_author_limit_give_the_recorded_evidence(run: RecordedRun) -> None:
    # scan A80
    assert run.shortlist is not None and run.evidence is not None
    packets = ranked_packets(run.shortlist, run.entries, run.verifications)
    packets.sort(key=lambda each: each.shortlisted.candidate.cid)
    packets.sort(key=lambda each: date_of(each.shortlisted.candidate), reverse=True)
    packets.sort(key=earlier_order)
    best_first = first_of_versions(packets)
    picks = picked(best_first, top=TOP, foundational=FOUNDATIONAL, is_same_author=by_family)
    earlier = selection_of(picks, best_first, 0)
    recorded = [(each.cid, row["selection_reason"]) for each, row in packets_of(run.evidence)]
    assert list(zip(cids(earlier.packets), (each.reason for each in earlier.packets), strict=True)) == recorded
    assert cids(earlier.alternates) == [each.cid for each, _ in packets_of(run.evidence, "alternates")]


def earlier_order(packet: Packet) -> tuple[int, int, int]:
    return (
        -packet.entry.overall,
        -sum(packet.entry.criteria.values()),
        -origin_count(packet.shortlisted.candidate.work),
    )


def by_family(one: Packet, other: Packet) -> bool:
    names = [[each.name for each in packet.shortlisted.candidate.work.authors[:1]] for packet in (one, other)]
    families = [family_and_initial(each[0])[0] if each else None for each in names]
    return families[0] is not None and families[0] == families[1]


def test_r6b_our_order_emits_one_other_paper(run: RecordedRun) -> None:
    # scan A80
    assert run.evidence is not None
    ours, recorded = selected(run), [each.cid for each, _ in packets_of(run.evidence)]
    assert Counter(cids(ours.packets)) - Counter(recorded) == Counter(["001aac3b436c"])
    assert Counter(recorded) - Counter(cids(ours.packets)) == Counter(["7c7b932ff81c"])
    assert [each.reason for each in ours.packets] == ["score"] * 8 + ["foundational"] * 2


def test_r7_what_is_rendered_parses_to_the_same_papers_and_ranks(run: RecordedRun, shared_data: Path) -> None:
    # scan A80
    assert run.evidence is not None
    assert run.shortlist is not None
    recorded = recorded_selection(run, run.shortlist)
    text = evidence_markdown(
        run.run, recorded, coverage=run.coverage, failed_sources=(), sub_criteria=run.plan.sub_criteria
    )
    rows = table_rows(text)
    titles = [each.work.title for each, _ in packets_of(run.evidence)]
    assert [(row[0], row[1].split(" doi:")[0]) for row in rows] == [
        (str(rank), title) for rank, title in enumerate(titles, start=1)
    ]
    ours = parse_string(evidence_bibtex(recorded), "bibtex").entries
    theirs = parse_string((shared_data / "scan-run" / "evidence.bib").read_text(), "bibtex").entries
    assert [bibtex_text(each.fields["title"]) for each in ours.values()] == titles
    assert [(each.type, key) for key, each in ours.items()] == [(each.type, key) for key, each in theirs.items()]


def recorded_selection(run: RecordedRun, found: Shortlist) -> Selection:
    assert run.evidence is not None
    by_cid = {cids([each])[0]: each for each in ranked_packets(found, run.entries, run.verifications)}
    return Selection(
        tuple(
            replace(by_cid[each.cid], rank=row["rank"], reason=row["selection_reason"])
            for each, row in packets_of(run.evidence)
        )
    )


def test_a_second_selection_and_rendering_give_equal_bytes(run: RecordedRun, shared_data: Path) -> None:
    # scan A63
    again = load(shared_data / "scan-run")
    assert selected(run) == selected(again)
    assert evidence_bibtex(selected(run)) == evidence_bibtex(selected(again))
