"""What changes of an entry, and what stays: re-fetches, people's own edits, tags and annotations."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import InvalidInput, SchemaTooNew, StoreFailed
from core.records import Author
from core.references.store.documents import Document, plain_values
from core.references.store.store import Store, Tags
from tests.core.references.store.papers import PDF, entry, ref

ASKED = ref("10.1234/example")
STEM = "doi_10.1234_example"
NOW = "2023-11-14T22:13:20Z"
EDITED = """# my file
schema_version = "1.0" # leave alone

# who wrote it
authors = ["Lovelace, Ada"] # and nobody else
mine = { a = 1 }
dotted.key = true
doi = "10.1234/example"
title = "A Title"

# about zoo
[zoo]
x = 1
# end of zoo

# about the fetch
[doiget]
source = "crossref" # who
tags = [
  "one", # first
  "two",
]
annotation = "good"
fetched_at = "2020-01-01T00:00:00Z"
license = "cc-by"
oa_status = "gold"
own = "kept"

[[list]]
q = 1
# the end
"""
REFETCHED = f"""# my file
schema_version = "1.0" # leave alone

# who wrote it
authors = ["Lovelace, Ada"] # and nobody else
doi = "10.1234/example"
dotted.key = true
mine = {{ a = 1 }}
title = "A Title"
venue = "Nature"
year = 1843

# about the fetch
[doiget]
annotation = "good"
fetched_at = "{NOW}"
license = "cc-by"
oa_status = "gold"
own = "kept"
source = "datacite" # who
tags = [
  "one", # first
  "two",
]

[[list]]
q = 1
# the end

# about zoo
[zoo]
x = 1
# end of zoo
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "papers", ManualClock())
    store.layout.prepare()
    return store


def text_of(store: Store) -> str:
    return store.layout.toml(STEM).read_text()


def values(store: Store) -> dict[str, object]:
    return tomllib.loads(text_of(store))


# references A108
async def test_a_refetch_keeps_what_the_user_wrote(store: Store) -> None:
    store.layout.toml(STEM).write_text(EDITED)
    await store.save(entry(source="datacite", venue="Nature", title="Another", authors=()))
    assert text_of(store) == REFETCHED
    await store.save(entry(source="datacite", venue="Nature"))
    assert text_of(store) == REFETCHED


# references A108
async def test_a_real_licence_and_status_give_way_to_real_ones_only(store: Store) -> None:
    await store.save(entry(license="cc-by", oa_status="gold", call_id="one"))
    await store.save(entry())
    own = values(store)["doiget"]
    assert own == {"fetched_at": NOW, "license": "cc-by", "oa_status": "gold", "source": "crossref"}
    await store.save(entry(license="cc0", oa_status="green"))
    assert values(store)["doiget"] == {**own, "license": "cc0", "oa_status": "green"}


@pytest.mark.parametrize(
    ("held", "fetched", "kept"),
    [
        ("A <i>Title</i>", "A Title", "A Title"),
        ("CSR&amp;amp;D", "CSR&D", "CSR&D"),
        ("M\ufffdller", "Müller", "Müller"),
        ("A Title", "A <i>Title</i>", "A Title"),
        ("A Title", "Another Title", "A Title"),
        ("10.1234/example", "A Title", "A Title"),
    ],
)
async def test_a_stored_text_gives_way_to_the_same_made_whole(store: Store, held: str, fetched: str, kept: str) -> None:
    await store.save(entry(title=held, authors=(Author(held),)))
    await store.save(entry(title=fetched, authors=(Author(fetched),)))
    assert values(store)["title"] == kept


async def test_what_is_known_of_a_stored_pdf_stays_when_only_metadata_are_fetched(store: Store) -> None:
    await store.save(entry(preprint_doi="10.1101/1"), PDF)
    saved = await store.save(entry())
    assert (saved.path, saved.size_bytes) == (store.layout.pdf(STEM), len(PDF))
    assert values(store)["doiget"] == {
        "fetched_at": NOW,
        "license": "unknown",
        "preprint_doi": "10.1101/1",
        "size_bytes": len(PDF),
        "source": "crossref",
    }
    await store.save(entry(), PDF)
    assert "preprint_doi" not in text_of(store)


