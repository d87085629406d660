"""Rules of a fetch that need no source: remedies, platforms, and which addresses name an arXiv paper."""

import pytest

from core.errors import Denial
from core.references.preprints import platform_of
from core.references.remedies import remedies
from core.sources.pdfs import arxiv_paper_at
from tests.core.references.store.papers import ref


def values(host: str | None, *, reason: str = "redirect_not_in_allowlist", source: str = "oa-publisher") -> list[str]:
    denial = Denial(reason, source, attempted=host)  # type: ignore[arg-type]
    return [each["value"] for each in remedies(denial, source="oa-publisher")]


@pytest.mark.parametrize(
    ("host", "offered"),
    [
        ("b.org", ["b.org"]),
        ("a.b.org", ["a.b.org", "*.b.org"]),
        ("a.co.uk", ["a.co.uk"]),
        ("a.b.co.jp", ["a.b.co.jp", "*.b.co.jp"]),
        ("zenodo.org", ["zenodo.org", "PAPERDESK_OA_HOST_CLASSES"]),
        ("eprints.leeds.ac.uk", ["eprints.leeds.ac.uk", "*.leeds.ac.uk", "PAPERDESK_OA_HOST_CLASSES"]),
        ("10.0.0.1", []),
        ("localhost", []),
        (None, []),
    ],
)
def test_the_narrowest_remedy_comes_first(host: str | None, offered: list[str]) -> None:
    assert values(host) == offered


def test_only_a_host_off_the_publishers_list_has_a_remedy() -> None:
    assert values("a.b.org", reason="host_in_block_list") == []
    assert values("a.b.org", source="arxiv") == []
    assert remedies(None, source="oa-publisher") == ()
    each = remedies(Denial("redirect_not_in_allowlist", "oa-publisher", attempted="hal.science"), source="oa-publisher")
    assert [one["kind"] for one in each] == ["additional_host", "trust_flag"]
    assert "registries" in each[1]["note"] and "PAPERDESK_OA_EXTRA_HOSTS" in each[0]["note"]


@pytest.mark.parametrize(
    ("doi", "host", "platform"),
    [
        ("10.1101/2020.01.01.1", "www.biorxiv.org", "bioRxiv"),
        ("10.1101/2020.01.01.1", "www.medrxiv.org", "medRxiv"),
        ("10.31234/osf.io/abc", "osf.io", "PsyArXiv"),
        ("10.5555/1", "repo.test", "repo.test"),
    ],
)
def test_a_platform_is_named_by_the_doi_else_by_the_host(doi: str, host: str, platform: str) -> None:
    assert platform_of(ref(doi), host) == platform


@pytest.mark.parametrize(
    ("url", "id"),
    [
        ("http://arxiv.org/pdf/1706.03762v5", "1706.03762v5"),
        ("https://export.arxiv.org/abs/cond-mat/9501001", "cond-mat/9501001"),
        ("https://doi.org/10.48550/arXiv.1706.03762", "1706.03762"),
        ("https://doi.org/10.1234/x", None),
        ("https://arxiv.org/list/cs.CL/new", None),
        ("https://arxiv.org/pdf/9999.99999", None),
        ("https://repo.test/1706.03762.pdf", None),
        ("https://arxiv.org.repo.test/pdf/1706.03762", None),
        ("https://[bad/1706.03762", None),
        ("", None),
    ],
)
def test_only_arxivs_own_addresses_name_its_papers(url: str, id: str | None) -> None:
    found = arxiv_paper_at(url)
    assert (None if found is None else f"{found.value}{found.version or ''}") == id
