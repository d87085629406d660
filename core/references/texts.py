"""Full text and TeX source of an arXiv paper, in parts (references contract, 3.10, 3.11, 8)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import anyio.to_thread

from core.errors import NoFullText, NotFound, PaperdeskError, SourceError, Unsupported
from core.identifiers import Identifier, IdentifierKind, parse
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.failures import BadArgument
from core.references.links import Links
from core.references.resolution import require_plausible
from core.references.results import TextAnswer
from core.references.room import SCHEMA_VERSION, Room, not_taken, read_reference
from core.references.tex.limits import HOSTED_LIMITS, TexLimits
from core.references.tex.source import TexSource, read_tex
from core.references.text.choosing import chosen_sections
from core.references.text.cuts import DocumentCut, cut_document, cut_text
from core.references.text.document import Document, Section
from core.references.text.html import read_html
from core.references.text.markdown import read_markdown
from core.references.text.order import Absence, TextSource, absent, best_of, is_enough, sources_to_ask
from core.sources.answers import Document as Page

CHARS_DEFAULT, UNITS_DEFAULT = 20_000, 30_000
CHARS_MAX_HOSTED, CHARS_MAX_LOCAL = 60_000, 2_000_000
_CHUNK_BYTES = 65_536
_STORED_BYTES_MAX = 20 * 1024 * 1024
_EXCHANGED = (IdentifierKind.CATALOG, IdentifierKind.SLUG)


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a text is wanted; None for `max_chars` is the usual size."""

    offset: int = 0
    max_chars: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("offset", self.offset), ("max_chars", self.max_chars or 0)):
            if value < 0:
                raise BadArgument(f"{name} is a whole number of at least 0.", field=name)

    def bounds(self, most: int) -> tuple[int, int | None]:
        """Code points and units that an answer may have."""
        return (CHARS_DEFAULT, UNITS_DEFAULT) if self.max_chars is None else (min(self.max_chars, most), None)


@dataclass(frozen=True, slots=True)
class _Found:
    document: Document
    source: str
    retrieved_from: str
    stale: bool = False


