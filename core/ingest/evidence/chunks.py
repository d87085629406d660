"""Chunks of papers and the vectors of chunks and claims (contract 5.4)."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.vectors import VectorsBuilder
from core.evidence.stored.columns import write_columns
from core.evidence.stored.evidence_set import COLUMNS_NAME, VECTOR_FOLDERS
from core.ingest.evidence.catalog_papers import CatalogPapers
from core.ingest.evidence.corpus import Claim
from core.ingest.evidence.schema import Json

CHUNK_CHARS = 1_200
_BATCH_TEXTS = 256
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a paper and the section it begins in."""

    section: str | None
    text: str


def chunks_of(text: str, section: str | None = None) -> Iterator[Chunk]:
    """Pieces of about 1,200 characters, cut at paragraph ends; only a longer paragraph is cut inside, at a blank."""
    held: list[str] = []
    begun = section
    for paragraph in _pieces(text):
        heading = _HEADING.match(paragraph)
        if held and (heading or sum(map(len, held)) + len(paragraph) > CHUNK_CHARS):
            yield Chunk(begun, "\n\n".join(held))
            held = []
        if heading:
            section = heading[1]
        if not held:
            begun = section
        held.append(paragraph)
    if held:
        yield Chunk(begun, "\n\n".join(held))


def _pieces(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPHS.split(text):
        rest = paragraph.strip()
        while len(rest) > CHUNK_CHARS:
            blank = rest.rfind(" ", CHUNK_CHARS // 2, CHUNK_CHARS)
            end = CHUNK_CHARS if blank < 0 else blank
            yield rest[:end]
            rest = rest[end:].strip()
        if rest:
            yield rest


def paper_chunks(body: Json, full_text: str | None) -> list[Chunk]:
    """Abstract, takeaway and summary, then the stored text; the title alone where there is none of them."""
    found: list[Chunk] = []
    for name in ("abstract", "takeaway", "summary_markdown"):
        found += chunks_of(body.get(name, ""), "Abstract" if name == "abstract" else "Summary")
    return found + list(chunks_of(full_text or "")) or [Chunk(None, body["title"])]


def write_vectors(
    directory: Path,
    connection: sqlite3.Connection,
    pids: Sequence[int],
    papers: CatalogPapers,
    bodies: Sequence[Json],
    claims: Sequence[Claim],
    embedder: Embedder | None,
) -> tuple[str, int] | None:
    """Writes chunks with their vectors and the vectors of claims; None, and neither, without an embedder."""
    owners: list[int] = []
    if embedder is None:
        write_columns(directory / COLUMNS_NAME, "chunk", {"paper": owners})
        return None
    texts: list[str] = []
    rows = []
    for paper, (pid, body) in enumerate(zip(pids, bodies, strict=True)):
        for place, chunk in enumerate(paper_chunks(body, papers.text(pid))):
            rows.append((len(owners), paper, f"{body['paper_id']}#{place}", chunk.section, chunk.text))
            texts.append(chunk.text if chunk.text == body["title"] else f"{body['title']}\n{chunk.text}")
            owners.append(paper)
    connection.executemany("INSERT INTO chunk VALUES (?, ?, ?, ?, ?)", rows)
    write_columns(directory / COLUMNS_NAME, "chunk", {"paper": owners})
    _embed(directory / VECTOR_FOLDERS["papers"], texts, embedder)
    _embed(directory / VECTOR_FOLDERS["claims"], [claim.body["claim_text"] for claim in claims], embedder)
    return embedder.model, embedder.dimensions


def _embed(directory: Path, texts: Sequence[str], embedder: Embedder) -> None:
    model, dimensions = embedder.model, embedder.dimensions
    with VectorsBuilder(directory, model=model, dimensions=dimensions, has_coarse=True) as builder:
        for start in range(0, len(texts), _BATCH_TEXTS):
            batch = texts[start : start + _BATCH_TEXTS]
            builder.add(range(start, start + len(batch)), embedder.embed(batch))
        builder.finish()
