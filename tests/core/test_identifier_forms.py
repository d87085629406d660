"""Forms of the catalog contract 8.1, titles, refusals and edges of the grammar, beyond the rows of table 2.6."""

import pytest

from core.errors import InvalidReference
from core.identifiers import Identifier, IdentifierKind, Via, parse

HEX = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


def read(text: str | int) -> Identifier:
    return parse(text, titles=True, bare_digits="catalog")


def refused(text: str | int, *, titles: bool = False) -> InvalidReference:
    with pytest.raises(InvalidReference) as caught:
        parse(text, titles=titles, bare_digits="catalog" if titles else "refuse")
    return caught.value


HOSTS = [
    "arxiv.org/abs",
    "export.arxiv.org/pdf",
    "arxiv.org/html",
    "alphaxiv.org/abs",
    "ar5iv.org/abs",
    "ar5iv.labs.arxiv.org/html",
    "huggingface.co/papers",
    "hf.co/papers",
    "semanticscholar.org/arxiv",
    "paperswithcode.co/paper",
    "paperswithcode.com/paper",
]


# catalog A22
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("scheme", ["", "https://", "http://", "www.", "https://www.", "HTTPS://"])
@pytest.mark.parametrize("after", ["", "?context=cs#sec1", "/"])
def test_url_of_a_known_host_is_its_arxiv_id(host: str, scheme: str, after: str) -> None:
    expected = Identifier(IdentifierKind.ARXIV, "1706.03762", None, "arxiv:1706.03762", (), True, Via.URL)
    assert read(f"{scheme}{host}/1706.03762{after}") == expected


# catalog A22
@pytest.mark.parametrize(
    "text",
    [
        "1706.03762",
        "1706.03762v7",
        "arXiv:1706.03762",
        "arxiv: 1706.03762v2",
        "10.48550/arXiv.1706.03762",
        "doi:10.48550/arXiv.1706.03762",
        "https://doi.org/10.48550/arXiv.1706.03762",
        "https://doi.org/10.48550/arXiv.1706.03762/",
        "arxiv:10.48550/arXiv.1706.03762",
        "arxiv:https://arxiv.org/abs/1706.03762",
        "https://arxiv.org:8443/pdf/1706.03762v5.pdf?download=1",
        "https://arxiv.org./abs/1706.03762).",
        "https://www.semanticscholar.org/arXiv:1706.03762",
        "https://www.alphaxiv.org/overview/1706.03762v7",
        "https://arxiv.org/abs/arXiv:1706.03762",
        "1706.03762)",
        "(1706.03762)",
        "see arXiv:1706.03762.",
        "1706.03762 [cs.CL] Attention Is All You Need",
    ],
)
def test_every_form_of_an_arxiv_id_has_one_key(text: str) -> None:
    assert read(text).key == "arxiv:1706.03762"


# catalog A23
@pytest.mark.parametrize(
    ("text", "id_", "version", "value"),
    [
        ("math.GT/0309136", "math.GT/0309136", None, "math/0309136"),
        ("arXiv:math.gt/0309136", "math.GT/0309136", None, "math/0309136"),
        ("https://arxiv.org/abs/math.GT/0309136", "math.GT/0309136", None, "math/0309136"),
        ("hep-th/9711200v1", "hep-th/9711200", "v1", "hep-th/9711200"),
        ("https://arxiv.org/pdf/hep-th/9711200v1.pdf", "hep-th/9711200", "v1", "hep-th/9711200"),
        ("https://arxiv.org/ps/hep-th/9711200v1.ps.gz", "hep-th/9711200", "v1", "hep-th/9711200"),
        ("arXiv:cs/0701188", "cs/0701188", None, "cs/0701188"),
        ("cond-mat.mtrl-sci/0309136", "cond-mat.mtrl-sci/0309136", None, "cond-mat/0309136"),
    ],
)
def test_old_arxiv_id_keeps_its_archive(text: str, id_: str, version: str | None, value: str) -> None:
    found = read(text)
    assert (found.kind, found.id, found.version, found.value) == (IdentifierKind.ARXIV, id_, version, value)


@pytest.mark.parametrize(
    ("text", "plausible"),
    [
        ("0704.0001", True),
        ("0703.0001", False),
        ("1412.9999", True),
        ("1501.0001", False),
        ("1501.00001", True),
        ("9012.00001", True),
        ("9101.00001", False),
        ("2400.00001", False),
        ("hep-th/9107001", True),
        ("hep-th/9106001", False),
        ("hep-th/0703999", True),
        ("hep-th/0704001", False),
        ("hep-th/9913001", False),
        ("hep-th/0012001", True),
    ],
)
def test_arxiv_id_that_cannot_exist_is_implausible(text: str, plausible: bool) -> None:
    assert read(text).plausible is plausible


