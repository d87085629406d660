"""People: finding them by name, and their papers (contract 4.3, 4.4 and section 6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson

from core.catalog.embedded.connection import Connection, bindable
from core.catalog.embedded.trigrams import TrigramIndex
from core.catalog.missing import quoted
from core.errors import Entry, InvalidInput, NotFound
from core.evidence.listing import CUTS, ceiling, cut, fitted, narrowing_note
from core.evidence.names import CLASSES, Named, Token, name_tokens
from core.evidence.results import AuthorPage, AuthorPapersPage, AuthorRow, MatchedAuthor
from core.evidence.rows import PaperHit, Rows
from core.evidence.service import AUTHORS_LIMIT, PAPERS_LIMIT
from core.evidence.stored.evidence_set import IN_LIST, EvidenceSet, bodies
from core.evidence.vocabulary import MATCH_SCORES, AuthorMatch

BY_MATCH = "match class, entity before fallback, paper_count desc, folded name asc, author_id asc"
BY_COUNT = "entity before fallback, paper_count desc, folded name asc, author_id asc"
BY_DATE = "published desc, paper_id asc"
_SAMPLES = 3
_NEAR_MAX = 5
_SHOWN_MAX = 20
_LISTED_MAX = 20
_PREFIX_LETTERS_MIN = 3
_BEHIND = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Match:
    """Someone whose name matched, and how."""

    no: int
    kind: AuthorMatch


class Authors:
    """The people of one evidence set."""

    def __init__(self, stored: EvidenceSet, rows: Rows) -> None:
        self._stored = stored
        self._rows = rows
        self._near: tuple[TrigramIndex, list[tuple[str, str, int]]] | None = None

    def matching(self, connection: Connection, name: str) -> list[Match]:
        """Everyone whose name matches in any class, best class first, then by number."""
        query = name_tokens(name)
        if not query:
            raise InvalidInput(f"The name {quoted(name)} holds no letter or digit. Send a name, such as Jose Garcia.")
        candidates = sorted(_candidates(connection, query))
        rows = connection.execute(
            f"SELECT no, display_name, variants FROM author WHERE no {IN_LIST} ORDER BY no",  # noqa: S608
            (orjson.dumps(candidates).decode(),),
        )
        found = [
            Match(no, kind)
            for no, display, variants in rows
            if (kind := Named.of(display, orjson.loads(variants)).match(query)) is not None
        ]
        return sorted(found, key=lambda each: (CLASSES.index(each.kind), each.no))

    def papers_of(self, connection: Connection, name: str) -> list[int]:
        """The numbers of the papers of everyone whose name matches."""
        return self._papers(connection, [each.no for each in self.matching(connection, name)])

    def find(self, connection: Connection, query: str | None, limit: int) -> AuthorPage:
        """One page of people; blocking."""
        if query is None:
            total = int(connection.execute("SELECT count(*) FROM author").fetchone()[0])
            matches: list[tuple[int, AuthorMatch | None]] = [(no, None) for no in range(min(total, limit))]
        else:
            found = self.matching(connection, query)
            total, matches = len(found), [(each.no, each.kind) for each in found[:limit]]
        notes = []
        if total > limit:
            notes.append(f"{total} people match, at most {limit} are shown. Narrow with a fuller name in query.")
        if not total:
            near = self._nearest(connection, query or "")
            notes += [f"No name matches. Near ones: {'; '.join(entry.label for entry in near)}."] if near else []
        empty = AuthorPage(
            results=(),
            total=total,
            returned=0,
            limit=limit,
            has_more=False,
            order=BY_COUNT if query is None else BY_MATCH,
            filters_applied={},
            notes=notes,
            corpus_version=self._stored.corpus_version,
        )
        return fitted(empty, self._rows_of(connection, matches), ceiling(limit, AUTHORS_LIMIT))

    def _rows_of(self, connection: Connection, matches: Sequence[tuple[int, AuthorMatch | None]]) -> list[AuthorRow]:
        stored = bodies(connection, "author", "body", [no for no, _ in matches])
        rows = []
        for no, kind in matches:
            body = stored[no]
            listed = {name: [cut(each, 200) for each in body[name][:_LISTED_MAX]] for name in _LISTS}
            display = {"display_name": cut(body["display_name"], 200)}
            samples = self._samples(connection, no)
            rows.append(
                AuthorRow.model_validate({**body, **display, **listed, "match": kind, "sample_papers": samples})
            )
        return rows

    def _samples(self, connection: Connection, no: int) -> list[dict[str, object]]:
        statement = "SELECT paper_no FROM author_paper WHERE author_no = ? ORDER BY paper_no LIMIT ?"
        numbers = [paper for (paper,) in connection.execute(statement, (no, _SAMPLES))]
        briefs = bodies(connection, "paper", "brief", numbers)
        return [
            {
                "paper_id": briefs[paper]["paper_id"],
                "title": cut(briefs[paper]["title"], 300),
                "year": briefs[paper].get("year"),
            }
            for paper in numbers
        ]

    def papers(
        self, connection: Connection, author_id: str | None, author_name: str | None, limit: int
    ) -> AuthorPapersPage:
        """The papers of one person or of all of one name; blocking."""
        notes: list[str] = []
        if author_id is not None:
            if author_name is not None:
                notes.append("author_name was ignored, since author_id names the person.")
            matches = [Match(self._number(connection, author_id), "exact")]
        elif author_name is not None:
            matches = self._best_matching(connection, author_name)
        else:
            raise InvalidInput("Send author_id, such as entity:12 from find_authors, or author_name.")
        if len(matches) > 1:
            notes.append(f"The name is ambiguous: {len(matches)} people match, their papers are listed together.")
        scores: dict[int, float] = {}
        for each in reversed(matches):
            scores.update(dict.fromkeys(self._papers(connection, [each.no]), MATCH_SCORES[each.kind]))
        newest = self._newest(connection, list(scores))
        if len(newest) > limit:
            notes.append(narrowing_note(len(newest), limit, () if author_id else ("author_id",), {}))
        people = [MatchedAuthor.model_validate(each) for each in self._people(connection, matches[:_SHOWN_MAX])]
        empty = AuthorPapersPage(
            results=(),
            total=len(newest),
            returned=0,
            limit=limit,
            has_more=False,
            order=BY_DATE,
            filters_applied={"author_id": author_id} if author_id is not None else {"author_name": author_name or ""},
            notes=notes,
            corpus_version=self._stored.corpus_version,
            authors_matched=people,
        )
        hits = {no: PaperHit(scores[no], "filter", ("authors",)) for no in newest[:limit]}
        return fitted(empty, self._rows.papers(connection, hits), ceiling(limit, PAPERS_LIMIT))

    def _people(self, connection: Connection, matches: Sequence[Match]) -> list[dict[str, object]]:
        stored = bodies(connection, "author", "body", [each.no for each in matches])
        names = tuple(MatchedAuthor.model_fields)
        people = [{name: stored[each.no][name] for name in names} for each in matches]
        return [{**each, "display_name": cut(each["display_name"], CUTS["name"])} for each in people]

    def _best_matching(self, connection: Connection, name: str) -> list[Match]:
        """Those of the best class that anyone matches in; raises `NotFound` with near names."""
        found = self.matching(connection, name)
        if not found:
            raise self._unknown(connection, f"No author matches the name {quoted(name)}.", name)
        return [each for each in found if each.kind == found[0].kind]

    def _number(self, connection: Connection, author_id: str) -> int:
        row = connection.execute(
            "SELECT no FROM author WHERE author_id = ?", (bindable(author_id.strip().casefold()),)
        ).fetchone()
        if row is None:
            name = author_id.partition(":")[2].replace("-", " ")
            raise self._unknown(connection, f"No author has the id {quoted(author_id)}.", name)
        return int(row[0])

    def _unknown(self, connection: Connection, sentence: str, name: str) -> NotFound:
        near = self._nearest(connection, name)
        advice = "Send the author_id of a near one." if near else "Use find_authors with a part of the name."
        return NotFound(f"{sentence} {advice}", suggestions=near)

    def _nearest(self, connection: Connection, name: str) -> list[Entry]:
        """Up to five people with the most alike names."""
        if self._near is None:
            people = connection.execute(
                "SELECT author_id, display_name, paper_count FROM author ORDER BY no"
            ).fetchall()
            self._near = TrigramIndex([display for _, display, _ in people]), people
        index, people = self._near
        return [
            Entry(id=people[place][0], name=cut(people[place][1], CUTS["name"]), note=_paper_note(people[place][2]))
            for place in index.nearest(name, _NEAR_MAX)
        ]

    def _papers(self, connection: Connection, numbers: Iterable[int]) -> list[int]:
        statement = f"SELECT DISTINCT paper_no FROM author_paper WHERE author_no {IN_LIST}"  # noqa: S608
        return [no for (no,) in connection.execute(statement, (orjson.dumps(list(numbers)).decode(),))]

    def _newest(self, connection: Connection, numbers: Sequence[int]) -> list[int]:
        """Papers by published desc (missing last), then paper_id."""
        days, ranks = self._stored.papers["published_day"], self._stored.papers["id_rank"]
        return sorted(numbers, key=lambda no: (-int(days[no]), int(ranks[no])))


_LISTS = ("name_variants", "affiliations")


def _paper_note(count: int) -> str:
    return f"{count} paper" + ("" if count == 1 else "s")


def _candidates(connection: Connection, query: Sequence[Token]) -> set[int]:
    """Everyone who may match: with all parts of the query in the name, or with its family name as theirs."""
    whole: set[int] | None = None
    for token in query[:-1]:
        holding = _holding(connection, token)
        whole = holding if whole is None else whole & holding
    last = _holding(connection, query[-1], as_prefix=True)
    family = _holding(connection, query[-1], only_last=True) if len(query) > 1 else set()
    return (last if whole is None else whole & last) | family


def _holding(connection: Connection, token: Token, *, as_prefix: bool = False, only_last: bool = False) -> set[int]:
    found: set[int] = set()
    for spelling in token:
        word = bindable(spelling)
        if as_prefix and len(word) >= _PREFIX_LETTERS_MIN:
            rows = connection.execute(
                "SELECT author_no FROM name_token WHERE token >= ? AND token < ?", (word, word + _BEHIND)
            )
        elif only_last:
            rows = connection.execute("SELECT author_no FROM name_token WHERE token = ? AND is_last", (word,))
        else:
            rows = connection.execute("SELECT author_no FROM name_token WHERE token = ?", (word,))
        found.update(no for (no,) in rows)
    return found
