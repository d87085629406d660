"""Rules of the identifier grammar that hold for every text."""

import random
import re
import time
import unicodedata
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import InvalidReference
from core.identifiers import BareDigits, Identifier, IdentifierKind, Via, find_all, parse
from core.identifiers.clean import drop_tail

POLICIES: list[tuple[bool, BareDigits]] = [(True, "catalog"), (False, "refuse")]
REASONS = {
    "arxiv_bad_shape", "arxiv_missing_archive", "bare_digits", "catalog_bad_shape", "control_characters",
    "doi_bad_character", "doi_bad_registrant", "doi_empty_suffix", "doi_missing_slash", "doi_suffix_too_long",
    "empty", "not_an_identifier", "openalex_bad_shape", "pmcid_bad_shape", "pmid_bad_shape", "s2_bad_shape",
    "several_identifiers", "too_long", "unsupported_scheme", "unsupported_url",
}  # fmt: skip
FRAGMENTS = [
    "10.1234/", "10.48550/arXiv.", "1706.03762", "hep-th/9711200", "v7", "v0", "arXiv:", "arXiv ", "doi:", "pmid:",
    "PMC3531190", "pmcid: ", "W2741809807", "s2:", "CorpusId:", "catalog:", "isbn:", "https://", "arxiv.org/abs/",
    "doi.org/", "x.org/", "paperswithcode.com/paper/", "semanticscholar.org/paper/", "user@", ":8443", "?q#f", "%2F",
    "%25", "%252541", "%E2%80%90", "&lt;", "&amp;lt;", "&#60;", "<b>", "</a>", "<br />", "(", ")", "[", "]", "{",
    "}", "<", ">", '"', "'", "`", "“", "”", ".", ",", ";", ":", "!", "/", "\\", " ", "\n", "\u00a0", "\u200b",
    "\u200d", "\u2010", "\u00ad", "\ud800", "\ufffd", "\x07", "\x85", "١", "ü", "K", "ſ", "a", "B", "0", "9", "[cs.LG]",
    ".pdf", "/full", "20" * 10, "f" * 40, "title words", "foo",
]  # fmt: skip

any_character = st.characters(exclude_categories=())
soups = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)
texts = st.one_of(st.text(any_character, max_size=60), soups)
policies = st.sampled_from(POLICIES)


def read(text: str | int, policy: tuple[bool, BareDigits]) -> Identifier | None:
    """The identifier, or None for a typed refusal whose reason and message keep their promises."""
    try:
        return parse(text, titles=policy[0], bare_digits=policy[1])
    except InvalidReference as refusal:
        assert refusal.reason in REASONS
        assert len(refusal.message) <= 200
        refusal.message.encode()
        return None


def admits(policy: tuple[bool, BareDigits], kind: IdentifierKind) -> bool:
    return policy[0] or kind is not IdentifierKind.TITLE


# references A17
@given(texts, policies)
def test_any_text_is_an_identifier_or_a_typed_refusal(text: str, policy: tuple[bool, BareDigits]) -> None:
    found = read(text, policy)
    if found is not None:
        assert admits(policy, found.kind)
        assert found.key.startswith(f"{found.kind}:")
        assert len(found.alternates) <= 2
        assert found.id not in found.alternates
        assert found.plausible or found.kind is IdentifierKind.ARXIV
        f"{found.id}{found.key}{found.alternates}".encode()


# references A17
def test_ten_thousand_soups_of_fragments_raise_nothing_untyped() -> None:
    source = random.Random(20260101)
    for _ in range(10_000):
        text = "".join(source.choices(FRAGMENTS, k=source.randint(1, 14)))
        for policy in POLICIES:
            read(text, policy)


@given(st.integers(), policies)
def test_integer_is_read_as_its_decimal_text(number: int, policy: tuple[bool, BareDigits]) -> None:
    assert read(number, policy) == read(str(number), policy)


@given(texts, policies)
@example("10.1234/a%25252541", (False, "refuse"))
@example("10.1234/a%26lt%3Bb", (False, "refuse"))
@example("10.1234/a%3Cb%3E", (False, "refuse"))
@example("see 10.1234/a\ud800b and other words of a title", (True, "catalog"))
def test_printed_identifier_is_read_as_itself(text: str, policy: tuple[bool, BareDigits]) -> None:
    found = read(text, policy)
    if found is not None:
        again = read(str(found), policy)
        assert again is not None
        assert (again.kind, again.id, again.version, again.key) == (found.kind, found.id, found.version, found.key)