# catalog A26
@pytest.mark.parametrize(
    ("text", "alternates"),
    [("(10.1234/foo).", ()), ("10.1234/foo)", ("10.1234/foo)",)), ("{10.1234/foo},", ()), ("`10.1234/foo`", ())],
)
def test_brackets_and_marks_around_a_doi_are_no_part_of_it(text: str, alternates: tuple[str, ...]) -> None:
    assert read(text) == Identifier(
        IdentifierKind.DOI, "10.1234/foo", None, "doi:10.1234/foo", alternates, True, Via.BARE
    )


TITLES = [
    "Is Attention All You Need?",  # catalog A26
    "YOLOv7",  # catalog A24
    "DINOv2",  # catalog A24
    '"Why Should I Trust You?": Explaining the Predictions of Any Classifier',
    '"Attention Is All You Need"',
    "(Attention Is All You Need)",
    "[Re] A Reproduction.",
    "Q&amp;A over <b>tables</b>",
    "ImageNet\u2010v2",
    "HAL: a framework for agents",
    "arXiv Vanity",
    "doi considered harmful",
    "10.5 million tweets about nothing",
    "Beyond 1706.03762: a long title with many other words",
    "arXiv:1706.03762 and arXiv:1810.04805 compared on seven more tasks",
    "深度学习",
    "می\u200cخواهم",
]


@pytest.mark.parametrize("text", TITLES)
def test_title_is_used_as_it_was_sent(text: str) -> None:
    found = read(text)
    assert (found.kind, found.id, found.via, found.alternates) == (IdentifierKind.TITLE, text, Via.TITLE, ())


def test_title_loses_only_what_cannot_be_seen() -> None:
    assert read("\ufeff Atten\u00adtion\u00a0 Is\tAll\n\ud800 ").id == "Attention Is All \ufffd"


def test_titles_that_differ_in_case_and_blanks_share_a_key() -> None:
    assert read("Attention  is all you need").key == read("Attention Is All You Need").key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("PMID:123", "pmid:123"),
        ("pmid 123", "pmid:123"),
        ("pmid:000123", "pmid:123"),
        ("pubmed.ncbi.nlm.nih.gov/123", "pmid:123"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/123", "pmid:123"),
        ("https://europepmc.org/article/MED/123", "pmid:123"),
        ("https://europepmc.org/abstract/med/123", "pmid:123"),
        ("https://europepmc.org/article/PMC/PMC3531190", "pmcid:PMC3531190"),
        ("pmcid: PMC3531190", "pmcid:PMC3531190"),
        ("pmc3531190", "pmcid:PMC3531190"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/pdf/main.pdf", "pmcid:PMC3531190"),
        ("openalex.org/W2741809807", "openalex:W2741809807"),
        ("https://api.openalex.org/works/w2741809807", "openalex:W2741809807"),
        ("https://openalex.org/works/W12", "openalex:W12"),
        ("CorpusID: 13756489", "s2:corpusid:13756489"),
        ("S2:CorpusId:13756489", "s2:corpusid:13756489"),
        ("https://api.semanticscholar.org/CorpusID:13756489", "s2:corpusid:13756489"),
        (f"S2:{HEX.upper()}", f"s2:{HEX}"),
        (f"semanticscholar.org/paper/{HEX}", f"s2:{HEX}"),
        (f"https://api.semanticscholar.org/graph/v1/paper/{HEX}", f"s2:{HEX}"),
        ("paperswithcode.com/paper/Attention-Is-All-You-Need", "slug:attention-is-all-you-need"),
        ("paperswithcode.co/paper/0042", "catalog:42"),
        ("0" * 20, "catalog:0"),
        ("9" * 20, "catalog:" + "9" * 20),
        ("1984.", "catalog:1984"),
        ("see PMID: 123 (1998)", "pmid:123"),
        ("cf. PMC3531190", "pmcid:PMC3531190"),
        ("arXiv:1706.03762 https://arxiv.org/abs/1706.03762v7", "arxiv:1706.03762"),
        ("https://arxiv.org/abs/1706.03762 (Vaswani 2017)", "arxiv:1706.03762"),
        ("doi:10.1000/182, Smith 2020", "doi:10.1000/182"),
        ("<a>10.1000/182</a>", "title:<a>10.1000/182</a>"),
        ("https://doi.org/10.1016/S0370%E2%80%901573", "doi:10.1016/s0370-1573"),
        ("10.1234/ÜNDER", "doi:10.1234/Ünder"),
        ("10.48550/arXiv.1706.03762v0", "doi:10.48550/arxiv.1706.03762v0"),
        ("10.48550/arXiv.nothing", "doi:10.48550/arxiv.nothing"),
        ("10.1234/100%", "doi:10.1234/100%"),
        ("10.1234/a%FFb", "doi:10.1234/a%ffb"),
        ("10.1234/a%07b", "doi:10.1234/a%07b"),
    ],
)
def test_other_forms_give_their_key(text: str, key: str) -> None:
    assert read(text).key == key


