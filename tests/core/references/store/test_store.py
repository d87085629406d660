"""What is written to the store, and found again."""

import stat
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.errors import InvalidInput, SourceMismatch, StoreFailed
from core.records import Author, Work
from core.references.store.entries import Saved
from core.references.store.index import Row
from core.references.store.layout import Layout, store_directory
from core.references.store.shape import metadata_of, stored_work
from core.references.store.store import Kept, PdfPlace, Store
from tests.core.references.store.papers import OTHER_PDF, PDF, entry, ref

NOW = "2023-11-14T22:13:20Z"
FIRST = f"""schema_version = "1.0"
authors = ["Lovelace, Ada"]
doi = "10.1234/example"
pdf_path = "doi_10.1234_example.pdf"
title = "A Title"
year = 1843

[doiget]
fetched_at = "{NOW}"
license = "cc-by"
size_bytes = 21
source = "oa-publisher"
"""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Store:
    return Store(tmp_path / "papers", clock)


def files(store: Store) -> list[str]:
    root = store.layout.root
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


# references A106
async def test_a_fetch_leaves_pdf_and_toml_for_the_owners_eyes_and_no_temporary_file(store: Store) -> None:
    new = entry(source="oa-publisher", license="cc-by")
    place = store.layout.root / "doi_10.1234_example.pdf"
    metadata = store.layout.metadata / "doi_10.1234_example.toml"
    assert await store.save(new, PDF) == Saved("doi_10.1234_example", metadata, place, len(PDF))
    assert place.read_bytes() == PDF
    assert metadata.read_text() == FIRST
    assert files(store) == [
        ".metadata/doi_10.1234_example.toml",
        ".metadata/doi_10.1234_example.toml.lock",
        ".metadata/names.lock",
        "doi_10.1234_example.pdf",
    ]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in store.layout.root.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (store.layout.root, store.layout.metadata)] == [0o700] * 2


# references A106
async def test_a_fetch_of_the_same_changes_nothing_but_the_time(store: Store, clock: ManualClock) -> None:
    new = entry(source="oa-publisher", license="cc-by")
    await store.save(new, PDF)
    clock.advance(86_400)
    await store.save(new, PDF)
    path = store.layout.toml("doi_10.1234_example")
    assert path.read_text() == FIRST.replace(NOW, "2023-11-15T22:13:20Z")


async def test_reading_makes_no_store(store: Store) -> None:
    absent = ref("10.1234/example")
    assert await store.read(absent) is None
    assert await store.pdf(absent) == PdfPlace("doi_10.1234_example", None, False)
    assert (await store.search(""), await store.recent()) == ([], [])
    with pytest.raises(StoreFailed, match=r"^The store holds no such entry; fetch the paper first\.$"):
        await store.tag(absent, add=["x"])
    assert store.is_writable()
    assert not store.layout.root.exists()


async def test_a_pdf_may_come_in_pieces_and_one_that_fails_leaves_nothing(store: Store) -> None:
    async def pieces(*, fails: bool) -> AsyncIterator[bytes]:
        yield OTHER_PDF[:9]
        if fails:
            raise SourceMismatch("It is no PDF.", source="oa-publisher")
        yield OTHER_PDF[9:]

    with pytest.raises(SourceMismatch):
        await store.save(entry(), pieces(fails=True))
    assert files(store) == []
    saved = await store.save(entry(), pieces(fails=False))
    assert saved.path.read_bytes() == OTHER_PDF
    assert saved.size_bytes == len(OTHER_PDF)


# references A107
async def test_two_papers_of_one_safekey_keep_separate_files(store: Store) -> None:
    first = await store.save(entry("10.1234/a(b)", title="In brackets"), PDF)
    second = await store.save(entry("10.1234/a/b", title="Behind a slash"), OTHER_PDF)
    assert (first.safekey, second.safekey) == ("doi_10.1234_a_b", "doi_10.1234_a_b_7336dbf8")
    for text, title, pdf in (("10.1234/a(b)", "In brackets", PDF), ("10.1234/a/b", "Behind a slash", OTHER_PDF)):
        kept = await store.read(ref(text))
        assert kept is not None and kept.work is not None
        assert (kept.metadata["title"], kept.work.doi) == (title, text)
        place = await store.pdf(ref(text))
        assert place.path is not None and place.path.read_bytes() == pdf