@given(texts)
def test_policies_differ_only_in_titles_and_digits(text: str) -> None:
    with_titles, without = (read(text, policy) for policy in POLICIES)
    if without is not None:
        assert with_titles == without
    elif with_titles is not None:
        assert with_titles.via is Via.TITLE or with_titles.kind is IdentifierKind.CATALOG


@given(
    st.from_regex(r"[0-9]{4}\.[0-9]{4,5}|[a-z]{2,6}(-[a-z]{2})?(\.[A-Z]{2})?/[0-9]{7}", fullmatch=True),
    st.integers(1, 999),
)
def test_version_is_never_in_the_key(arxiv_id: str, number: int) -> None:
    plain, versioned = (read(text, POLICIES[1]) for text in (arxiv_id, f"{arxiv_id}v{number}"))
    assert plain is not None
    assert versioned is not None
    assert (plain.version, versioned.version) == (None, f"v{number}")
    assert (plain.key, plain.id) == (versioned.key, versioned.id)


dois = st.from_regex(r"10\.[1-9][0-9]{3,8}/[A-Za-z0-9._;()/:-]{0,40}[A-Za-z0-9]", fullmatch=True).filter(
    lambda doi: not doi.startswith("10.48550/")
)


# references A22
@given(dois)
def test_case_of_a_doi_is_kept_in_its_id_and_not_in_its_key(doi: str) -> None:
    forms = [
        read(text, POLICIES[1]) for text in (doi, doi.upper(), doi.lower(), f"https://doi.org/{doi}", f"doi:{doi}")
    ]
    assert [form and form.key for form in forms] == [f"doi:{doi.lower()}"] * 5
    assert [form and form.id for form in forms] == [doi, doi.upper(), doi.lower(), doi, doi]


@given(dois, st.text(".,;:!?'\"”’»…([{<)]}>", max_size=10))
def test_tail_is_dropped_until_the_doi_ends_well(doi: str, tail: str) -> None:
    found = read(doi + tail, POLICIES[1])
    assert found is not None
    suffix = found.id.partition("/")[2]
    assert (doi + tail).startswith(found.id)
    assert suffix[-1] not in ".,;:!?'\"”’»…([{<"
    if suffix[-1] in ")]}>":
        assert balance_before_last(suffix) > 0
    if found.id != doi + tail:
        assert found.alternates[0] == doi + tail


def balance_before_last(suffix: str) -> int:
    opener = {")": "(", "]": "[", "}": "{", ">": "<"}[suffix[-1]]
    depth = 0
    for character in suffix[:-1]:
        depth += (character == opener) - (character == suffix[-1] and depth > 0)
    return depth


@given(st.text(st.sampled_from("ab.,()[]{}<>'\"”/"), max_size=40))
def test_tail_rule_is_done_in_one_go(text: str) -> None:
    kept = drop_tail(text)
    assert text.startswith(kept)
    assert drop_tail(kept) == kept


@given(texts)
def test_title_keeps_every_visible_character(text: str) -> None:
    found = read(text, POLICIES[0])
    if found is not None and found.kind is IdentifierKind.TITLE:
        seen = [c for c in text if unicodedata.category(c) != "Cf" and not c.isspace()]
        kept = [c for c in found.id if unicodedata.category(c) != "Cf" and not c.isspace()]
        assert kept == [re.sub(r"[\ud800-\udfff]", "\ufffd", c) for c in seen]


ADVERSARIES = {
    "opening brackets": "(",
    "bracket pairs": "()",
    "percent signs": "%25",
    "percent slashes": "%2F",
    "dois": "10.1234/",
    "registrants": "10.1.",
    "dois in a list": "10.1234/),",
    "dois before tags": "10.1234/<b>.",
    "dots": ".",
    "slashes": "/",
    "hyphens": "a-",
    "nested entities": "&amp;",
    "tags": "<b>",
    "open tags": "<a ",
    "schemes": "https://",
    "paths": "paper/",
    "marks": "arxiv ",
    "subjects": "x [",
    "invisible": "\u200b",
    "combining": "a\u0301",
    "digits": "1",
}


# references A17
@pytest.mark.parametrize("unit", ADVERSARIES.values(), ids=ADVERSARIES)
@pytest.mark.parametrize("before", ["", "10.1234/", "https://x.org/10.1234/", "https://arxiv.org/abs/", "see "])
def test_reading_takes_linear_time(unit: str, before: str) -> None:
    text = (before + unit * 2048)[:2048]
    for policy in POLICIES:
        assert fastest_s(partial(read, text, policy)) < 0.02
    assert fastest_s(partial(find_all, text)) < 0.02


def fastest_s(call: Callable[[], object]) -> float:
    durations = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return min(durations)