class Texts:
    """Reads one paper."""

    def __init__(self, room: Room, *, chars_max: int = CHARS_MAX_HOSTED, tex_limits: TexLimits = HOSTED_LIMITS) -> None:
        self._room = room
        self._links = Links(room)
        self._chars_max = chars_max
        self._tex_limits = tex_limits

    async def text(
        self, ref: str, part: Part, *, section: str | None, include_references: bool, follow_link: bool
    ) -> TextAnswer:
        """The text in sections."""
        asking = self._room.asking()
        given = read_reference(ref)
        with traced(asking.trace, given):
            async with self._room.session("oa"):
                identifier = await self._paper(given, asking, follow_link=follow_link)
                found = await self._document(identifier, asking)
        chosen = chosen_sections(found.document, section, include_references=include_references)
        chars, units = part.bounds(self._chars_max)
        cut = cut_document(found.document, part.offset, chars, units, chosen)
        answer = {**_opening(ref, given, identifier), "source": found.source, **_shown(found.document, cut)}
        if found.stale:
            answer["stale"] = True
        return TextAnswer(ok=True, **answer, retrieved_from=found.retrieved_from, attempts=asking.trace.shown())

    async def tex(self, ref: str, part: Part, *, expand: bool, follow_link: bool) -> TextAnswer:
        """The TeX source as one text."""
        asking = self._room.asking()
        given = read_reference(ref)
        with traced(asking.trace, given):
            async with self._room.session("oa"):
                identifier = await self._paper(given, asking, follow_link=follow_link)
                require_plausible(identifier)
                page = await asking.of(
                    "arxiv-src", asking.sources.arxiv_src, lambda each: each.archive(identifier, caller=asking.caller)
                )
                source = await self._unpacked(page, expand)
        chars, units = part.bounds(self._chars_max)
        cut = cut_text(source.text, part.offset, chars, units)
        answer: dict[str, Any] = {
            **_opening(ref, given, identifier),
            "main_file": source.main_file,
            "tex_source": cut.text,
            "char_count": len(cut.text),
            "truncated": cut.is_truncated,
            "retrieved_from": page.url,
            "files": [{"name": each.name, "chars": each.chars} for each in source.files],
            "unresolved_includes": list(source.unresolved),
            "encoding": source.encoding,
            "next_offset": cut.next_offset,
            "total_chars": len(source.text),
            "attempts": asking.trace.shown(),
        }
        return TextAnswer(ok=True, **({**answer, "stale": True} if page.stale else answer))

    async def _unpacked(self, page: Page, expand: bool) -> TexSource:
        limits, clock = self._tex_limits, self._room.clock
        # Unpacking has its own limits on work and time, and would hold up every other call here.
        return await anyio.to_thread.run_sync(
            lambda: read_tex([page.body], limits, clock, expand=expand), abandon_on_cancel=True
        )

    async def _paper(self, given: Identifier, asking: Asking, *, follow_link: bool) -> Identifier:
        """The arXiv paper that is meant."""
        identifier = given
        if given.kind in _EXCHANGED:
            found = await self._room.resolution.exchanged(given, asking)
            identifier = found if isinstance(found, Identifier) else given
        if identifier.kind is IdentifierKind.ARXIV:
            return identifier
        if identifier.kind is not IdentifierKind.DOI:
            raise not_taken(identifier, "This tool takes an arXiv id, as in 1706.03762.")
        if not follow_link:
            raise Unsupported("Only arXiv papers have a text here; pass follow_link to read a DOI's arXiv version.")
        linked = await self._links.linked(identifier, asking)
        if linked["arxiv"] is None:
            raise NoFullText("No arXiv version of this DOI is known, so there is no text of it to read here.")
        return parse(f"arxiv:{linked['arxiv']}", titles=False, bare_digits="refuse")

    async def _document(self, identifier: Identifier, asking: Asking) -> _Found:
        """The first text that is good enough, else the one with the most prose."""
        require_plausible(identifier)
        stored, is_held = await self._stored(identifier, asking)
        if stored is not None and is_enough(stored.document):
            return stored
        found = [] if stored is None else [stored]
        absences: list[Absence] = []
        failures: list[PaperdeskError] = []
        for source in sources_to_ask(identifier.version):
            try:
                read = await self._page(source, identifier, asking)
            except NotFound:
                absences.append(Absence.UNKNOWN)
            except NoFullText:
                absences.append(Absence.NOT_CONVERTED)
            except SourceError as error:
                failures.append(error)
            else:
                if read.document.prose_chars == 0:
                    asking.trace.note(source.value, "consulted_no_record", "its page has no text of the paper")
                    absences.append(Absence.NOT_CONVERTED)
                    continue
                found.append(read)
                if is_enough(read.document):
                    break
        best = best_of([each.document for each in found])
        if best is not None:
            return next(each for each in found if each.document is best)
        # One that failed may have had it: then nothing is known to be absent.
        raise failures[0] if failures else absent(absences, is_in_catalog=is_held)

    async def _page(self, source: TextSource, identifier: Identifier, asking: Asking) -> _Found:
        sources, caller = asking.sources, asking.caller
        if source is TextSource.AR5IV:
            page = await asking.of("ar5iv", sources.ar5iv, lambda each: each.page(identifier, caller=caller))
        else:
            page = await asking.of("arxiv-html", sources.arxiv_html, lambda each: each.page(identifier, caller=caller))
        document = await anyio.to_thread.run_sync(read_html, page.body, abandon_on_cancel=True)
        return _Found(document, source.value, page.url, page.stale)

    async def _stored(self, identifier: Identifier, asking: Asking) -> tuple[_Found | None, bool]:
        """The catalog's text, and whether it knows the paper; it has no versions of one."""
        try:
            row = await self._room.shelf.backend.find(identifier)
            if row is None:
                asking.trace.note("catalog", "consulted_no_record")
                return None, False
            if identifier.version is not None:
                asking.trace.note("catalog", "not_consulted_not_applicable", "it has no versions of a text")
                return None, True
            body = await self._stored_body(row.canonical_id)
        except NoFullText:
            asking.trace.note("catalog", "consulted_no_record", "it holds the paper without its text")
            return None, True
        except PaperdeskError as error:
            asking.trace.failed("catalog", error)
            return None, False
        asking.trace.note("catalog", "consulted_resolved")
        document = await anyio.to_thread.run_sync(read_markdown, body, abandon_on_cancel=True)
        return _Found(document, TextSource.CATALOG.value, "catalog"), True

    async def _stored_body(self, paper_id: str) -> bytes:
        backend, parts, offset = self._room.shelf.backend, [], 0
        version: str | None = None
        while offset < _STORED_BYTES_MAX:
            chunk = await backend.read(paper_id, offset, _CHUNK_BYTES, version)
            parts.append(chunk.body)
            if chunk.next_offset is None:
                break
            offset, version = chunk.next_offset, chunk.version
        return b"".join(parts)


def _opening(ref: str, given: Identifier, identifier: Identifier) -> dict[str, Any]:
    return {
        "ref": ref,
        "canonical": given.key,
        "schema_version": SCHEMA_VERSION,
        "arxiv_id": identifier.id,
        "version": identifier.version,
    }


def _shown(document: Document, cut: DocumentCut) -> dict[str, Any]:
    return {
        "title": document.title,
        "sections": _sections(cut.sections),
        "char_count": cut.char_count,
        "truncated": cut.is_truncated,
        "license": document.license,
        "next_offset": cut.next_offset,
        "total_chars": document.total_chars,
        "outline": [{"heading": each.heading, "level": each.level, "chars": each.chars} for each in document.outline()],
        "quality": document.quality.value,
    }


def _sections(sections: Iterable[Section]) -> list[dict[str, Any]]:
    return [
        {"heading": each.heading, "text": each.text, "level": each.level, "kind": each.kind.value} for each in sections
    ]
