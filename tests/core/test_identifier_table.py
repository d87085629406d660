"""Every row of the references contract's table 2.6, under both policies (references A15, A23)."""

from dataclasses import dataclass

import pytest

from core.errors import InvalidReference
from core.identifiers import BareDigits, Identifier, IdentifierKind, Via, parse

SICI_AID = "10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6"
SICI_BULLETIN = "10.1577/1548-8659(1981)110<446:EOTOFR>2.0.CO;2"
HEX = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
FAMILIES: dict[str, tuple[bool, BareDigits]] = {"catalog": (True, "catalog"), "references": (False, "refuse")}


@dataclass(frozen=True)
class Row:
    number: int
    text: str | int
    outcome: Identifier | str
    catalog_outcome: Identifier | str | None = None


def doi(id_: str, *alternates: str, via: Via = Via.BARE) -> Identifier:
    key = "doi:" + "".join(c.lower() if c.isascii() else c for c in id_)
    return Identifier(IdentifierKind.DOI, id_, None, key, alternates, True, via)


def arxiv(
    id_: str, version: str | None = None, *, via: Via = Via.BARE, key: str | None = None, plausible: bool = True
) -> Identifier:
    return Identifier(IdentifierKind.ARXIV, id_, version, key or f"arxiv:{id_}", (), plausible, via)


def other(kind: str, id_: str, via: Via, key: str | None = None) -> Identifier:
    return Identifier(IdentifierKind(kind), id_, None, key or f"{kind}:{id_}", (), True, via)


def title(text: str) -> Identifier:
    return other("title", text, Via.TITLE, key=f"title:{text.lower()}")