# references A22
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("10.1038/NATURE14539", "10.1038/nature14539"),
        ("math.GT/0309136", "math/0309136"),
        ("10.1234/" + "A" * 220, "10.1234/" + "a" * 220),
    ],
)
async def test_two_spellings_of_one_paper_meet_one_entry(store: Store, first: str, second: str) -> None:
    saved = await store.save(entry(first))
    assert (await store.save(entry(second))).safekey == saved.safekey
    assert len(list(store.layout.metadata.glob("*.toml"))) == 1
    kept = await store.read(ref(second))
    assert kept is not None and kept.safekey == saved.safekey


async def test_the_agencys_spelling_of_a_doi_names_the_files(store: Store) -> None:
    saved = await store.save(entry("10.1016/s0370-1573(98)00122-3", doi_registered="10.1016/S0370-1573(98)00122-3"))
    assert saved.safekey == "doi_10.1016_S0370-1573_98_00122-3"
    assert (await store.pdf(ref("10.1016/s0370-1573(98)00122-3"))).safekey == saved.safekey


async def test_a_version_of_an_arxiv_paper_is_an_entry_of_its_own_without_the_published_doi(store: Store) -> None:
    await store.save(entry("1706.03762", arxiv_id="1706.03762", doi="10.1000/182"))
    await store.save(entry("1706.03762v2", arxiv_id="1706.03762", arxiv_version="v2", title="Second"))
    assert [row.safekey for row in await store.search("")] == ["arxiv_1706.03762", "arxiv_1706.03762v2"]
    kept = await store.read(ref("arXiv:1706.03762v2"))
    assert kept is not None and kept.metadata["arxiv_id"] == "1706.03762v2"
    kept = await store.read(ref("1706.03762"))
    assert kept is not None and kept.metadata.get("doi") is None


async def test_a_record_is_read_as_it_was_written(store: Store) -> None:
    new = entry(
        "10.1234/Abc",
        doi="10.1234/abc",
        doi_registered="10.1234/Abc",
        arxiv_id="1706.03762",
        arxiv_categories=("cs.CL",),
        authors=(Author("Ada Lovelace", "Lovelace", "Ada"), Author("The Group", group=True)),
        abstract='Two\nlines, "quotes", \\ and é.',
        pages="799-802",
        venue="Nature",
        publisher="Springer",
        volume="1",
        issue="2",
        issn=("0028-0836",),
        isbn=("9780262035613",),
        type="journal-article",
        url="https://example.org/a",
        license="cc-by",
        oa_status="gold",
        keywords=("engines",),
        repaired_fields={"title": "datacite"},
        preprint_doi="10.1101/1",
        call_id="call-1",
    )
    await store.save(new)
    text = store.layout.toml("doi_10.1234_Abc").read_text()
    assert 'pages = "799--802"' in text and 'repaired_fields = {title = "datacite"}' in text
    kept = await store.read(ref("10.1234/abc"))
    assert kept is not None
    assert kept.work == Work(
        key="doi:10.1234/abc",
        doi="10.1234/abc",
        doi_registered="10.1234/Abc",
        arxiv_id="1706.03762",
        arxiv_categories=("cs.CL",),
        title="A Title",
        authors=(Author("Ada Lovelace", "Lovelace", "Ada"), Author("The Group", group=True)),
        year=1843,
        type="journal-article",
        venue="Nature",
        publisher="Springer",
        volume="1",
        issue="2",
        pages="799-802",
        issn=("0028-0836",),
        isbn=("9780262035613",),
        abstract='Two\nlines, "quotes", \\ and é.',
        url="https://example.org/a",
        license="cc-by",
        oa_status="gold",
        sources=("crossref",),
        fetched_at=NOW,
    )
    lines = [line.partition(" = ")[0] for line in text.splitlines()]
    top, own = lines[: lines.index("")], lines[lines.index("[doiget]") + 1 :]
    assert top[0] == "schema_version" and top[1:] == sorted(top[1:]) and own == sorted(own)


