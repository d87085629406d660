"""What holds for every corpus and every call: filters, totals, orders and ids."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.evidence.folding import folded_text, tokens, units
from core.evidence.listing import bytes_of
from core.evidence.snippets import SNIPPET_CHARS, best_snippet
from core.evidence.vocabulary import DIRECTIONS, EFFECT_TYPES, EVIDENCE_GRADES, LEVELS, PAPER_TYPES
from tests.evidence_room import Folder, Room, run
from tests.hashing_embedder import HashingEmbedder

WORDS = ("alpha", "beta", "gamma", "delta", "京都市", "naïve", "co-op")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def maybe(values: Any) -> Any:
    return st.none() | st.sampled_from(values)


PAPERS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(PAPER_TYPES), "rigor": maybe(LEVELS), "title": TEXTS}),
    min_size=2,
    max_size=4,
)
CLAIMS = st.lists(
    st.fixed_dictionaries(
        {
            "paper": st.integers(0, 1),
            "text": TEXTS,
            "direction": maybe(DIRECTIONS),
            "grade": st.sampled_from(EVIDENCE_GRADES),
            "effect": maybe(EFFECT_TYPES),
            "category": st.sampled_from(("error_rate", "firm_revenue", "other")),
        }
    ),
    min_size=1,
    max_size=12,
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "query": TEXTS,
        "direction": st.sampled_from(DIRECTIONS),
        "evidence_grade": st.sampled_from(EVIDENCE_GRADES),
        "effect_type": st.sampled_from(EFFECT_TYPES),
        "paper_type": st.sampled_from(PAPER_TYPES),
        "outcome_category": st.sampled_from(("error_rate", "firm_revenue", "other")),
        "min_evidence_weight": st.floats(0, 1),
    },
)


def built(root: Path, papers: list[dict[str, Any]], claims: list[dict[str, Any]], *, reverse: bool = False) -> Room:
    folder = Folder(root / "sources")
    for number, paper in enumerate(papers):
        folder.paper(
            f"p{number}", paper["title"], doi=f"10.5555/p{number}", authors=["Ann Lee", f"Bo {'ABCD'[number]}"]
        )
        levels = {"methods_rigor": paper["rigor"]} if paper["rigor"] else {}
        folder.assess(f"10.5555/p{number}", paper["type"], **levels)
    for number, claim in enumerate(claims, start=1):
        effect = {"type": claim["effect"]} if claim["effect"] else None
        folder.claim(
            number,
            f"10.5555/p{claim['paper']}",
            claim["text"],
            direction=claim["direction"],
            evidence_grade=claim["grade"],
            effect=effect,
            outcome_category=claim["category"],
        )
    if reverse:
        folder.claims.reverse()
        folder.papers.reverse()
    return folder.opened(root / "built")


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(papers=PAPERS, claims=CLAIMS, calls=st.lists(ASKED, min_size=1, max_size=5))
def test_filters_totals_and_orders_hold_for_every_corpus(
    papers: list[dict[str, Any]], claims: list[dict[str, Any]], calls: list[dict[str, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        room, turned = built(Path(one), papers, claims), built(Path(other), papers, claims, reverse=True)
        for asked in calls:
            page = run(room.desk.search_claims(**asked, limit=50))
            assert run(turned.desk.search_claims(**asked, limit=50)) == page
            assert page.total == page.returned == len(page.results)
            for row in page.results:
                _check(row, papers, asked)
            if "query" not in asked:
                expected = [each for each in _everything(room) if _passes(each, papers, asked)]
                assert list(page.results) == expected
            assert run(room.desk.search_claims(**asked, limit=1)).total == page.total
        for hit in run(room.connector.search(query="alpha")).results:
            assert run(room.connector.fetch(id=hit.id)).id == hit.id
        for author in run(room.desk.find_authors(limit=50)).results:
            assert run(room.desk.get_author_papers(author_id=author.author_id)).total == author.paper_count
        room.close()
        turned.close()


def _everything(room: Room) -> list[Any]:
    return list(run(room.desk.search_claims(limit=50)).results)


def _passes(row: Any, papers: list[dict[str, Any]], asked: dict[str, Any]) -> bool:
    try:
        _check(row, papers, asked)
    except AssertionError:
        return False
    return True


def _check(row: Any, papers: list[dict[str, Any]], asked: dict[str, Any]) -> None:
    shown = {
        "direction": row.direction,
        "evidence_grade": row.evidence_grade,
        "effect_type": row.effect and row.effect.type,
        "paper_type": papers[int(row.paper_id[-1])]["type"],
        "outcome_category": row.outcome_category,
    }
    for name, value in shown.items():
        assert name not in asked or asked[name] == value
    assert row.evidence_weight >= asked.get("min_evidence_weight", 0)


@given(st.text(max_size=60))
def test_folding_is_stable_and_queries_are_never_operators(text: str) -> None:
    folded = folded_text(text)
    assert folded_text(folded).replace(" ", "") in folded.replace(" ", "") or not folded.isascii()
    assert [token for unit in units(text.replace('"', " ")) for token in unit.tokens] == list(
        dict.fromkeys(tokens(text.replace('"', " ")))
    )


@given(st.text(max_size=800), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_a_snippet_is_short_and_marks_a_word(text: str, words: list[str]) -> None:
    found = best_snippet([f"{text} {' '.join(words)} {text}"], frozenset(tokens(" ".join(words))))
    assert found is not None
    assert "**" in found
    assert len(found) <= SNIPPET_CHARS


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=80))
def test_any_query_is_answered_or_refused_cleanly(room: Room, query: str) -> None:
    # evidence A36
    for search in (room.desk.search_claims, room.desk.search_papers, room.desk.find_authors):
        try:
            page = run(search(query=query))
        except InvalidInput:
            # A character that has no meaning yet may be a word, and is no letter of a name.
            assert not tokens(query) or not any(map(str.isalnum, query))
        else:
            assert bytes_of(page) <= 32_000


def test_no_page_is_over_its_size_on_the_worst_corpus(tmp_path: Path) -> None:
    # evidence A41
    folder = Folder(tmp_path / "sources")
    long = "字" * 1_500
    for number in range(50):
        folder.paper(
            f"p{number}", f"{number} {long}", doi=f"10.5555/p{number}", authors=[f"{long}{n}" for n in range(9)]
        )
        folder.assess(f"10.5555/p{number}", takeaway=long, rationale=long, summary_markdown=long)
        locator = {"section": long, "quote": long}
        folder.claim(number + 1, f"10.5555/p{number}", long, evidence_basis=long, locator=locator)
    folder.digests = {"2026-04-03": "# " + "字" * 9_000}
    room = folder.opened(tmp_path / "built", embedder=HashingEmbedder())
    desk = room.desk
    for limit, most in ((20, 32_000), (50, 60_000)):
        for page in (
            run(desk.search_claims(limit=limit)),
            run(desk.search_claims(query="字字", limit=limit)),
            run(desk.search_papers(limit=limit)),
            run(desk.search_papers(query="字字", limit=limit)),
        ):
            assert bytes_of(page) <= most
            assert page.returned >= 1
            assert page.has_more
        assert bytes_of(run(desk.find_authors(limit=limit))) <= most
        author = run(desk.find_authors(limit=1)).results[0].author_id
        assert bytes_of(run(desk.get_author_papers(author_id=author, limit=limit))) <= most
    for search_type in ("claims", "papers"):
        for limit, most in ((10, 32_000), (20, 60_000)):
            found = run(desk.semantic_search(query=f"1 {long}", search_type=search_type, limit=limit))
            assert found.returned >= 1
            assert bytes_of(found) <= most
    assert bytes_of(run(desk.get_paper(paper_id="10.5555/p1"))) <= 32_000
    assert 27_000 < bytes_of(run(desk.get_digest(date="2026-04-03"))) <= 32_000
    room.close()