B, P, U, A, X = Via.BARE, Via.PREFIX, Via.URL, Via.ARXIV_DOI, Via.EXTRACTED
TABLE = [
    Row(1, "10.1038/nature14539", doi("10.1038/nature14539")),
    Row(2, "10.1038/NATURE14539", doi("10.1038/NATURE14539")),
    Row(3, "  10.1038/nature14539 \n", doi("10.1038/nature14539")),
    Row(4, "doi:10.1038/nature14539", doi("10.1038/nature14539", via=P)),
    Row(5, "DOI: 10.1000/182", doi("10.1000/182", via=P)),
    Row(6, "doi 10.1000/182", doi("10.1000/182", via=P)),
    Row(7, "https://doi.org/10.1038/nature14539", doi("10.1038/nature14539", via=U)),
    Row(8, "http://dx.doi.org/10.1038/nature14539", doi("10.1038/nature14539", via=U)),
    Row(9, "doi.org/10.1038/nature14539", doi("10.1038/nature14539", via=U)),
    Row(10, "https://doi.org/doi:10.1000/182", doi("10.1000/182", via=U)),
    Row(11, "https://doi.org/10.1000/182?utm_source=x#top", doi("10.1000/182", via=U)),
    Row(12, "doi:https://doi.org/10.1000/182", doi("10.1000/182", via=U)),
    Row(13, "doi:10.1103/PhysRevX.10.011058", doi("10.1103/PhysRevX.10.011058", via=P)),
    Row(14, "10.1000/182.", doi("10.1000/182", "10.1000/182.")),
    Row(15, "10.1000/182,", doi("10.1000/182", "10.1000/182,")),
    Row(16, "10.1000/182(", doi("10.1000/182", "10.1000/182(")),
    Row(17, "10.1000/182<br />", doi("10.1000/182")),
    Row(18, '"10.1000/182"', doi("10.1000/182")),
    Row(19, "<10.1000/182>", doi("10.1000/182")),
    Row(20, "see 10.1234/foo).", doi("10.1234/foo", via=X)),
    Row(21, "Smith 2020, doi:10.1000/182.", doi("10.1000/182", via=X)),
    Row(22, "10.3319/TAO.2009.05.25.02(IWNOP)", doi("10.3319/TAO.2009.05.25.02(IWNOP)")),
    Row(23, "10.1016/0021-9681(87)90171-8", doi("10.1016/0021-9681(87)90171-8")),
    Row(24, "10.1016/S0370\u20101573(98)00122\u20103", doi("10.1016/S0370-1573(98)00122-3")),
    Row(25, "10.1023/A:1018054314350", doi("10.1023/A:1018054314350")),
    Row(26, "10.1051/jphys:0198900500120135500", doi("10.1051/jphys:0198900500120135500")),
    Row(27, SICI_AID, doi(SICI_AID)),  # catalog A26
    Row(28, SICI_BULLETIN, doi(SICI_BULLETIN)),
    Row(29, "10.1577%2F1548-8659(1981)110%3C446%3AEOTOFR%3E2.0.CO%3B2", doi(SICI_BULLETIN)),
    Row(
        30,
        "https://doi.org/10.1002/%28SICI%291096-9861%2819960129%29365%3A1%3C113%3A%3AAID-CNE9%3E3.0.CO%3B2-6",
        doi(SICI_AID, via=U),
    ),
    Row(31, "10.1002/(SICI)1096-9861(19960129)365:1&lt;113::AID-CNE9&gt;3.0.CO;2-6", doi(SICI_AID)),
    Row(32, "10.1207/s15327809jls0703&4_2", doi("10.1207/s15327809jls0703&4_2")),
    Row(33, "10.1000.10/123", doi("10.1000.10/123")),
    Row(34, "10.24447/slc-2024-00003/", doi("10.24447/slc-2024-00003/", "10.24447/slc-2024-00003")),
    Row(35, "10.1234/a/../b//c", doi("10.1234/a/../b//c")),
    Row(36, "10.1234/ünder", doi("10.1234/ünder")),
    Row(37, "10.1234/foo bar", doi("10.1234/foo", via=X)),
    Row(38, "10.1234/" + "a" * 256, doi("10.1234/" + "a" * 256)),
    Row(39, "10.1234/" + "a" * 257, "doi_suffix_too_long"),
    Row(40, "10.123/abc", "doi_bad_registrant"),
    Row(41, "10.1234", "doi_missing_slash"),
    Row(42, "10.1234/", "doi_empty_suffix"),
    Row(43, "10.١٢٣٤/abc", "doi_bad_registrant"),
    Row(44, "10.1234/abc١", "doi_bad_character"),
    Row(45, "10.1234/fo\x07o", "control_characters"),
    Row(46, "10.1000/182 and 10.1000/183", "several_identifiers"),
    Row(47, "https://www.nature.com/articles/nature14539", "unsupported_url"),
    Row(48, "https://dl.acm.org/doi/10.1145/3292500.3330701", doi("10.1145/3292500.3330701", via=U)),
    Row(49, "https://onlinelibrary.wiley.com/doi/abs/10.1002/asi.4", doi("10.1002/asi.4", via=U)),
    Row(
        50,
        "https://link.springer.com/content/pdf/10.1007/s11142-021-09582-z.pdf",
        doi("10.1007/s11142-021-09582-z", "10.1007/s11142-021-09582-z.pdf", via=U),
    ),
    Row(
        51,
        "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf",
        doi("10.1101/2020.01.01.123456", "10.1101/2020.01.01.123456v2.full.pdf", via=U),
    ),
    Row(52, "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0266781", "unsupported_url"),
    Row(53, "2401.12345", arxiv("2401.12345")),
    Row(54, "2401.12345v2", arxiv("2401.12345", "v2")),
    Row(55, "2401.12345V2", arxiv("2401.12345", "v2")),
    Row(56, "arXiv:2401.12345", arxiv("2401.12345", via=P)),
    Row(57, "arxiv:1810.04805", arxiv("1810.04805", via=P)),
    Row(58, "ARXIV: 1810.04805v1", arxiv("1810.04805", "v1", via=P)),
    Row(59, "arXiv 2401.12345", arxiv("2401.12345", via=P)),
    Row(60, "arXiv.1706.03762", arxiv("1706.03762")),
    Row(61, "2401.12345.", arxiv("2401.12345")),
    Row(62, "[arXiv:2401.12345]", arxiv("2401.12345", via=P)),
    Row(63, "arXiv:2401.12345 [cs.LG]", arxiv("2401.12345", via=P)),
    Row(64, "arXiv:0706.0001v1 [q-bio.CB] 1 Jun 2007", arxiv("0706.0001", "v1", via=P)),
    Row(65, "10.48550/arXiv.1706.03762", arxiv("1706.03762", via=A)),
    Row(66, "https://doi.org/10.48550/arXiv.2401.12345v2", arxiv("2401.12345", "v2", via=A)),
    Row(67, "10.48550/arxiv.math/0309136", arxiv("math/0309136", via=A)),
    Row(68, "10.48550/other", doi("10.48550/other")),
    Row(69, "hep-th/9711200", arxiv("hep-th/9711200")),
    Row(70, "HEP-TH/9711200", arxiv("hep-th/9711200")),
    Row(71, "cs/0701188", arxiv("cs/0701188")),
    Row(72, "cond-mat/0612198v2", arxiv("cond-mat/0612198", "v2")),
    Row(73, "math.GT/0309136", arxiv("math.GT/0309136", key="arxiv:math/0309136")),
    Row(74, "astro-ph.CO/0703123v2", arxiv("astro-ph.CO/0703123", "v2", key="arxiv:astro-ph/0703123")),
    Row(75, "atom-ph/9601001", arxiv("atom-ph/9601001")),
    Row(76, "quant-ph/0112019v1", arxiv("quant-ph/0112019", "v1")),
    Row(77, "arxiv:0112019", "arxiv_missing_archive"),
    Row(78, "0112019", "bare_digits", other("catalog", "112019", B)),
    Row(79, "https://arxiv.org/abs/hep-th/9408099", arxiv("hep-th/9408099", via=U)),
    Row(80, "https://arxiv.org/pdf/1706.03762v7.pdf", arxiv("1706.03762", "v7", via=U)),
    Row(81, "http://www.arxiv.org/pdf/1706.03762", arxiv("1706.03762", via=U)),
    Row(82, "https://arxiv.org/html/2401.12345v1", arxiv("2401.12345", "v1", via=U)),
    Row(83, "https://arxiv.org/format/1706.03762", arxiv("1706.03762", via=U)),
    Row(84, "https://export.arxiv.org/abs/1706.03762?context=cs", arxiv("1706.03762", via=U)),
    Row(85, "arxiv.org/abs/1810.04805", arxiv("1810.04805", via=U)),
    Row(86, "https://alphaxiv.org/abs/1706.03762", arxiv("1706.03762", via=U)),
    Row(87, "https://ar5iv.labs.arxiv.org/html/1706.03762", arxiv("1706.03762", via=U)),
    Row(88, "https://huggingface.co/papers/1706.03762", arxiv("1706.03762", via=U)),
    Row(89, "hf.co/papers/1706.03762", arxiv("1706.03762", via=U)),
    Row(90, "https://arxiv.org:8443/abs/1706.03762", arxiv("1706.03762", via=U)),
    Row(91, "https://www.semanticscholar.org/arxiv/1706.03762", arxiv("1706.03762", via=U)),
    Row(92, "https://user@arxiv.org/abs/1706.03762", "unsupported_url"),
    Row(93, "ftp://arxiv.org/abs/1706.03762", "unsupported_url"),
    Row(94, "https://arxiv.org/list/cs.LG/recent", "unsupported_url"),
    Row(95, "2307.09288v999", arxiv("2307.09288", "v999")),
    Row(96, "2307.09288v0", "arxiv_bad_shape"),
    Row(97, "2413.99999", arxiv("2413.99999", plausible=False)),
    Row(98, "9999.99999", arxiv("9999.99999", plausible=False)),
    Row(99, "1412.12345", arxiv("1412.12345", plausible=False)),
    Row(100, "2401.123456", "not_an_identifier"),
    Row(101, "pmid:9659853", other("pmid", "9659853", P)),
    Row(102, "PMID: 9659853", other("pmid", "9659853", P)),
    Row(103, "PMID 9659853", other("pmid", "9659853", P)),
    Row(104, "https://pubmed.ncbi.nlm.nih.gov/9659853/", other("pmid", "9659853", U)),
    Row(105, "9659853", "bare_digits", other("catalog", "9659853", B)),
    Row(106, "pmid:0", "pmid_bad_shape"),
    Row(107, "PMC3531190", other("pmcid", "PMC3531190", B)),
    Row(108, "pmcid:3531190", other("pmcid", "PMC3531190", P)),
    Row(109, "PMC3531190.1", other("pmcid", "PMC3531190", B)),
    Row(110, "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3531190/", other("pmcid", "PMC3531190", U)),
    Row(111, "https://pmc.ncbi.nlm.nih.gov/articles/PMC3531190/", other("pmcid", "PMC3531190", U)),
    Row(112, "W2741809807", other("openalex", "W2741809807", B)),
    Row(113, "https://openalex.org/W2741809807", other("openalex", "W2741809807", U)),
    Row(114, "openalex:W12", other("openalex", "W12", P)),
    Row(115, "W12", "not_an_identifier"),
    Row(116, HEX, other("s2", HEX, B)),
    Row(117, "CorpusId:13756489", other("s2", "CorpusId:13756489", P, key="s2:corpusid:13756489")),
    Row(118, f"https://www.semanticscholar.org/paper/Attention/{HEX}", other("s2", HEX, U)),
    Row(119, "isbn:9780262035613", "unsupported_scheme"),
    Row(120, "MAG:112218234", "unsupported_scheme"),
    Row(
        121,
        "https://paperswithcode.com/paper/attention-is-all-you-need",
        other("slug", "attention-is-all-you-need", U),
    ),
    Row(122, "https://paperswithcode.co/paper/1706.03762", arxiv("1706.03762", via=U)),
    Row(123, "https://paperswithcode.co/paper/4711", other("catalog", "4711", U)),
    Row(124, "catalog:4711", other("catalog", "4711", P)),
    Row(125, 12345, "bare_digits", other("catalog", "12345", B)),
    Row(126, "not-a-paper", "not_an_identifier", title("not-a-paper")),
    Row(127, "Attention Is All You Need", "not_an_identifier", title("Attention Is All You Need")),
    Row(128, "YOLOv7", "not_an_identifier", title("YOLOv7")),  # catalog A24
    Row(129, "arXiv: the first thirty years", "arxiv_bad_shape", title("arXiv: the first thirty years")),
    Row(130, "", "empty"),
    Row(131, "\u200b\u200c\u200d\u2060\ufeff\u00ad", "empty"),
    Row(132, "a" * 2049, "too_long"),
]