async def test_a_title_falls_back_to_the_id_and_authors_are_always_written(store: Store) -> None:
    await store.save(entry(title=None, authors=(), year=None))
    assert tomllib.loads(store.layout.toml("doi_10.1234_example").read_text()) == {
        "schema_version": "1.0",
        "authors": [],
        "doi": "10.1234/example",
        "title": "10.1234/example",
        "doiget": {"fetched_at": NOW, "license": "unknown", "source": "crossref"},
    }
    await store.save(entry())
    kept = await store.read(ref("10.1234/example"))
    assert kept is not None and (kept.metadata["title"], kept.metadata["authors"]) == ("A Title", ["Lovelace, Ada"])


# references A57
async def test_a_search_finds_the_query_in_title_authors_venue_and_publisher(store: Store) -> None:
    await store.save(entry("10.1234/a", title="Éclair THEORY", venue="Nature", publisher="Springer"))
    await store.save(entry("10.1234/b", title="Other", authors=(Author("Kurt Gödel", "Gödel", "Kurt"),), year=None))
    store.layout.toml("doi_10.1234_c").write_text("title = ")
    await store.tag(ref("10.1234/a"), add=["other"])
    a, b = Row("doi_10.1234_a", "Éclair THEORY", 1843, NOW), Row("doi_10.1234_b", "Other", None, NOW)
    found = {
        query: await store.search(query) for query in ("", "éclair th", "NATURE", "spring", "gödel, k", "other", "z")
    }
    assert found == {
        "": [a, b],
        "éclair th": [a],
        "NATURE": [a],
        "spring": [a],
        "gödel, k": [b],
        "other": [b],
        "z": [],
    }


# references A57
async def test_limits_of_lists_are_clamped(store: Store) -> None:
    store.layout.prepare()
    for number in range(205):
        text = f'schema_version = "1.0"\ntitle = "T"\nauthors = []\ndoi = "10.1234/{number:03}"\n'
        store.layout.toml(f"doi_10.1234_{number:03}").write_text(text)
    for limit, count in ((0, 50), (1, 1), (200, 200), (500, 200)):
        assert len(await store.search("", limit)) == len(await store.recent(limit)) == count
    with pytest.raises(InvalidInput):
        await store.recent(-1)


async def test_the_newest_come_first_and_those_without_a_time_last(store: Store, clock: ManualClock) -> None:
    for text in ("10.1234/b", "10.1234/a"):
        await store.save(entry(text))
    clock.advance(1)
    await store.save(entry("10.1234/c"))
    path = store.layout.toml("doi_10.1234_0")
    path.write_text('schema_version = "1.0"\ntitle = "T"\nauthors = []\ndoi = "10.1234/0"\n')
    rows = await store.recent()
    assert [row.safekey[-1] for row in rows] == ["c", "a", "b", "0"]
    assert rows[-1].fetched_at is None


# references A58
async def test_an_absent_paper_is_no_failure(store: Store) -> None:
    await store.save(entry())
    assert await store.read(ref("10.1234/other")) is None
    assert await store.read(ref("10.1234/example")) == Kept(
        "doi_10.1234_example",
        {
            "schema_version": "1.0",
            "authors": ["Lovelace, Ada"],
            "doi": "10.1234/example",
            "title": "A Title",
            "year": 1843,
            "doiget": {"fetched_at": NOW, "license": "unknown", "source": "crossref"},
        },
        Work(
            key="doi:10.1234/example",
            doi="10.1234/example",
            doi_registered="10.1234/example",
            title="A Title",
            authors=(Author("Ada Lovelace", "Lovelace", "Ada"),),
            year=1843,
            sources=("crossref",),
            fetched_at=NOW,
        ),
    )


# references A59
async def test_no_entry_and_no_pdf_look_the_same_but_for_origin_and_license(store: Store) -> None:
    await store.save(entry(license="cc-by"))
    asked = ref("10.1234/example")
    assert await store.pdf(asked) == PdfPlace("doi_10.1234_example", None, True, None, "cc-by")
    path = store.layout.toml("doi_10.1234_example")
    path.write_text(path.read_text() + 'origin = "user-supplied"\n')
    place = store.layout.pdf("doi_10.1234_example")
    place.write_bytes(PDF)
    assert await store.pdf(asked) == PdfPlace("doi_10.1234_example", place, True, "user-supplied", "cc-by")


