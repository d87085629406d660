"""Safekeys and digests: the contract's vectors."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidReference
from core.identifiers import Identifier, parse
from core.records import Work
from core.references.safekeys import canonical_digest, safekey


def read(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


# references A24
@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("10.1234/example", "doi_10.1234_example"),
        ("10.1016/S0370-1573(98)00122-3", "doi_10.1016_S0370-1573_98_00122-3"),
        ("10.1023/A:1018054314350", "doi_10.1023_A_1018054314350"),
        (
            "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
            "doi_10.1002_SICI_1097-4571_199806_49_8_693_AID-ASI4_3.0.CO_2-O",
        ),
        ("10.24447/slc-2024-00003/", "doi_10.24447_slc-2024-00003"),
        ("cond-mat/9501001v2", "arxiv_cond-mat_9501001v2"),
        ("math.GT/0309136", "arxiv_math.GT_0309136"),
        (f"10.1234/{'a' * 180}", f"doi_10.1234_{'a' * 180}"),
        ("10.1234/a(b)", "doi_10.1234_a_b"),
        ("10.1234/a_b", "doi_10.1234_a_b"),
        ("10.1234/a/b", "doi_10.1234_a_b"),
    ],
)
def test_an_id_has_its_safekey(id: str, expected: str) -> None:
    assert safekey(read(id)) == expected


# references A24
@pytest.mark.parametrize(("letters", "ending"), [(181, "_0fb3255a"), (220, "_01fe6dd1")])
def test_a_long_id_is_cut_and_told_apart_by_its_digest(letters: int, ending: str) -> None:
    found = safekey(read(f"10.1234/{'a' * letters}"))
    assert (len(found), found[-9:]) == (201, ending)


def test_the_longest_doi_gives_201_characters() -> None:
    # references A24
    assert len(safekey(read(f"10.1234/{'a' * 256}"))) == 201


def test_a_known_record_has_the_safekey_of_its_registered_spelling() -> None:
    # references A22
    work = Work("doi:10.1038/nature14539", doi="10.1038/nature14539", doi_registered="10.1038/Nature14539")
    found = {safekey(read(doi), work) for doi in ("10.1038/NATURE14539", "10.1038/nature14539")}
    assert found == {"doi_10.1038_Nature14539"}
    assert safekey(read("10.1000/182"), work) == "doi_10.1000_182"


def test_other_kinds_have_no_safekey() -> None:
    with pytest.raises(ValueError, match="safekey"):
        safekey(read("pmid:9659853"))


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_safekey_is_always_safe(suffix: str) -> None:
    try:
        identifier = read(f"10.1234/x{suffix}")
    except InvalidReference:
        return
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,201}", safekey(identifier))


# references A24
@pytest.mark.parametrize(
    ("id", "profile", "digest"),
    [
        ("10.1234/foo", "crossref", "17a7530b46c24b037ab779e5ad8f24cb9f27a99e44506f949fc0adf2aef8f1ae"),
        ("10.1234/FOO", "crossref", "17a7530b46c24b037ab779e5ad8f24cb9f27a99e44506f949fc0adf2aef8f1ae"),
        ("10.1234/foo", "unpaywall", "25b15a76de87d5d455792af706e5dadf5a2eb5419e58bb11d3031b1ca7a025f7"),
        ("10.1234/foo", "oa-publisher", "95f4cc3392c7f320c72ffdbe98e14d2a296afe33f89b98119a9e2ac27fb60524"),
        ("10.1234/foo", "datacite", "5657fef2478d564c4dde6758b8e0deb9d33302d5fcbf4297da62c6910823c420"),
        ("2401.12345", "arxiv", "37eea0478a959cd1713f9ed1bcf5a36851202c1744239b81b90db8e43cda53bf"),
        ("2401.12345v2", "arxiv", "291df91b7a0978adaa3bc4311f8b8f6bf843ecc0f7d00934daa9c5cb871cd981"),
        ("2401.12345", "ar5iv", "1b3ff1bb9f311b97eafdc85740fb564274eeb80d4d610bac3174fa6a5807b116"),
        ("cond-mat/9501001", "arxiv", "1b8ba4e95637e5342a49291d79d2344a28e439e4bc8bc76b60a2ec5cb055d33d"),
    ],
)
def test_a_question_has_its_digest(id: str, profile: str, digest: str) -> None:
    assert canonical_digest(read(id), profile) == digest
