"""The sample catalog is built once, where it may be, and never served damaged."""

import json
from pathlib import Path

import pytest

from core.catalog.embedded.manifest import MANIFEST_NAME, open_manifest
from core.errors import CatalogUnusable
from server.sample import BuiltSample, ensure_sample, sample_digest


class Stages:
    """A progress that remembers which stages ran."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def started(self, name: str, total: int | None) -> None:
        self.names.append(name)

    def advanced(self, n: int) -> None:
        pass

    def finished(self) -> None:
        pass


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    own = tmp_path / "sources" / "paperdesk"
    own.mkdir(parents=True)
    paper = {"key": "p", "title": "A lantern", "arxiv_id": "2501.00001", "published": "2025-01-02"}
    (own / "papers.jsonl").write_text(json.dumps(paper) + "\n")
    return own.parent


def ensure(sources: Path, cache: Path) -> tuple[BuiltSample, bool]:
    """The sample, and whether anything was built for it."""
    stages = Stages()
    return ensure_sample(sources, cache=cache, progress=stages), bool(stages.names)


def test_the_sample_is_built_on_first_use_and_opened_afterwards(sources: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "paperdesk"
    first, built_first = ensure(sources, cache)
    second, built_second = ensure(sources, cache)
    assert first.directory == second.directory == cache / f"sample-{sample_digest(sources, None)}"
    assert (built_first, built_second) == (True, False)
    assert open_manifest(first.directory).counts["papers"] == 1
    first.discard()
    assert first.directory.is_dir()


def test_another_byte_or_model_is_another_sample(sources: Path) -> None:
    before = sample_digest(sources, None)
    assert sample_digest(sources, "model") != before
    with (sources / "paperdesk" / "papers.jsonl").open("a") as file:
        file.write("\n")
    assert sample_digest(sources, None) != before


def test_a_damaged_sample_is_built_again(sources: Path, tmp_path: Path) -> None:
    first, _ = ensure(sources, tmp_path)
    (first.directory / MANIFEST_NAME).write_text("{}")
    second, built = ensure(sources, tmp_path)
    assert (second.directory, built) == (first.directory, True)
    assert open_manifest(second.directory).counts["papers"] == 1


def test_a_cache_that_cannot_be_used_gives_a_sample_for_this_process(
    sources: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file_in_the_way = tmp_path / "cache"
    file_in_the_way.write_text("")
    sample, built = ensure(sources, file_in_the_way)
    assert built
    assert open_manifest(sample.directory).counts["papers"] == 1
    assert "sample_cache_unusable" in caplog.text
    sample.discard()
    assert not sample.directory.exists()


def test_an_installation_without_sources_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CatalogUnusable, match="has no sample catalog"):
        ensure_sample(tmp_path, cache=tmp_path / "cache")
