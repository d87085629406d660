"""Vectors of papers, from title and abstract."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.vectors import VectorsBuilder

EMBEDDED_FIELDS = ("title", "abstract")
_BATCH_PAPERS = 256
_TEXTS = "SELECT pid, title, abstract FROM paper WHERE title IS NOT NULL OR abstract IS NOT NULL ORDER BY pid"


def embedded_text(title: str | None, abstract: str | None) -> str:
    """What is embedded of a paper."""
    return "\n".join(part for part in (title, abstract) if part)


def write_vectors(
    connection: sqlite3.Connection, directory: Path, embedder: Embedder, advanced: Callable[[int], None]
) -> None:
    """Writes one vector for each paper that has any text."""
    with VectorsBuilder(directory, model=embedder.model, dimensions=embedder.dimensions) as builder:
        cursor = connection.execute(_TEXTS)
        while batch := cursor.fetchmany(_BATCH_PAPERS):
            vectors = embedder.embed([embedded_text(title, abstract) for _, title, abstract in batch])
            builder.add([pid for pid, _, _ in batch], vectors)
            advanced(len(batch))
        builder.finish()
