"""Writes papers with all that hangs on them, one by one in the order of their numbers, and feeds the text index."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import orjson

from core.catalog.embedded.text_index import IndexDocument, TextIndexBuilder
from core.catalog.models import EntityKind
from core.folds import fold_hash, key_fold, plain_fold
from core.ingest.authors import Authors
from core.ingest.dates import first_day
from core.ingest.entities import Entities
from core.ingest.facts import Precedence
from core.ingest.ids import derived_id
from core.ingest.merge import Facts, merged
from core.ingest.ranks import PaperRanks
from core.ingest.records import Records, json_list
from core.ingest.staging import Staging, is_internal

_GROUPS = "SELECT pid, id, slug FROM grp ORDER BY pid"
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


class PapersWriter:
    """Writes `paper`, its link tables and the text index. `archive_has_links`: an archive paper without code has none."""

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
        for count, (pid, number, slug, rows) in enumerate(self._papers(), start=1):
            facts = merged(rows, self.conflicts)
            if self._archive_has_links and any(row[0] == Precedence.ARCHIVE for row in rows):
                facts.setdefault("repositories", [])
            self._paper(pid, number, slug, facts)
            if count % 1000 == 0:
                advanced(1000)

    def _papers(self) -> Iterator[tuple[int, int, str, list[tuple[int, Facts]]]]:
        members = groupby(self._connection.execute(_FACTS), key=lambda row: row[0])
        for (pid, number, slug), (_, rows) in zip(self._connection.execute(_GROUPS), members, strict=True):
            yield pid, number, slug, [(row[1], orjson.loads(row[2])) for row in rows]

    def _paper(self, pid: int, number: int, slug: str, facts: Facts) -> None:
        authors = self._authors.resolved(facts.get("authors", []))
        links = {name: self._entities.links(kind, facts.get(name, ())) for name, kind, _ in _LINKED}
        conference = facts.get("conference")
        conference_id = None if conference is None else self._entities.ids[EntityKind.CONFERENCE][conference]
        repositories = facts.get("repositories")
        if repositories:
            repositories.sort(key=lambda each: not each.get("is_official"))
        has_official = bool(repositories) and bool(repositories[0].get("is_official"))
        self._paper_row(pid, number, slug, facts, authors, conference_id, has_official)
        self._link_rows(pid, facts, authors, links)
        self._document(pid, facts, authors, links, conference_id, has_official)
        self._record(number, slug, facts, authors, links, conference_id)

    def _paper_row(
        self,
        pid: int,
        number: int,
        slug: str,
        facts: Facts,
        authors: list[tuple[int, str]],
        conference_id: int | None,
        has_official: bool,
    ) -> None:
        title = facts.get("title")
        published = facts.get("published")
        repositories = facts.get("repositories")
        ranks = self._ranks
        self._records.add(
            "paper",
            (
                pid,
                number,
                facts.get("arxiv_id"),
                slug,
                facts.get("doi"),
                title,
                facts.get("abstract"),
                *_folds(title),
                published,
                None if published is None else first_day(published),
                facts.get("venue"),
                conference_id,
                facts.get("url_abs"),
                facts.get("url_pdf"),
                _source_url(facts),
                facts.get("citation_count"),
                facts.get("velocity"),
                facts.get("is_retracted"),
                facts.get("version"),
                facts.get("is_latest", True),
                "arxiv" if "arxiv_id" in facts else "external",
                json_list(name for _, name in authors),
                len(authors),
                has_official,
                None if repositories is None else len(repositories),
                int(ranks.trending[pid]),
                int(ranks.trending_asc[pid]),
                int(ranks.published[pid]),
                int(ranks.published_asc[pid]),
                int(ranks.citation[pid]),
                int(ranks.citation_asc[pid]),
            ),
        )

    def _link_rows(
        self, pid: int, facts: Facts, authors: list[tuple[int, str]], links: dict[str, list[int]]
    ) -> None:
        add = self._records.add
        for position, (author, _) in enumerate(authors):
            add("paper_author", (pid, position, author))
        for name, _, table in _LINKED:
            for position, number in enumerate(links[name]):
                add(table, (pid, position, number))
        for position, each in enumerate(facts.get("repositories", ())):
            stated = [each.get(name) for name in _REPOSITORY_FACTS]
            add("repository", (pid, position, each["url"], bool(each.get("is_official")), *stated))
        for kind, values in facts.get("resources", {}).items():
            for position, value in enumerate(values):
                add("resource", (pid, kind, position, value))

    def _document(
        self,
        pid: int,
        facts: Facts,
        authors: list[tuple[int, str]],
        links: dict[str, list[int]],
        conference_id: int | None,
        has_official: bool,
    ) -> None:
        ranks = self._ranks
        published = facts.get("published")
        self._index.add(
            IndexDocument(
                pid=pid,
                title=facts.get("title", ""),
                abstract=facts.get("abstract", ""),
                authors=", ".join(name for _, name in authors),
                published_day=None if published is None else first_day(published),
                has_official=has_official,
                is_latest=facts.get("is_latest", True),
                task_ids=tuple(links["tasks"]),
                method_ids=tuple(links["methods"]),
                conference_id=conference_id,
                framework_ids=tuple(links["frameworks"]),
                organization_ids=tuple(links["organizations"]),
                author_ids=tuple(dict.fromkeys(number for number, _ in authors)),
                trending_rank=int(ranks.trending[pid]),
                trending_rank_asc=int(ranks.trending_asc[pid]),
                published_rank=int(ranks.published[pid]),
                published_rank_asc=int(ranks.published_asc[pid]),
                citation_rank=int(ranks.citation[pid]),
                citation_rank_asc=int(ranks.citation_asc[pid]),
            )
        )

    def _record(
        self,
        number: int,
        slug: str,
        facts: Facts,
        authors: list[tuple[int, str]],
        links: dict[str, list[int]],
        conference_id: int | None,
    ) -> None:
        idents = sorted(f"{s}:{v}" for s, v in facts["idents"] if not is_internal(s) and (s, v) != ("slug", slug))
        named_only = {author for author, name in authors if author == derived_id("author", plain_fold(name))}
        record = {name: facts.get(name) for name in _RECORDED}
        record |= {"id": number, "slug": slug, "idents": idents, "conference": conference_id, **links}
        record["authors"] = [name if author in named_only else [author, name] for author, name in authors]
        record["resources"] = {kind: values for kind, values in facts.get("resources", {}).items() if values}
        if (repositories := facts.get("repositories")) is not None:
            record["repositories"] = [
                {name: value for name, value in each.items() if value not in (None, False)} for each in repositories
            ]
        self._records.record("paper", record)


_RECORDED = (
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
)


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
