"""Builds the test catalog as an operator would."""

from pathlib import Path

from core.catalog.embedded.embedding import Embedder
from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog, parse_source
from tests.odd_catalog import write_odd_catalog
from tests.odd_papers import AS_OF


def build_odd_catalog(folder: Path, embedder: Embedder | None) -> Path:
    """Writes the input and the built catalog into an empty folder; returns the catalog's directory."""
    source, out = folder / "input", folder / "catalog"
    write_odd_catalog(source)
    sources = [parse_source(f"paperdesk:{source}"), parse_source(f"markdown:{source / 'fulltext'}")]
    build_catalog(sources, out, options=BuildOptions(clock=SystemClock(), as_of=AS_OF, embedder=embedder))
    return out
