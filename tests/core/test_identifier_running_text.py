"""Identifiers in running text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.identifiers import Identifier, IdentifierKind, Via, find_all, parse

SICI = "10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6"


def keys(text: str) -> list[str]:
    return [found.key for found in find_all(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("nothing to see in 2017, pages 10.5 to 12", []),
        ("Smith 2020, doi:10.1000/182. Next.", ["doi:10.1000/182"]),
        ("(see 10.1234/foo).", ["doi:10.1234/foo"]),
        (f"Published as {SICI}.", [f"doi:{SICI.lower()}"]),
        (f"Published as {SICI.replace('<', '&lt;').replace('>', '&gt;')}.", [f"doi:{SICI.lower()}"]),
        (f"<https://doi.org/{SICI}>", [f"doi:{SICI.lower()}"]),
        (
            "10.1577%2F1548-8659(1981)110%3C446%3AEOTOFR%3E2.0.CO%3B2",
            ["doi:10.1577/1548-8659(1981)110<446:eotofr>2.0.co;2"],
        ),
        ("10.1000/182,10.1000/183;doi:10.1000/184", ["doi:10.1000/182", "doi:10.1000/183", "doi:10.1000/184"]),
        ("doi = {10.1000/182},year={2020}", ["doi:10.1000/182"]),
        ('<a href="https://doi.org/10.1000/182">10.1000/182</a>', ["doi:10.1000/182"]),
        ("[paper](https://arxiv.org/abs/1706.03762), [code](https://github.com/a/b)", ["arxiv:1706.03762"]),
        ("<https://doi.org/10.1000/182>,<https://doi.org/10.1000/183>", ["doi:10.1000/182", "doi:10.1000/183"]),
        ("arXiv preprint arXiv:1706.03762v5 [cs.CL], 2017", ["arxiv:1706.03762"]),
        ("arXiv: math.GT/0309136 and arxiv.org/abs/hep-th/9711200v1", ["arxiv:math/0309136", "arxiv:hep-th/9711200"]),
        ("an unmarked hep-th/9711200 is no identifier here", []),
        ("bare 1706.03762 counts, 2413.99999 and $1706.0376 do not", ["arxiv:1706.03762"]),
        ("1706.037621 and 11706.03762 and 1706.03762.5 do not count", []),
        ("marked arXiv:2413.99999 counts", ["arxiv:2413.99999"]),
        ("marked arXiv:2401.12345v0 does not", []),
        ("10.48550/arXiv.1706.03762 is arXiv:1706.03762", ["arxiv:1706.03762"]),
        ("PMID: 9659853; PMCID: PMC3531190. PMCID 3531190", ["pmid:9659853", "pmcid:PMC3531190"]),
        ("PMID:0, PMC0, pmid 12x", []),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0266781", []),
        ("https://link.springer.com/content/pdf/10.1007/s1-z.pdf (open)", ["doi:10.1007/s1-z"]),
        (
            "see www.semanticscholar.org/arxiv/1706.03762, hf.co/papers/1810.04805.",
            ["arxiv:1706.03762", "arxiv:1810.04805"],
        ),
        ("mail user@arxiv.org/abs/1706.03762 or ftp://arxiv.org/abs/1706.03762", []),
        ("10.1234/" + "a" * 300 + " then 10.1000/182", ["doi:10.1000/182"]),
        ("10.1234/ 10.1000/182", ["doi:10.1000/182"]),
        ("control 10.1000/182\x07 and \ud800 are no matter", ["doi:10.1000/182"]),
        ("10.1016/S0370\u20101573\u200b(98)00122\u20103", ["doi:10.1016/s0370-1573(98)00122-3"]),
    ],
)
def test_text_gives_its_identifiers_in_order(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_first_spelling_of_each_key_is_given() -> None:
    assert find_all(
        "10.1000/ABC. Also 10.1000/abc, arXiv:1706.03762v2 and 1706.03762v7; 10.48550/arXiv.1810.04805"
    ) == (
        Identifier(IdentifierKind.DOI, "10.1000/ABC", None, "doi:10.1000/abc", (), True, Via.EXTRACTED),
        Identifier(IdentifierKind.ARXIV, "1706.03762", "v2", "arxiv:1706.03762", (), True, Via.EXTRACTED),
        Identifier(IdentifierKind.ARXIV, "1810.04805", None, "arxiv:1810.04805", (), True, Via.ARXIV_DOI),
    )


def test_dropped_view_part_and_final_slash_stay_alternates() -> None:
    found = find_all("https://x.org/doi/10.1000/182/pdf, then 10.24447/slc-2024-00003/ and 10.1000/183.")
    assert [one.alternates for one in found] == [("10.1000/182/pdf",), ("10.24447/slc-2024-00003",), ()]


marked = st.one_of(
    st.from_regex(r"10\.[1-9][0-9]{3,5}/[A-Za-z0-9][A-Za-z0-9._()-]{0,20}[A-Za-z0-9]", fullmatch=True),
    st.from_regex(r"arXiv:(1[5-9]|2[0-4])(0[1-9]|1[0-2])\.[0-9]{5}(v[1-9])?", fullmatch=True),
    st.from_regex(r"https://arxiv\.org/abs/[a-z]{2,8}/9[2-9](0[1-9]|1[0-2])[0-9]{3}", fullmatch=True),
    st.from_regex(r"PMID: [1-9][0-9]{2,7}", fullmatch=True),
    st.from_regex(r"PMC[1-9][0-9]{2,7}", fullmatch=True),
)
joints = st.sampled_from([" ", "\n", ", ", "; ", " and ", ". See also ", " ("])


@given(st.lists(marked, max_size=6), st.data())
def test_joined_identifiers_are_all_found_again(written: list[str], data: st.DataObject) -> None:
    text = "".join(one + data.draw(joints) for one in written)
    expected = [parse(one, titles=False, bare_digits="refuse").key for one in written]
    assert keys(text) == list(dict.fromkeys(expected))


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_is_searched_without_failing(text: str) -> None:
    assert len(set(keys(text))) == len(keys(text))
