"""Writes papers with all that hangs on them, one by one in the order of their numbers, and feeds the text index."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from core.catalog.embedded.text_index import IndexDocument, TextIndexBuilder
from core.catalog.models import EntityKind
from core.folds import fold_hash, key_fold, plain_fold
from core.ingest.authors import Authors
from core.ingest.entities import Entities
from core.ingest.facts import Precedence
from core.ingest.ids import derived_id
from core.ingest.merge import Facts, merged
from core.ingest.ranks import PaperRanks
from core.ingest.records import Records, json_list
from core.ingest.staging import Staging, is_internal

_GROUPS = "SELECT pid, id, slug, published_day FROM grp ORDER BY pid"
_FACTS = """
SELECT member.pid, member.precedence, doc_facts.facts FROM member CROSS JOIN doc_facts ON doc_facts.seq = member.seq
ORDER BY member.pid, member.place
"""
_LINKED = (
    ("tasks", EntityKind.TASK, "paper_task"),
    ("methods", EntityKind.METHOD, "paper_method"),
    ("organizations", EntityKind.ORGANIZATION, "paper_organization"),
    ("frameworks", EntityKind.FRAMEWORK, "paper_framework"),
)
_REPOSITORY_FACTS = ("mentioned_in_paper", "mentioned_in_repository", "framework", "stars")
_PAGES = {
    "arxiv": "https://arxiv.org/abs/{}",
    "doi": "https://doi.org/{}",
    "openreview": "https://openreview.net/forum?id={}",
    "acl": "https://aclanthology.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "openalex": "https://openalex.org/{}",
}
_RECORDED = [
    "arxiv_id",
    "doi",
    "title",
    "abstract",
    "published",
    "venue",
    "url_abs",
    "url_pdf",
    "citation_count",
    "velocity",
    "is_retracted",
    "version",
    "is_latest",
]
_BLOCK_PAPERS = 1000


@dataclass(slots=True)
class _Paper:
    """One paper with its links resolved."""

    pid: int
    id: int
    slug: str
    facts: Facts
    authors: list[tuple[int, str]]
    links: dict[str, list[int]]
    conference_id: int | None
    has_official: bool
    published_day: int | None
    ranks: tuple[int, ...]


class PapersWriter:
    """Writes `paper`, its link tables and the text index.

    With `archive_has_links`, an archive paper of which no repository is listed is known to have none.
    """

    def __init__(
        self,
        staging: Staging,
        records: Records,
        index: TextIndexBuilder,
        *,
        entities: Entities,
        authors: Authors,
        ranks: PaperRanks,
        archive_has_links: bool,
    ) -> None:
        self._connection = staging.connection
        self._records = records
        self._index = index
        self._entities = entities
        self._authors = authors
        self._ranks = ranks
        self._archive_has_links = archive_has_links
        self.conflicts: Counter[str] = Counter()

    def write(self, advanced: Callable[[int], None]) -> None:
        """Writes all papers."""
        written = 0
        for paper in self._papers():
            self._write_paper(paper)
            self._write_links(paper)
            self._index.add(_document(paper))
            self._records.record("paper", _record(paper, self._authors.settled))
            written += 1
            if written == _BLOCK_PAPERS:
                advanced(written)
                written = 0
        advanced(written)

    def _papers(self) -> Iterator[_Paper]:
        members = groupby(self._connection.execute(_FACTS), key=lambda row: row[0])
        groups = self._connection.execute(_GROUPS)
        for (pid, number, slug, day), (_, rows), ranks in zip(groups, members, self._ranks.by_pid(), strict=True):
            described = [(precedence, orjson.loads(blob)) for _, precedence, blob in rows]
            facts = merged(described, self.conflicts)
            if self._archive_has_links and any(precedence == Precedence.ARCHIVE for precedence, _ in described):
                facts.setdefault("repositories", [])
            yield self._resolved((pid, number, slug, day), facts, ranks)

    def _resolved(self, numbers: tuple[int, int, str, int | None], facts: Facts, ranks: tuple[int, ...]) -> _Paper:
        entities = self._entities
        if repositories := facts.get("repositories"):
            repositories.sort(key=lambda each: not each.get("is_official"))
        conference = facts.get("conference")
        pid, number, slug, published_day = numbers
        return _Paper(
            pid,
            number,
            slug,
            facts,
            authors=self._authors.resolved(facts.get("authors", [])),
            links={name: entities.links(kind, facts.get(name, ())) for name, kind, _ in _LINKED},
            conference_id=None if conference is None else entities.ids[EntityKind.CONFERENCE][conference],
            has_official=any(each.get("is_official") for each in repositories or ()),
            published_day=published_day,
            ranks=ranks,
        )

    def _write_paper(self, paper: _Paper) -> None:
        facts = paper.facts
        get = facts.get
        title = get("title")
        repositories = get("repositories")
        names = (get("arxiv_id"), paper.slug, get("doi"), title, get("abstract"), *_folds(title))
        places = (get("published"), paper.published_day, get("venue"), paper.conference_id)
        links = (get("url_abs"), get("url_pdf"), _source_url(facts))
        figures = (get("citation_count"), get("velocity"), get("is_retracted"), get("version"), get("is_latest", True))
        authors = (json_list([name for _, name in paper.authors]), len(paper.authors))
        code = (paper.has_official, None if repositories is None else len(repositories))
        source = "arxiv" if "arxiv_id" in facts else "external"
        row = (paper.pid, paper.id, *names, *places, *links, *figures, source, *authors, *code, *paper.ranks)
        self._records.add("paper", row)

    def _write_links(self, paper: _Paper) -> None:
        pid, add = paper.pid, self._records.add_all
        add("paper_author", [(pid, place, author) for place, (author, _) in enumerate(paper.authors)])
        for name, _, table in _LINKED:
            add(table, [(pid, place, number) for place, number in enumerate(paper.links[name])])
        for place, each in enumerate(paper.facts.get("repositories", ())):
            stated = [each.get(name) for name in _REPOSITORY_FACTS]
            self._records.add("repository", (pid, place, each["url"], bool(each.get("is_official")), *stated))
        for kind, values in paper.facts.get("resources", {}).items():
            add("resource", [(pid, kind, place, value) for place, value in enumerate(values)])


def _document(paper: _Paper) -> IndexDocument:
    facts, links, ranks = paper.facts, paper.links, paper.ranks
    return IndexDocument(
        pid=paper.pid,
        title=facts.get("title", ""),
        abstract=facts.get("abstract", ""),
        authors=", ".join([name for _, name in paper.authors]),
        published_day=paper.published_day,
        has_official=paper.has_official,
        is_latest=facts.get("is_latest", True),
        task_ids=tuple(links["tasks"]),
        method_ids=tuple(links["methods"]),
        conference_id=paper.conference_id,
        framework_ids=tuple(links["frameworks"]),
        organization_ids=tuple(links["organizations"]),
        author_ids=tuple({number: None for number, _ in paper.authors}),
        trending_rank=ranks[0],
        trending_rank_asc=ranks[1],
        published_rank=ranks[2],
        published_rank_asc=ranks[3],
        citation_rank=ranks[4],
        citation_rank_asc=ranks[5],
    )


def _record(paper: _Paper, settled: frozenset[int]) -> list[Any]:
    """What sources state of a paper; author ids only where they do not follow from the name."""
    get, slug = paper.facts.get, paper.slug
    idents = [f"{scheme}:{value}" for scheme, value in paper.facts["idents"] if not is_internal(scheme)]
    authors = [
        name if _follows(number, name, stated, settled) else [number, name]
        for (number, name), stated in zip(paper.authors, get("authors", ()), strict=True)
    ]
    resources = {kind: values for kind, values in get("resources", {}).items() if values}
    repositories = get("repositories")
    if repositories:
        repositories = [{k: v for k, v in each.items() if v is not None and v is not False} for each in repositories]
    own_slug = f"slug:{slug}"
    stated = [get(name) for name in _RECORDED]
    links = [paper.links[name] for name, _, _ in _LINKED]
    identity = [paper.id, slug, sorted(ident for ident in idents if ident != own_slug)]
    return [*identity, *stated, authors, paper.conference_id, *links, resources, repositories]


def _follows(number: int, name: str, stated: str | list[str], settled: frozenset[int]) -> bool:
    """Whether an author's id follows from the name."""
    if isinstance(stated, str):
        return number not in settled
    return number == derived_id("author", plain_fold(name))


def _folds(title: str | None) -> tuple[int | None, int | None, int | None, int | None]:
    """Hashes of the title and of the short name before its first colon, under the plain and the key fold."""
    if title is None:
        return None, None, None, None
    short, colon, _ = title.partition(":")
    whole = fold_hash(plain_fold(title)), _key_hash(title)
    return (*whole, fold_hash(plain_fold(short)), _key_hash(short)) if colon and short.strip() else (*whole, None, None)


def _key_hash(text: str) -> int | None:
    key = key_fold(text)
    return fold_hash(key) if key else None


def _source_url(facts: Facts) -> str | None:
    """Where the paper can be seen at the source of its best identifier."""
    if "arxiv_id" in facts:
        return _PAGES["arxiv"].format(facts["arxiv_id"])
    values: dict[str, str] = {}
    for scheme, value in facts["idents"]:
        values.setdefault(scheme, value)
    if "doi" in facts:
        values["doi"] = facts["doi"]
    return next((page.format(values[scheme]) for scheme, page in _PAGES.items() if scheme in values), None)