async def test_times_and_numbers_that_json_lacks_are_shown_as_text_and_null(store: Store) -> None:
    await store.save(entry())
    path = store.layout.toml("doi_10.1234_example")
    path.write_text("when = 2020-01-02\nodd = [inf, nan, 1.5]\n" + path.read_text())
    kept = await store.read(ref("10.1234/example"))
    assert kept is not None
    assert (kept.metadata["when"], kept.metadata["odd"]) == ("2020-01-02", [None, None, 1.5])


async def test_names_that_lead_out_of_the_store_are_refused(store: Store, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "papers")
    for stem in ("../x", "doi_/x", "", ".", "doi_..\\x\n", "x", "doi_a\0"):
        for named in (layout.pdf, layout.toml, layout.lock):
            with pytest.raises(StoreFailed):
                named(stem)
    secret = tmp_path / "secret.toml"
    secret.write_text('title = "secret"\nauthors = []\ndoi = "10.1234/example"\n')
    layout.prepare()
    layout.toml("doi_10.1234_example").symlink_to(secret)
    with pytest.raises(StoreFailed):
        await store.read(ref("10.1234/example"))
    assert await store.search("") == []
    (tmp_path / "other").mkdir()
    elsewhere = Store(tmp_path / "other", ManualClock())
    elsewhere.layout.metadata.symlink_to(layout.metadata)
    for reading in (elsewhere.search(""), elsewhere.read(ref("10.1234/example"))):
        with pytest.raises(StoreFailed):
            await reading
    with pytest.raises(StoreFailed):
        await elsewhere.save(entry())


def test_the_directory_is_the_first_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert store_directory("/a", "/b") == Path("/a")
    assert store_directory(None, "b") == tmp_path / "b"
    assert store_directory(" ", "${STORE}/x") == store_directory() == tmp_path / "papers"


def test_a_record_that_no_store_holds_has_the_shape_of_those_that_are_stored() -> None:
    assert metadata_of(entry("1706.03762", source="catalog", arxiv_id="1706.03762", license="cc-by"), NOW) == {
        "schema_version": "1.0",
        "arxiv_id": "1706.03762",
        "authors": ["Lovelace, Ada"],
        "title": "A Title",
        "year": 1843,
        "doiget": {"fetched_at": NOW, "license": "cc-by", "source": "catalog"},
    }


async def test_a_doi_that_is_read_differently_as_plain_text_is_found_again(store: Store) -> None:
    for text in ("10.1000/182.", "10.24447/slc-2024-00003/", "10.1234/a%2Fb", "10.1234/a/../b//c"):
        asked = ref(text)
        saved = await store.save(entry(text))
        kept = await store.read(asked)
        assert kept is not None and kept.work is not None
        assert (kept.safekey, kept.work.key) == (saved.safekey, asked.key)


@pytest.mark.parametrize(
    ("values", "work"),
    [
        ({"title": "T"}, None),
        ({"doi": "no doi", "arxiv_id": "1706.03762"}, None),
        ({"doi": 5}, None),
        (
            {
                "arxiv_id": "1706.03762v2",
                "authors": ["Plato", 5, "Ada Lovelace, "],
                "year": True,
                "url": "http://x",
                "doiget": 3,
            },
            Work(
                key="arxiv:1706.03762",
                arxiv_id="1706.03762",
                arxiv_version="v2",
                authors=(Author("Plato"), Author("Ada Lovelace")),
            ),
        ),
    ],
)
def test_what_a_person_wrote_amiss_is_left_out(values: dict[str, object], work: Work | None) -> None:
    assert stored_work(values) == work


async def test_a_paper_whose_names_are_both_taken_is_refused(store: Store) -> None:
    store.layout.prepare()
    for stem in ("doi_10.1234_a_b", "doi_10.1234_a_b_7336dbf8"):
        store.layout.toml(stem).write_text('title = "of a person"\n')
    with pytest.raises(StoreFailed, match="names for that entry are taken"):
        await store.save(entry("10.1234/a/b"))


def test_a_store_can_be_written_where_its_nearest_directory_can(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    clock = ManualClock()
    assert Store(tmp_path / "a" / "b", clock).is_writable()
    assert not Store(tmp_path / "file", clock).is_writable()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert not Store(tmp_path / "dangling", clock).is_writable()
    assert not Store(tmp_path / ("x" * 300), clock).is_writable()
    assert not (tmp_path / "a").exists()