@pytest.mark.parametrize(
    ("url", "doi", "alternates"),
    [
        ("https://pubs.acs.org/doi/10.1021/acs.1/", "10.1021/acs.1/", ("10.1021/acs.1",)),
        ("https://x.org/doi/10.1021/acs.1/full/", "10.1021/acs.1", ("10.1021/acs.1/full/",)),
        ("https://x.org/doi/10.1021/pdf", "10.1021/pdf", ()),
        ("https://x.org/10.1021/.pdf", "10.1021/.pdf", ()),
        ("https://x.org/10.1021/a.html).", "10.1021/a", ("10.1021/a.html).",)),
        ("https://x.org/10.1021/av2", "10.1021/av2", ()),
        ("https://medrxiv.org/content/10.1101/2020.1v2", "10.1101/2020.1", ("10.1101/2020.1v2",)),
        ("https://www.biorxiv.org/content/10.1101/2020.1v2/full", "10.1101/2020.1", ("10.1101/2020.1v2/full",)),
        ("https://doi.org/10.1000/a/.", "10.1000/a/", ("10.1000/a/.", "10.1000/a")),
    ],
)
def test_doi_in_a_url_loses_one_view_part(url: str, doi: str, alternates: tuple[str, ...]) -> None:
    found = read(url)
    assert (found.id, found.alternates, found.via) == (doi, alternates, Via.URL)


def test_alternate_that_would_be_too_long_is_left_out() -> None:
    assert read("10.1234/" + "a" * 256 + ".").alternates == ()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("DOI: 10.1038/NATURE14539", "10.1038/NATURE14539"),
        ("10.1234/a%252541b", "10.1234/a%252541b"),
        ("10.1234/a%26lt;b", "10.1234/a&amp;lt;b"),
        ("10.1234/a%3Cb%3E", "10.1234/a%3Cb>"),
        ("https://arxiv.org/abs/math.GT/0309136V2", "math.GT/0309136v2"),
        ("pmid 123", "pmid:123"),
        ("pmcid:3531190", "PMC3531190"),
        ("openalex:w12", "openalex:W12"),
        (f"S2:{HEX.upper()}", HEX),
        ("corpusid: 12", "CorpusId:12"),
        ("0042", "catalog:42"),
        ("paperswithcode.com/paper/A-b", "https://paperswithcode.com/paper/a-b"),
        ("Is  Attention All?", "Is Attention All?"),
    ],
)
def test_identifier_is_printed_as_a_text_that_names_it(text: str, printed: str) -> None:
    found = read(text)
    assert str(found) == printed
    again = read(printed)
    assert (again.kind, again.id, again.version, again.key) == (found.kind, found.id, found.version, found.key)


# catalog A27
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("()", "empty"),
        ("https://github.com/a/b", "unsupported_url"),
        ("https://github.com/a/b and some more words here", "unsupported_url"),
        ("arxiv.org", "unsupported_url"),
        ("https://arxiv.org\\@evil.example/abs/1706.03762", "unsupported_url"),
        ("https://arxiv.org/abs/nothing", "unsupported_url"),
        ("https://arxiv.org/abs/0112019", "arxiv_missing_archive"),
        ("https://arxiv.org/abs/1706.03762v0", "arxiv_bad_shape"),
        ("https://alphaxiv.org/list/1706.03762", "unsupported_url"),
        ("https://hf.co/datasets/1706.03762", "unsupported_url"),
        ("https://paperswithcode.com/task/x", "unsupported_url"),
        ("https://paperswithcode.com/paper/a/b", "unsupported_url"),
        ("https://europepmc.org/article/XYZ/1", "unsupported_url"),
        ("https://europepmc.org/search", "unsupported_url"),
        ("https://ncbi.nlm.nih.gov/books/NBK1", "unsupported_url"),
        ("https://pmc.ncbi.nlm.nih.gov/articles", "unsupported_url"),
        ("https://openalex.org/A12", "unsupported_url"),
        (f"https://semanticscholar.org/author/{HEX}", "unsupported_url"),
        ("https://doi.org/10/abc", "unsupported_url"),
        ("https://doi.org/10.123/abc", "doi_bad_registrant"),
        ("doi:https://arxiv.org/abs/1706.03762", "doi_bad_registrant"),
        ("arxiv:https://doi.org/10.1000/182", "arxiv_bad_shape"),
        ("arxiv:10.1000/182", "arxiv_bad_shape"),
        ("arxiv:0112019v1", "arxiv_missing_archive"),
        ("1706.03762v1000", "arxiv_bad_shape"),
        ("hep-th/9711200v0", "arxiv_bad_shape"),
        ("doi:", "doi_bad_registrant"),
        ("doi:abc", "doi_bad_registrant"),
        ("10.1234567890/a", "doi_bad_registrant"),
        ("10.1234/a%20b", "doi_bad_character"),
        ("10.1234/a\ufffdb", "doi_bad_character"),
        ("10.1234/\ue000", "doi_bad_character"),
        ("10.1234/...", "doi_empty_suffix"),
        ("pmid:x", "pmid_bad_shape"),
        ("pmcid:x", "pmcid_bad_shape"),
        ("openalex:A12", "openalex_bad_shape"),
        ("s2:12", "s2_bad_shape"),
        ("corpusid:x", "s2_bad_shape"),
        ("catalog:x", "catalog_bad_shape"),
        ("catalog:" + "9" * 21, "catalog_bad_shape"),
        ("url:https://arxiv.org/abs/1706.03762", "unsupported_scheme"),
        ("9" * 21, "not_an_identifier"),
        ("١٢٣٤", "not_an_identifier"),
        (-5, "not_an_identifier"),
        ("R", "not_an_identifier"),
        ("?!", "not_an_identifier"),
        ("1706.03762 or 1810.04805", "several_identifiers"),
    ],
)
def test_refusal_gives_its_reason_in_the_families_that_take_titles(text: str | int, reason: str) -> None:
    assert refused(text, titles=True).reason == reason


