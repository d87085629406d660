"""Writes a sound corpus as an evidence set: records, word indexes, columns, then what the set says of itself."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from core.catalog.embedded.embedding import Embedder
from core.evidence.folding import folded_text
from core.evidence.stored.about import write_about
from core.evidence.stored.columns import MISSING, code, write_columns
from core.evidence.stored.evidence_set import CLAIM_FIELDS, COLUMNS_NAME, PAPER_FIELDS, RECORDS_NAME, WORDS_NAME
from core.evidence.stored.words_builder import FieldBuilder
from core.evidence.vocabulary import DIRECTIONS, EFFECT_TYPES, EVIDENCE_GRADES, LEVELS, PAPER_TYPES, THEMES
from core.evidence.weights import WEIGHT_VERSION
from core.ingest.evidence.catalog_papers import CatalogPaper, CatalogPapers
from core.ingest.evidence.chunks import write_vectors
from core.ingest.evidence.corpus import Claim, Corpus, by_paper
from core.ingest.evidence.paper_bodies import brief_of, listed_of, paper_body, searched_texts
from core.ingest.evidence.people import Person, people
from core.ingest.evidence.schema import Json

_ROWS_SHOWN = 8


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class _Numbered:
    """The corpus in the order of its numbers."""

    pids: list[int]
    claims: list[Claim]
    people: list[Person]
    author_ids: dict[int, list[str | None]]
    paper_numbers: dict[int, int]
    claim_numbers: dict[int, int]


class EvidenceWriter:
    """Writes one corpus into a new folder."""

    def __init__(self, directory: Path, corpus: Corpus, papers: CatalogPapers, categories: Sequence[str]) -> None:
        self._directory = directory
        self._corpus = corpus
        self._papers = papers
        self._categories = tuple(categories)
        for name in (WORDS_NAME, COLUMNS_NAME):
            (directory / name).mkdir(parents=True)
        self._connection = sqlite3.connect(directory / RECORDS_NAME, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        schema = files("core.evidence.stored").joinpath("schema.sql").read_text(encoding="utf-8")
        self._connection.executescript(schema)

    def write(self, corpus_version: str, embedder: Embedder | None) -> dict[str, int]:
        """Writes everything and returns how much of each there is."""
        numbered = self._numbered()
        bodies = self._bodies(numbered)
        self._connection.execute("BEGIN")
        sources = sorted({paper["source"] for paper in bodies})
        self._rows("source", list(enumerate(sources)))
        self._rows("category", list(enumerate(self._categories)))
        self._write_papers(numbered, bodies)
        self._write_claims(numbered)
        self._write_people(numbered)
        self._rows("digest", [(*digest[:3], _text(digest[3])) for digest in self._corpus.digests])
        self._write_columns(numbered, bodies, sources)
        self._write_words(numbered, bodies)
        space = write_vectors(
            self._directory, self._connection, numbered.pids, self._papers, bodies, numbered.claims, embedder
        )
        self._connection.execute("COMMIT")
        self._connection.execute("ANALYZE")
        self._connection.close()
        counts = {
            "papers": len(bodies),
            "claims": len(numbered.claims),
            "relations": len(self._corpus.relations),
            "authors": len(numbered.people),
            "digests": len(self._corpus.digests),
        }
        write_about(
            self._directory, corpus_version=corpus_version, weight_version=WEIGHT_VERSION, counts=counts, space=space
        )
        return counts

    def _numbered(self) -> _Numbered:
        def order(pid: int) -> tuple[int, int, str]:
            relevance = self._corpus.assessments.get(pid, {}).get("relevance", 0)
            paper = self._papers.get(pid)
            return -relevance, -(paper.published_day or 0), paper.names.paper_id

        pids = sorted(self._corpus.pids, key=order)
        claims = sorted(self._corpus.claims.values(), key=lambda claim: (-claim.weight, claim.claim_id))
        found, author_ids = people(self._corpus.entities, {pid: self._papers.get(pid).authors for pid in pids})
        return _Numbered(
            pids=pids,
            claims=claims,
            people=found,
            author_ids=author_ids,
            paper_numbers={pid: no for no, pid in enumerate(pids)},
            claim_numbers={claim.claim_id: no for no, claim in enumerate(claims)},
        )

    def _bodies(self, numbered: _Numbered) -> list[Json]:
        assessments = self._corpus.assessments
        return [
            paper_body(self._papers.get(pid), assessments.get(pid), numbered.author_ids[pid]) for pid in numbered.pids
        ]

    def _rows(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def _write_papers(self, numbered: _Numbered, bodies: Sequence[Json]) -> None:
        claims = by_paper(numbered.claims)
        rows, identifiers = [], []
        for no, (pid, body) in enumerate(zip(numbered.pids, bodies, strict=True)):
            paper = self._papers.get(pid)
            texts = searched_texts(paper, body, [claim.body["claim_text"] for claim in claims.get(pid, ())])
            is_retracted = body["retraction"]["status"] == "retracted"
            listed = listed_of(body, len(claims.get(pid, ())), _ROWS_SHOWN)
            names = (no, body["paper_id"], paper.names.arxiv or paper.names.catalog, *_folds(paper.title))
            rows.append((*names, _text(brief_of(body)), _text(listed), _text(body), is_retracted, _text(texts)))
            identifiers += [(scheme, value, no) for scheme, value in paper.identifiers]
        self._rows("paper", rows)
        self._rows("identifier", identifiers)

    def _write_claims(self, numbered: _Numbered) -> None:
        numbers = numbered.claim_numbers
        rows = [
            (
                no,
                claim.claim_id,
                numbered.paper_numbers[claim.pid],
                _text(claim.body),
                _text(claim.counts),
                claim.balance,
            )
            for no, claim in enumerate(numbered.claims)
        ]
        self._rows("claim", rows)
        relations = [
            (
                each["relation_id"],
                each["type"],
                numbers[each["from_claim"]],
                numbers[each["to_claim"]],
                float(each["confidence"]),
                each.get("rationale"),
            )
            for each in self._corpus.relations
        ]
        self._rows("relation", sorted(relations))

    def _write_people(self, numbered: _Numbered) -> None:
        rows, links, tokens = [], [], []
        for no, person in enumerate(numbered.people):
            body = person.body
            names = (body["display_name"], person.order[2], body["paper_count"], _text(person.variants))
            rows.append((no, body["author_id"], body["is_entity"], *names, _text(body)))
            links += [(no, numbered.paper_numbers[pid]) for pid in sorted(person.pids)]
            tokens += [(token, no, is_last) for token, is_last in person.tokens().items()]
        self._rows("author", rows)
        self._rows("author_paper", links)
        self._rows("name_token", sorted(tokens))

    def _write_columns(self, numbered: _Numbered, bodies: Sequence[Json], sources: Sequence[str]) -> None:
        claims, types = numbered.claims, self._corpus.assessments
        bodies_of = [claim.body for claim in claims]
        write_columns(
            self._directory / COLUMNS_NAME,
            "claim",
            {
                "claim_id": [claim.claim_id for claim in claims],
                "weight": [claim.weight for claim in claims],
                "direction": [code(body.get("direction"), DIRECTIONS) for body in bodies_of],
                "effect_type": [code(body.get("effect", {}).get("type"), EFFECT_TYPES) for body in bodies_of],
                "grade": [code(body["evidence_grade"], EVIDENCE_GRADES) for body in bodies_of],
                "category": [self._categories.index(body["outcome_category"]) for body in bodies_of],
                "paper_type": [code(types.get(claim.pid, {}).get("paper_type"), PAPER_TYPES) for claim in claims],
                "paper": [numbered.paper_numbers[claim.pid] for claim in claims],
            },
        )
        ranks = {paper_id: rank for rank, paper_id in enumerate(sorted(body["paper_id"] for body in bodies))}
        assessed = [body.get("assessment", {}) for body in bodies]
        papers: list[CatalogPaper] = [self._papers.get(pid) for pid in numbered.pids]
        write_columns(
            self._directory / COLUMNS_NAME,
            "paper",
            {
                "year": [MISSING if paper.year is None else paper.year for paper in papers],
                "relevance": [each.get("relevance", MISSING) for each in assessed],
                "paper_type": [code(each.get("paper_type"), PAPER_TYPES) for each in assessed],
                "methods_rigor": [code(each.get("methods_rigor"), LEVELS) for each in assessed],
                "evidence_strength": [code(each.get("evidence_strength"), LEVELS) for each in assessed],
                "source": [sources.index(body["source"]) for body in bodies],
                "themes": [sum(1 << THEMES.index(theme) for theme in body["themes"]) for body in bodies],
                "id_rank": [ranks[body["paper_id"]] for body in bodies],
                "published_day": [MISSING if paper.published_day is None else paper.published_day for paper in papers],
            },
        )

    def _write_words(self, numbered: _Numbered, bodies: Sequence[Json]) -> None:
        folder = self._directory / WORDS_NAME
        claims = by_paper(numbered.claims)
        (claim_field,) = CLAIM_FIELDS
        of_claims = FieldBuilder(claim_field)
        for claim in numbered.claims:
            of_claims.add([claim.body["claim_text"]])
        of_claims.write(folder, self._connection)
        fields = [FieldBuilder(name) for name in PAPER_FIELDS]
        for pid, body in zip(numbered.pids, bodies, strict=True):
            texts = [claim.body["claim_text"] for claim in claims.get(pid, ())]
            searched = searched_texts(self._papers.get(pid), body, texts)
            for builder, name in zip(fields, PAPER_FIELDS, strict=True):
                builder.add(searched.get(name, []))
        for builder in fields:
            builder.write(folder, self._connection)


def _folds(title: str) -> tuple[str, str | None]:
    short, colon, _ = title.partition(":")
    return folded_text(title), (folded_text(short) or None) if colon else None
