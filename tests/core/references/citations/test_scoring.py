"""How well records answer citation texts, by both scores."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Author, Work
from core.references.citations.scoring import Evidence, Score, score
from core.references.citations.tokens import content, folded_tokens, plain_tokens


def work(title: str, authors: tuple[str, ...] = (), venue: str | None = None, year: int | None = None) -> Work:
    people = tuple(Author(name, *name.split(", ")) for name in authors)
    return Work("doi:10.1000/1", doi="10.1000/1", title=title, authors=people, venue=venue, year=year)


TRANSFORMER = work(
    "Attention Is All You Need",
    ("Vaswani, Ashish", "Shazeer, Noam"),
    "Advances in Neural Information Processing Systems",
    2017,
)


# references A78
@pytest.mark.parametrize(
    ("query", "candidate", "compatible", "confidence", "rank_score", "verdict"),
    [
        ("Vaswani et al. Attention is all you need. NeurIPS 2017", TRANSFORMER, 0.7, "weak", 0.94, "match"),
        (
            "Vaswani Attention is all you need 2017",
            work(
                "Attention Based Spatial-Temporal Graph Convolutional Networks for Traffic Flow Forecasting",
                ("Guo, Shengnan",), "AAAI", 2019,
            ),
            0.143, "weak", 0.072, "no_match",
        ),
        ("Vaswani 2017", TRANSFORMER, 1.0, "exact", 0.457, "no_match"),
        (
            "Muller J. Uber die Entstehung der Sprache 1998",
            work("Über die Entstehung der Sprache", ("Müller, Jörg",), "Linguistische Berichte", 1998),
            0.625, "weak", 1.0, "match",
        ),
        (
            "Michalak quality life bipolar 2010 J Affect Disord",
            work("Quality of life in bipolar disorder: a review", ("Other, Ann",), "Bipolar Disorders", 2010),
            0.5, "weak", 0.427, "no_match",
        ),
        (
            "Smith Deep learning for traffic prediction 2019",
            work("Deep learning", ("LeCun, Yann", "Bengio, Yoshua", "Hinton, Geoffrey"), "Nature", 2015),
            0.286, "weak", 0.311, "no_match",
        ),
    ],
)  # fmt: skip
def test_known_citations_score_as_the_contract_says(
    query: str, candidate: Work, compatible: float, confidence: str, rank_score: float, verdict: str
) -> None:
    found = score(query, candidate)
    assert (round(found.score, 3), found.confidence) == (compatible, confidence)
    assert (found.evidence.rank_score, found.evidence.verdict) == (rank_score, verdict)


def test_matched_are_the_words_that_were_found_in_the_order_of_the_query() -> None:
    found = score("Vaswani et al. Attention is all you need. NeurIPS 2017, attention!", TRANSFORMER)
    assert found.matched == ("vaswani", "attention", "is", "all", "you", "need", "2017")


@pytest.mark.parametrize(
    ("value", "confidence"), [(1.0, "exact"), (0.999, "exact"), (0.99, "probable"), (0.8, "probable"), (0.79, "weak")]
)
def test_confidence_follows_the_score(value: float, confidence: str) -> None:
    assert Score(value, (), Evidence(0.0, None, None, None)).confidence == confidence


@pytest.mark.parametrize(
    ("text", "plain", "folded"),
    [
        ("Über 2 Über_uns", ("über", "2", "uns"), ("uber", "2", "uns")),
        ("STRASSE Straße", ("strasse", "straße"), ("strasse",)),
        ("Œuvre Æther Łódź Đặng Søren ıspanak", ("œuvre", "æther", "łódź", "đặng", "søren", "ıspanak"),
         ("oeuvre", "aether", "lodz", "dang", "soren", "ispanak")),
        ("Mu\u0308ller", ("müller",), ("muller",)),
        ("x² №5", ("x²", "5"), ("x2", "no5")),
        ("?!", (), ()),
    ],
)  # fmt: skip
def test_words_are_split_and_folded(text: str, plain: tuple[str, ...], folded: tuple[str, ...]) -> None:
    assert (plain_tokens(text), folded_tokens(text)) == (plain, folded)


def test_content_words_say_something_unless_too_few_stay() -> None:
    assert content(("attention", "is", "all", "you", "need", "x")) == ("attention", "all", "you", "need")
    assert content(("on", "the", "origin")) == ("on", "the", "origin")
    assert content(()) == ()


@pytest.mark.parametrize(
    ("query", "author"),
    [
        ("Vaswani Attention all you need", 1.0),
        ("Shazeer Attention all you need", 0.6),
        ("Smith Attention all you need", 0.0),
        ("Attention is all you need", None),
    ],
)
def test_the_first_author_counts_most_and_a_title_alone_asks_for_none(query: str, author: float | None) -> None:
    assert score(query, TRANSFORMER).evidence.author == author


def test_authors_are_absent_where_the_record_has_none() -> None:
    assert score("Smith Attention all you need", replace(TRANSFORMER, authors=())).evidence.author is None


def test_every_word_of_a_family_must_be_there() -> None:
    berg = work("On graphs", ("van der Berg, Jan",))
    assert score("van der Berg On graphs of trees", berg).evidence.author == 1.0
    assert score("Berg On graphs of trees", berg).evidence.author == 0.0


@pytest.mark.parametrize(
    ("query", "year", "part"),
    [
        ("Attention 2017", 2017, 1.0),
        ("Attention 2018", 2017, 0.5),
        ("Attention 2019", 2017, 0.0),
        ("Attention 1999 2017", 2017, 1.0),
        ("Attention", 2017, None),
        ("Attention 2017", None, None),
        ("Attention 1499", 1499, None),
        ("Attention 2017", 2100, None),
        ("Attention 02017", 2017, None),
    ],
)
def test_years_are_equal_near_or_apart(query: str, year: int | None, part: float | None) -> None:
    assert score(query, work("Attention", year=year)).evidence.year == part


def test_a_venue_counts_when_the_text_speaks_of_it() -> None:
    article = work("Deep learning", ("LeCun, Yann",), "Nature Machine Intelligence", 2015)
    assert score("LeCun Deep learning Nature 2015", article).evidence == Evidence(1.0, 1.0, 1.0, 1 / 3)
    assert score("LeCun Deep learning 2015", article).evidence.venue is None
    # Words that the title has too say nothing about the venue.
    assert score("Deep learning", work("Deep learning", venue="Learning")).evidence.venue is None


@pytest.mark.parametrize(
    ("evidence", "rank_score", "verdict"),
    [
        (Evidence(1.0, 1.0, 1.0, 1.0), 1.0, "match"),
        (Evidence(1.0, 0.6, None, None), 0.85, "match"),
        (Evidence(1.0, None, 0.5, None), 0.903, "match"),
        # Each of these is a near miss by one part alone.
        (Evidence(0.69, 1.0, 1.0, 1.0), 0.845, "likely"),
        (Evidence(1.0, 1.0, 0.0, None), 0.87, "likely"),
        (Evidence(1.0, 0.0, 1.0, 1.0), 0.7, "likely"),
        (Evidence(0.49, 1.0, 1.0, 1.0), 0.745, "no_match"),
        (Evidence(0.59, None, None, None), 0.59, "no_match"),
        (Evidence(None, None, None, None), 1.0, "match"),
    ],
)
def test_a_near_miss_is_no_match(evidence: Evidence, rank_score: float, verdict: str) -> None:
    assert (evidence.rank_score, evidence.verdict) == (rank_score, verdict)


def test_an_identifier_in_the_text_is_no_word_of_the_title() -> None:
    query = "LeCun, Deep learning, Nature 2015, doi:10.1038/nature14539"
    article = work("Deep learning", ("LeCun, Yann",), "Nature", 2015)
    assert score(query, article).evidence.title == pytest.approx(0.8)
    named = score(query, article, identifier="doi:10.1038/nature14539")
    assert (named.evidence, named.confidence) == (Evidence(1.0, 1.0, 1.0, 1.0), "exact")


def test_a_text_that_is_only_an_identifier_is_matched_by_what_it_names() -> None:
    found = score("doi:10.1000/182", TRANSFORMER, identifier="doi:10.1000/182")
    assert (found.score, found.evidence, found.evidence.verdict) == (1.0, Evidence(None, None, None, None), "match")
    with_author = score("Vaswani 2017 doi:10.1000/182", TRANSFORMER, identifier="doi:10.1000/182")
    assert (with_author.evidence, with_author.evidence.verdict) == (Evidence(None, 1.0, 1.0, None), "match")
    wrong = score("Smith, Deep learning, 2015 doi:10.1000/182", TRANSFORMER, identifier="doi:10.1000/182")
    assert wrong.evidence.verdict == "no_match"


def test_a_text_without_words_and_a_record_without_a_title_score_nothing() -> None:
    assert score("?!", TRANSFORMER).score == 0.0
    assert score("Attention", work("")).evidence == Evidence(0.0, None, None, None)


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=20))
def test_scores_stay_within_their_bounds(query: str, title: str, venue: str) -> None:
    found = score(query, work(title, venue=venue))
    assert 0 <= found.score <= 1
    assert 0 <= found.evidence.rank_score <= 1
    assert set(found.matched) <= set(plain_tokens(query))


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{4,8}", fullmatch=True), min_size=2, max_size=6, unique=True))
def test_a_full_citation_matches_its_own_work(words: list[str]) -> None:
    own = work(" ".join(words), ("Vaswani, Ashish",), None, 2017)
    assert score(f"Vaswani {' '.join(words)} 2017", own).evidence.verdict == "match"