def read(text: str | int, family: str) -> Identifier | str:
    titles, bare_digits = FAMILIES[family]
    try:
        return parse(text, titles=titles, bare_digits=bare_digits)
    except InvalidReference as refusal:
        return refusal.reason


def accepted(text: str | int) -> Identifier:
    found = read(text, "references")
    assert isinstance(found, Identifier)
    return found


def test_the_table_is_whole() -> None:
    assert [row.number for row in TABLE] == list(range(1, 133))


# references A15, A23
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.number))
def test_row_has_its_outcome(row: Row, family: str) -> None:
    expected = row.catalog_outcome if family == "catalog" and row.catalog_outcome else row.outcome
    assert read(row.text, family) == expected


# references A16; a slug has no prefix, it is written as its URL
KEYED = [row for row in TABLE if isinstance(row.outcome, Identifier) and row.outcome.kind is not IdentifierKind.SLUG]


@pytest.mark.parametrize("row", KEYED, ids=lambda row: str(row.number))
def test_key_of_an_accepted_row_is_accepted_and_is_its_own_key(row: Row) -> None:
    assert isinstance(row.outcome, Identifier)
    assert accepted(row.outcome.key).key == row.outcome.key


# references A16
def test_spellings_of_one_doi_share_one_key() -> None:
    rows = [row for row in TABLE if row.number in (1, 2, 3, 4, 7, 8, 9)]
    assert [accepted(row.text).key for row in rows] == ["doi:10.1038/nature14539"] * 7


# references A25
def test_pmc_id_with_and_without_letters_is_one_key() -> None:
    assert accepted("PMC3531190").key == accepted("pmcid:3531190").key == "pmcid:PMC3531190"