@pytest.mark.parametrize("text", ["M6", "S4", "T5", "R", "H₂O", "2401.123456", "W12", "9" * 21, "-5", "七"])
def test_short_name_is_a_title_where_one_letter_or_digit_is_enough(text: str) -> None:
    found = parse(text, titles=True, bare_digits="catalog", title_minimum="one_alphanumeric")
    assert found == Identifier(IdentifierKind.TITLE, text, None, f"title:{text.casefold()}", (), True, Via.TITLE)


@pytest.mark.parametrize("text", ["?!", "-", "— …", "∀∃"])
def test_text_without_letter_or_digit_is_no_title_under_any_minimum(text: str) -> None:
    with pytest.raises(InvalidReference) as caught:
        parse(text, titles=True, bare_digits="catalog", title_minimum="one_alphanumeric")
    assert caught.value.reason == "not_an_identifier"


@pytest.mark.parametrize("sign", [1, -1])
def test_integer_that_python_will_not_print_is_too_long(sign: int) -> None:
    assert refused(sign * 10**5000).reason == "too_long"


def test_letter_that_only_casefolds_to_a_prefix_is_no_prefix() -> None:
    assert refused("\u017f2:" + HEX).reason == "not_an_identifier"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("arXiv Vanity", "arxiv_bad_shape"),
        ("doi considered harmful", "doi_bad_registrant"),
        ("HAL: a framework", "unsupported_scheme"),
        ("10.5 million tweets", "doi_missing_slash"),
        ("10.1145/a b c d e f", "doi_bad_character"),
        ("arXiv:1706.03762 and arXiv:1810.04805 compared on seven more tasks", "several_identifiers"),
        ("Vaswani et al. Attention is all you need arXiv:1706.03762", "not_an_identifier"),
    ],
)
def test_refusal_gives_its_reason_in_the_families_without_titles(text: str, reason: str) -> None:
    assert refused(text).reason == reason


def test_refusal_of_digits_hints_at_what_they_could_be() -> None:
    assert refused("3531190").message == (
        "Digits alone do not say which id they are. For a PubMed id write pmid:3531190, for an old arXiv id put its"
        " archive before it, as in hep-th/3531190."
    )
    assert "arXiv" not in refused("353119").message


def test_refusals_say_what_to_send_instead() -> None:
    assert refused("10.123/abc").message == ("The DOI prefix 10.123 needs 4 to 9 digits, as in 10.1038/nature14539.")
    assert refused("Attention Is All You Need").message == (
        "This is no identifier. Send a DOI, arXiv id or PubMed id; a title or a citation must be looked up first."
    )
    assert refused("https://github.com/a/b").message == (
        "No paper can be told from this URL. Send the DOI or arXiv id itself, as in 10.1038/nature14539 or 1706.03762."
    )


@pytest.mark.parametrize("text", ["10." + "1" * 2000 + "/x", "10.<script>/x", "https://x.example/" + "s" * 1000])
def test_refusal_never_repeats_much_of_the_reference(text: str) -> None:
    message = refused(text).message
    assert len(message) <= 200
    assert "<script>" not in message