# references A108
@pytest.mark.parametrize("version", ["2.0", "1.1"])
async def test_a_newer_schema_is_read_and_not_written(
    store: Store, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = EDITED.replace('"1.0"', f'"{version}"')
    store.layout.toml(STEM).write_text(text)
    kept = await store.read(ASKED)
    assert kept is not None and kept.metadata["title"] == "A Title"
    assert caplog.messages == ["store_entry=newer_schema: written by a newer release; it is read, but not changed"]
    for change in (store.save(entry(), PDF), store.tag(ASKED, add=["x"]), store.annotate(ASKED, "x")):
        with pytest.raises(SchemaTooNew):
            await change
    assert text_of(store) == text
    assert not store.layout.pdf(STEM).exists()
    assert [path.name for path in store.layout.root.iterdir()] == [".metadata"]


@pytest.mark.parametrize(
    "text",
    [
        'title = "',
        'schema_version = "x"\ndoi = "10.1234/example"\n',
        'schema_version = 1\ndoi = "10.1234/example"\n',
        "a = " + "[" * 9_999,
    ],
)
async def test_an_entry_that_cannot_be_read_is_never_overwritten(store: Store, text: str) -> None:
    store.layout.toml(STEM).write_text(text)
    with pytest.raises(StoreFailed):
        await store.save(entry(), PDF)
    assert text_of(store) == text
    assert not store.layout.pdf(STEM).exists()


# references A110
async def test_tags_keep_their_order_and_adding_comes_before_removing(store: Store) -> None:
    await store.save(entry())
    assert await store.tag(ASKED, add=["b", "a", "B", "b"], collection_add=["thesis"]) == Tags(
        ("b", "a", "B"), ("thesis",)
    )
    assert await store.tag(ASKED, add=["c", "a"], remove=["b", "c", "z"]) == Tags(("a", "B"), ("thesis",))
    before = text_of(store)
    assert await store.tag(ASKED) == await store.tag(ASKED, add=["a"], remove=["b"]) == Tags(("a", "B"), ("thesis",))
    assert text_of(store) == before
    assert await store.tag(ASKED, remove=["a", "B"], collection_remove=["thesis"]) == Tags((), ())
    assert "tags" not in text_of(store) and "collections" not in text_of(store)


async def test_what_stands_beside_a_tag_stays(store: Store) -> None:
    store.layout.toml(STEM).write_text(EDITED)
    assert await store.tag(ASKED, add=["three"], remove=["two"]) == Tags(("one", "three"), ())
    assert '  "one", # first\n' in text_of(store)


async def test_a_list_that_a_person_wrote_oddly_is_put_right(store: Store) -> None:
    store.layout.toml(STEM).write_text(EDITED.replace('  "two",\n', '  "two", 3, "one", "two",\n'))
    assert await store.tag(ASKED, add=["four"]) == Tags(("one", "two", "four"), ())
    assert values(store)["doiget"]["tags"] == ["one", "two", "four"]  # type: ignore[index]


@pytest.mark.parametrize("own", ["doiget = 3\n", "[[doiget]]\nx = 1\n"])
async def test_what_has_the_name_of_our_table_and_is_none_stays(store: Store, own: str) -> None:
    text = f'schema_version = "1.0"\ndoi = "10.1234/example"\n{own}'
    store.layout.toml(STEM).write_text(text)
    with pytest.raises(StoreFailed):
        await store.save(entry())
    assert text_of(store) == text


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=20)


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), TEXTS | st.lists(TEXTS, max_size=3), max_size=5),
    st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), TEXTS | st.lists(TEXTS, max_size=3), max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_back_and_writing_again_changes_nothing(
    first: dict[str, object], second: dict[str, object]
) -> None:
    document = Document()
    for values in (first, second):
        for key, value in values.items():
            document.put(key, value)
            document.put_own(key, value)
        content = document.rendered()
        document = Document(content)
        assert document.rendered() == content
    lone = "\ud800"
    document.put("lone", [lone])
    assert plain_values(document.rendered())["lone"] == ["?"]


# references A110
async def test_an_annotation_is_replaced_and_clearing_wins(store: Store) -> None:
    await store.save(entry())
    assert await store.annotate(ASKED, 'Two\nlines, "é".') == 'Two\nlines, "é".'
    kept = await store.read(ASKED)
    assert kept is not None and kept.metadata["doiget"]["annotation"] == 'Two\nlines, "é".'
    assert await store.annotate(ASKED, "new", clear=True) is None
    assert "annotation" not in text_of(store)
    for text in (None, "", "  ", "\ud800"):
        with pytest.raises(InvalidInput):
            await store.annotate(ASKED, text)
    with pytest.raises(InvalidInput):
        await store.tag(ASKED, collection_add=[" "])


# references A110
async def test_what_is_not_stored_or_has_no_table_of_ours_is_not_changed(store: Store) -> None:
    for _ in range(2):
        with pytest.raises(StoreFailed, match=r"^The store holds no such entry"):
            await store.tag(ASKED, add=["x"])
        with pytest.raises(StoreFailed, match=r"^The store holds no such entry"):
            await store.annotate(ASKED, "x")
        store.layout.toml(STEM).write_text(
            'schema_version = "1.0"\ntitle = "T"\nauthors = []\ndoi = "10.1234/example"\n'
        )


@pytest.mark.parametrize(
    "table",
    ['doiget = { source = "x" }\n', '[doiget]\nsource = "x"\n[other]\n[doiget.sub]\ny = 1\n', "[doiget.sub]\ny = 1\n"],
)
async def test_an_oddly_written_table_is_changed_rightly_or_left_alone(store: Store, table: str) -> None:
    text = f'schema_version = "1.0"\ntitle = "T"\nauthors = []\ndoi = "10.1234/example"\n{table}'
    store.layout.toml(STEM).write_text(text)
    before = values(store)
    try:
        await store.annotate(ASKED, "new")
    except StoreFailed:
        assert text_of(store) == text
    else:
        assert values(store) == {**before, "doiget": {**before["doiget"], "annotation": "new"}}  # type: ignore[dict-item]
