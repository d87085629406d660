"""The filters of a paper listing, from the names that a caller sends to what a backend takes (catalog contract 6.5)."""

from dataclasses import dataclass

from core.catalog.models import Author, Entity, EntityKind, PaperFilters
from core.catalog.paging import applied
from core.catalog.resolve import Resolver


@dataclass(frozen=True, slots=True)
class PaperSelection:
    """What a caller asks of a paper listing, as sent; absent parts do not filter, all others must hold."""

    search: str | None = None
    task: str | None = None
    method: str | None = None
    framework: str | None = None
    organization: str | None = None
    conference: str | None = None
    authors: tuple[str, ...] = ()
    published_after: str | None = None
    published_before: str | None = None
    all_versions: bool = False
    has_official_implementation: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedFilters:
    """The filters with every name resolved; `applied` says what runs, `notes` how names were read."""

    filters: PaperFilters
    applied: dict[str, str]
    notes: tuple[str, ...]
    authors: tuple[Author, ...]


async def resolve_filters(resolver: Resolver, asked: PaperSelection) -> ResolvedFilters:
    """Every name as the id of one thing; raises `NotFound` and `Ambiguous` for the first that is nothing or several."""
    found: dict[EntityKind, Entity] = {}
    notes: list[str] = []
    for kind, text in (
        (EntityKind.TASK, asked.task),
        (EntityKind.METHOD, asked.method),
        (EntityKind.FRAMEWORK, asked.framework),
        (EntityKind.ORGANIZATION, asked.organization),
        (EntityKind.CONFERENCE, asked.conference),
    ):
        if text is not None:
            found[kind], note = await resolver.entity(kind, text)
            notes += [note] if note else []
    authors = await resolver.authors(asked.authors)
    return ResolvedFilters(
        filters=_filters(asked, {kind: entity.id for kind, entity in found.items()}, authors),
        applied=_applied(asked, found, authors),
        notes=tuple(notes),
        authors=authors,
    )


def _filters(asked: PaperSelection, ids: dict[EntityKind, str], authors: tuple[Author, ...]) -> PaperFilters:
    return PaperFilters(
        published_after=asked.published_after,
        published_before=asked.published_before,
        has_official_implementation=asked.has_official_implementation,
        task_id=ids.get(EntityKind.TASK),
        method_id=ids.get(EntityKind.METHOD),
        framework_id=ids.get(EntityKind.FRAMEWORK),
        organization_id=ids.get(EntityKind.ORGANIZATION),
        conference_id=ids.get(EntityKind.CONFERENCE),
        author_ids=tuple(author.id for author in authors),
        search=asked.search,
        latest_only=not asked.all_versions,
    )


def _applied(asked: PaperSelection, found: dict[EntityKind, Entity], authors: tuple[Author, ...]) -> dict[str, str]:
    names = {kind.value: _name(entity) for kind, entity in found.items()}
    return (
        applied(search=asked.search)
        | names
        | applied(
            authors=", ".join(author.name for author in authors) or None,
            published_after=asked.published_after,
            published_before=asked.published_before,
            has_official_implementation=True if asked.has_official_implementation else None,
            all_versions=True if asked.all_versions else None,
        )
    )


def _name(entity: Entity) -> str:
    # The editions of a conference share its name; their note is the year.
    is_edition = entity.kind is EntityKind.CONFERENCE and entity.note
    return f"{entity.name} ({entity.note})" if is_edition else entity.name
