"""A catalog is served only when every byte is as it was built."""

import json
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import blake3
import orjson
import pytest

from core.catalog.embedded.manifest import (
    FORMAT,
    EmbeddingRecord,
    Manifest,
    SourceRecord,
    open_manifest,
    write_manifest,
)
from core.errors import CatalogUnusable

SOURCE = SourceRecord(
    "pwc", "dump.json", "ab" * 32, "CC BY-SA 4.0", 11, 8, {"no title": 2}, {"the same row": 1}, {"no date": 3}
)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "text").mkdir()
    (tmp_path / "catalog.sqlite").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "text" / "a.idx").write_bytes(b"index")
    (tmp_path / "text" / ".tantivy-meta.lock").touch()
    (tmp_path / "empty").touch()
    return tmp_path


def write(directory: Path, embedding: EmbeddingRecord | None = None) -> Manifest:
    return write_manifest(
        directory,
        built_at="2025-07-01T00:00:00Z",
        as_of="2025-06-30",
        content_id="cd" * 32,
        counts={"papers": 8},
        sources=[SOURCE],
        embedding=embedding,
        conflicts={"title": 1},
    )


@pytest.mark.parametrize("embedding", [None, EmbeddingRecord("m@1", 384, ("title", "abstract"))])
def test_what_is_written_is_read_back_whole(directory: Path, embedding: EmbeddingRecord | None) -> None:
    written = write(directory, embedding)
    assert open_manifest(directory) == written
    assert (written.format, written.sources, written.embedding) == (FORMAT, (SOURCE,), embedding)
    assert {name: record.bytes for name, record in written.files.items()} == {
        "catalog.sqlite": 25600,
        "text/a.idx": 5,
        "empty": 0,
    }


def test_a_lock_that_appears_later_changes_nothing(directory: Path) -> None:
    written = write(directory)
    (directory / "text" / ".tantivy-writer.lock").touch()
    assert open_manifest(directory) == written


def edit(directory: Path, **changes: object) -> None:
    path = directory / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_every_breach_names_itself_and_the_way_out(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    def refusal(at: Path = directory) -> str:
        with pytest.raises(CatalogUnusable) as caught:
            open_manifest(at)
        return caught.value.message

    assert "no catalog directory" in refusal(directory / "nowhere")
    assert "holds no manifest.json" in refusal()
    write(directory)
    sealed = (directory / "manifest.json").read_bytes()

    edit(directory, as_of="2030-01-01")
    assert "was changed after the build" in refusal()
    edit(directory, format=FORMAT + 1)
    assert f"has format {FORMAT + 1}, this paperdesk reads format {FORMAT}" in refusal()
    for broken in (b"{", b"[]", b"{}", b'{"format": "1"}'):
        (directory / "manifest.json").write_bytes(broken)
        assert "`paperdesk catalog build`" in refusal()

    (directory / "manifest.json").write_bytes(sealed)
    (directory / "text" / "a.idx").write_bytes(b"indox")
    assert "content of text/a.idx" in refusal()
    (directory / "text" / "a.idx").write_bytes(b"inde")
    assert "text/a.idx of the catalog" in refusal()
    assert "4 bytes instead of 5" in refusal()
    (directory / "text" / "a.idx").unlink()
    assert "text/a.idx is missing" in refusal()


def paths_of(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values within a JSON value."""
    yield at
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_of(child, (*at, key))


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """A JSON value with another one at a place; `...` removes what is there."""
    if not at:
        return new
    if isinstance(value, list):
        return [replaced(each, at[1:], new) if place == at[0] else each for place, each in enumerate(value)]
    changed = {key: replaced(each, at[1:], new) if key == at[0] else each for key, each in value.items()}
    return {key: each for key, each in changed.items() if each is not ...}


def seal_anew(directory: Path, fields: dict[str, Any]) -> None:
    """Writes a manifest as somebody who knows how it is sealed would."""
    unsealed = {name: value for name, value in fields.items() if name != "seal"}
    seal = blake3.blake3(orjson.dumps(unsealed, option=orjson.OPT_SORT_KEYS)).hexdigest()
    (directory / "manifest.json").write_bytes(orjson.dumps(unsealed | {"seal": seal}))


WRONG: tuple[Any, ...] = (None, True, -1.5, "other", [], {}, [1], {"a": [1]}, 1 << 63, "a\x00b", ...)


def test_a_sealed_manifest_with_any_field_of_another_type_is_refused(directory: Path) -> None:
    write(directory, EmbeddingRecord("m@1", 384, ("title", "abstract")))
    fields = json.loads((directory / "manifest.json").read_text())
    free = {
        ("counts",),
        ("conflicts",),
        ("files",),
        *(("sources", 0, name) for name in ("skipped", "merged", "left_out")),
    }
    nullable = {("as_of",), ("embedding",), ("sources", 0, "licence")}
    for at in paths_of(fields):
        if not at or at == ("seal",):
            continue
        old = reduce(getitem, at, fields)
        is_optional = isinstance(at[-1], int) or at[:-1] in free
        for new in WRONG:
            if type(new) is type(old) or (new is None and at in nullable) or (new is ... and is_optional):
                continue
            seal_anew(directory, replaced(fields, at, new))
            with pytest.raises(CatalogUnusable):
                open_manifest(directory)


@pytest.mark.parametrize("name", ["a\x00b", "x" * 5000, "../elsewhere", "text"])
def test_a_sealed_manifest_of_files_that_cannot_be_is_refused(directory: Path, name: str) -> None:
    write(directory)
    fields = json.loads((directory / "manifest.json").read_text())
    seal_anew(directory, fields | {"files": {name: {"bytes": 0, "blake3": "00"}}})
    with pytest.raises(CatalogUnusable):
        open_manifest(directory)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_directory_that_cannot_be_is_no_catalog(tmp_path: Path, name: str) -> None:
    with pytest.raises(CatalogUnusable, match="There is no catalog directory"):
        open_manifest(tmp_path / name)
