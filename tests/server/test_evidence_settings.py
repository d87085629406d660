"""Where the evidence set lies, what embeds queries for it, and what bad settings are told."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from core.catalog.upstream.embeddings import RemoteEmbedder
from core.clock import ManualClock
from core.errors import CatalogUnusable, SettingsError
from core.ingest.build import BuildOptions, build_catalog
from server.bootstrap import compose, open_catalog, open_embedder
from server.sample import sample_sources
from server.settings import Settings, parse_settings
from tests.conftest import SAMPLE

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample without its evidence."""
    out = tmp_path_factory.mktemp("bare") / "catalog"
    sources = [source for source in sample_sources(SAMPLE) if source.kind != "evidence"]
    build_catalog(sources, out, options=BuildOptions(clock=ManualClock()), progress=None)
    return out


def settings(catalog: Path | str, **more: str) -> Settings:
    overrides = {"catalog_url": f"file:{catalog}" if isinstance(catalog, Path) else catalog, "embedder": "none"}
    return parse_settings({}, overrides={**overrides, **more}, serving=False)


async def total_of_claims(parsed: Settings) -> Any:
    opened = open_catalog(parsed)
    service = compose(parsed, opened, ManualClock(), counted=False)
    try:
        outcome = await service.toolsets[parsed.toolsets.index("evidence")].call("search_claims", {"limit": 1})
    finally:
        for close in service.closers:
            await close()
    return outcome.code or (outcome.structured or {})["total"]


async def test_a_catalogs_own_set_or_a_named_one_is_read(sample_directory: Path, bare: Path) -> None:
    own = await total_of_claims(settings(sample_directory))
    assert own > 100
    named = str(sample_directory / "evidence")
    assert await total_of_claims(settings(bare, evidence=named)) == own
    assert await total_of_claims(settings("https://catalog.example", evidence=named)) == own
    for catalog in (bare, "https://catalog.example"):
        assert await total_of_claims(settings(catalog)) == "unavailable"


def test_a_set_that_is_none_changed_or_doubled_stops_the_start(
    sample_directory: Path, bare: Path, tmp_path: Path
) -> None:
    with pytest.raises(CatalogUnusable, match="no evidence set"):
        open_catalog(settings(bare, evidence=str(tmp_path)))
    with pytest.raises(CatalogUnusable, match="Leave PAPERDESK_EVIDENCE empty"):
        open_catalog(settings(sample_directory, evidence=str(sample_directory / "evidence")))
    shutil.copytree(sample_directory / "evidence", tmp_path / "set")
    with (tmp_path / "set" / "evidence.sqlite").open("ab") as file:
        file.write(b"x")
    with pytest.raises(CatalogUnusable, match="missing or was changed"):
        open_catalog(settings(bare, evidence=str(tmp_path / "set")))


def test_a_service_without_the_two_toolsets_opens_no_set(sample_directory: Path, tmp_path: Path) -> None:
    parsed = settings(sample_directory, evidence=str(tmp_path), toolsets="catalog,references")
    open_catalog(parsed).close()


def test_an_embeddings_service_is_named_with_its_model_and_dimensions() -> None:
    made = open_embedder("https://api.example/v1/embeddings#text-embedding-3-small@1536", key="sk")
    assert isinstance(made, RemoteEmbedder)
    assert (made.model, made.dimensions) == ("text-embedding-3-small@remote", 1536)
    with pytest.raises(SettingsError, match="--vectors: write the model"):
        open_embedder("https://api.example/v1/embeddings", named="--vectors")


@pytest.mark.parametrize(
    "value",
    [
        "https://api.example/v1/embeddings",
        "https://api.example/v1/embeddings#model",
        "https://api.example/v1/embeddings#model@0",
        "https://api.example/v1/embeddings#@12",
        "http://api.example/v1/embeddings#model@12",
        "https://user@api.example/v1#model@12",
    ],
)
def test_an_address_that_is_none_is_told(value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings({"PAPERDESK_EMBEDDER": value})
    (problem,) = caught.value.problems
    assert problem.startswith("PAPERDESK_EMBEDDER: write ")


def test_the_key_is_never_shown_and_the_floor_is_bounded() -> None:
    parsed = parse_settings({"PAPERDESK_EMBEDDER_KEY": "sk-planted", "PAPERDESK_SEMANTIC_FLOOR": "0.5"})
    assert "sk-planted" not in repr(parsed) and parsed.semantic_floor == 0.5
    assert parse_settings({}).semantic_floor == 0.2
    with pytest.raises(SettingsError, match="number from 0 to 1"):
        parse_settings({"PAPERDESK_SEMANTIC_FLOOR": "1.1"})


def test_budgets_of_evidence_searches_have_their_settings() -> None:
    parsed = parse_settings({"PAPERDESK_KEY_LIMIT_SEMANTIC_DAILY": "7"})
    assert (parsed.limit_semantic_per_minute, parsed.limit_semantic_daily) == (6, 50)
    assert (parsed.key_limit_semantic_per_minute, parsed.key_limit_semantic_daily) == (30, 7)
    assert (parsed.shared_limit_semantic_per_minute, parsed.shared_limit_semantic_daily) == (60, 2000)
