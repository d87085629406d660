"""arXiv's API: records of ids, many in one request, and a search by title (references contract 4.2, 4.4)."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from xml.etree.ElementTree import Element

from core.errors import NotFound, PaperdeskError, SourceError
from core.http.content import NotReadable
from core.http.judging import malformed
from core.http.remembering import Fetched, Kind
from core.identifiers import Identifier
from core.sources.answers import ListedWork, Person, Record
from core.sources.arxiv_feed import arxiv_record, entries, is_feed, names_error
from core.sources.service import Service
from core.works.retraction import retraction_notice

BATCH_MAX = 100
SEARCH_MAX = 5

_FIRST_DAY = date(1991, 1, 1)
_MORE_REQUESTS = 4
_BAD_REQUEST = 400
_QUERY = ("api", "query")

Outcome = Record | PaperdeskError


class Arxiv(Service):
    """arXiv's API, which gives entries in an order of its own and asks for three seconds between requests."""

    async def record(self, identifier: Identifier, *, caller: str) -> Record:
        """The paper with this id; of a versioned id that very version. Raises `NotFound` also for what cannot exist."""
        found = (await self.records([identifier], caller=caller))[identifier]
        if isinstance(found, Record):
            return found
        raise found

    async def records(self, identifiers: Sequence[Identifier], *, caller: str) -> Mapping[Identifier, Outcome]:
        """What became of each id: its record, or the failure that it alone has."""
        found: dict[Identifier, Outcome] = {each: _absent(each) for each in identifiers}
        wanted = list({_asked(each): each for each in identifiers if each.plausible})
        for start in range(0, len(wanted), BATCH_MAX):
            outcomes = await self._batch(wanted[start : start + BATCH_MAX], caller=caller)
            for each in identifiers:
                if each.plausible and (outcome := outcomes.get(_asked(each))):
                    found[each] = outcome
        return found

    async def search(self, title: str, surname: str, *, caller: str) -> tuple[Record, ...]:
        """At most five papers with these words in title and author; whether one is the paper is for the caller."""
        query = f'ti:"{_words(title)}" AND au:"{_words(surname)}"'
        found = await self._get(
            _QUERY,
            {"search_query": query, "max_results": SEARCH_MAX},
            caller=caller,
            kind=Kind.SEARCH,
            want="xml",
            operation="search",
        )
        return self._entries(found)

    async def listed(self, search_query: str, *, limit: int, caller: str) -> tuple[ListedWork, ...]:
        """The papers that a query in arXiv's own language finds, most relevant first."""
        params = {"search_query": search_query, "sortBy": "relevance", "sortOrder": "descending", "start": 0}
        found = await self._get(
            _QUERY,
            {**params, "max_results": limit},
            caller=caller,
            kind=Kind.SEARCH,
            want="xml",
            operation="search",
        )
        # An error comes with status 200, as a feed with one entry.
        if _is_refusal(found):
            raise malformed(self._rules)
        return tuple(map(listed, self._entries(found)))

    async def _batch(self, ids: Sequence[str], *, caller: str) -> Mapping[str, Outcome]:
        """The outcomes of at most a hundred ids; those of which nothing was heard are absent.

        One bad id may have all of them refused: then they are asked for in halves, as long as that is worth it.
        """
        outcomes: dict[str, Outcome] = {}
        waiting, left = deque([list(ids)]), 1 + _MORE_REQUESTS
        while waiting:
            part = waiting.popleft()
            if not left:
                outcomes |= dict.fromkeys(part, malformed(self._rules))
                continue
            left -= 1
            try:
                records = await self._asked_for(part, caller=caller)
            except (SourceError, NotFound) as failure:
                outcomes |= dict.fromkeys(part, failure)
                continue
            if records is not None:
                outcomes |= _matched(part, records)
            elif len(part) > 1:
                middle = (len(part) + 1) // 2
                waiting += (part[:middle], part[middle:])
        return outcomes

    async def _asked_for(self, ids: Sequence[str], *, caller: str) -> tuple[Record, ...] | None:
        """The records of one request; None where it was refused as a whole because of an id."""
        params = {"id_list": ",".join(ids), "start": 0, "max_results": len(ids)}
        found = await self._get(
            _QUERY, params, caller=caller, want="xml", operation="records", takes=frozenset({_BAD_REQUEST})
        )
        if found.status == _BAD_REQUEST:
            if not _is_refusal(found):
                # A batch may also be refused without a word; an id alone is then no id that arXiv lacks.
                if len(ids) > 1:
                    return None
                raise malformed(self._rules)
            return None
        records = self._entries(found)
        return None if not records and _is_refusal(found) else records

    def _entries(self, found: Fetched) -> tuple[Record, ...]:
        root = found.xml()
        if not is_feed(root):
            raise self._drift("feed")
        with self._reading():
            return tuple(arxiv_record(each, stale=found.stale) for each in entries(root) if not names_error(each))


def submitted_within(since: date | None, until: date) -> str:
    """The part of a query that bounds the days of submission."""
    first = since or _FIRST_DAY
    return f"submittedDate:[{first:%Y%m%d}0000 TO {until:%Y%m%d}2359]"


def listed(record: Record) -> ListedWork:
    """A paper's record as one of a list."""
    work = record.work
    people = tuple(Person(author.name) for author in work.authors)
    return ListedWork(work, people, "preprint", is_retracted=retraction_notice(work) is not None)


def _is_refusal(found: Fetched) -> bool:
    """Whether an answer is a feed that holds an error in the place of papers."""
    try:
        root: Element = found.xml()
    except NotReadable:
        return False
    return is_feed(root) and any(map(names_error, entries(root)))


def _matched(ids: Iterable[str], records: Iterable[Record]) -> dict[str, Outcome]:
    """Records by the ids that asked for them, never by position."""
    found: dict[str, Outcome] = {}
    # The newest comes last: it is what an id without a version asks for.
    for record in sorted(records, key=_version):
        found[f"{record.work.arxiv_id}{record.work.arxiv_version or ''}"] = record
        found[f"{record.work.arxiv_id}"] = record
    return {id: found[id] for id in ids if id in found}


def _version(record: Record) -> int:
    return int((record.work.arxiv_version or "v0")[1:])


def _asked(identifier: Identifier) -> str:
    return f"{identifier.value}{identifier.version or ''}"


def _absent(identifier: Identifier) -> NotFound:
    if identifier.version and identifier.plausible:
        return NotFound(f"arXiv has no version {identifier.version} of {identifier.value}; ask without the version.")
    return NotFound(f"arXiv has no paper {identifier.value}; check the id.")


def _words(text: str) -> str:
    """Letters, digits and blanks, which have no meaning of their own in a query."""
    return " ".join("".join(each if each.isalnum() else " " for each in text).split())
