"""Papers: search, lists, windows, titles and single records (catalog contract 16.2 and 16.5)."""

from core.catalog import api_rows
from core.catalog.models import Direction, EntityKind, PaperFilters, PaperOrder, PaperRows, SearchMode
from core.errors import InvalidReference
from core.identifiers import parse
from server.api.naming import AUTHOR_MAX, AUTHORS_MAX, Desk
from server.api.parameters import PAGE_SIZE, PAGE_SIZE_MAX, Parameters
from server.api.replies import Reply, json_reply, page_reply
from server.middleware.outgoing import MAX_RESPONSE_BYTES

RELATED = 4
RELATED_MAX = 20
REPOSITORIES_KEPT = 20
AGE_DAYS = 180
AGE_DAYS_MAX = 36_500
# Fields of a record that `include_resources` adds to it.
_RESOURCES = ("repositories", "project_pages", "hf_models", "hf_datasets", "hf_spaces")
_NAMED = (
    EntityKind.TASK,
    EntityKind.METHOD,
    EntityKind.CONFERENCE,
    EntityKind.FRAMEWORK,
    EntityKind.ORGANIZATION,
)


async def search(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of a search; the echo holds the mode asked for, `search_mode_used` what ran."""
    words = query.required_text("q")
    mode = query.choice("mode", SearchMode, SearchMode.HYBRID)
    page, size = query.page()
    first, last = query.days()
    has_official = query.flag("has_official_implementation") or False
    filters = PaperFilters(published_after=first, published_before=last, has_official_implementation=has_official)
    found = await desk.backend.search(words, mode, filters, await _named_papers(desk, words), page, size)
    query.echo("q", words)
    query.echo("mode", mode.value)
    _echo_dates(query, first, last, has_official=has_official)
    # An embedder out of order makes the answer one of a moment: it must not stand for the catalog's.
    passing = found.mode_used is not mode and desk.backend.capabilities().has_vectors
    return page_reply(
        map(api_rows.paper_row, found.rows),
        count=found.count,
        page=page,
        page_size=size,
        applied=query.applied,
        passing=passing,
        search_mode_used=found.mode_used,
        count_kind=found.count_kind,
    )


async def _named_papers(desk: Desk, words: str) -> tuple[str, ...]:
    """Canonical id of the paper that a query names as an identifier; bare numbers are words here."""
    try:
        identifier = parse(words, titles=False, bare_digits="refuse")
    except InvalidReference:
        return ()
    row = await desk.backend.find(identifier)
    return (row.canonical_id,) if row else ()


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the papers that pass every filter."""
    page, size = query.page()
    order, direction = _order(query)
    with_resources = query.flag("include_resources") or False
    filters = await _filters(desk, query)
    found = await desk.backend.list_papers(filters, order, direction, page, size, with_resources)
    return _listed(found, page, size, query)


def _order(query: Parameters) -> tuple[PaperOrder, Direction]:
    order = query.choice("order_by", PaperOrder, PaperOrder.TRENDING)
    return order, query.choice("order_dir", Direction, Direction.DESC)


async def _filters(desk: Desk, query: Parameters) -> PaperFilters:
    """The filters of a listing, each put into the echo as it was sent, authors as who they are."""
    words, (first, last) = query.text("search"), query.days()
    has_official = query.flag("has_official_implementation") or False
    asked = query.flag("latest_only")
    latest_only = True if asked is None else asked
    query.echo("search", words)
    ids: dict[EntityKind, str | None] = {}
    for kind in _NAMED:
        text = query.text(kind.value)
        ids[kind] = await desk.named_id(kind, text)
        query.echo(kind.value, text)
    people = await desk.authors(query.texts("author", most=AUTHOR_MAX, count_max=AUTHORS_MAX))
    if people:
        query.applied["authors"] = [api_rows.author(person) for person in people]
    _echo_dates(query, first, last, has_official=has_official)
    query.echo("latest_only", latest_only)
    return PaperFilters(
        published_after=first,
        published_before=last,
        has_official_implementation=has_official,
        task_id=ids[EntityKind.TASK],
        method_id=ids[EntityKind.METHOD],
        conference_id=ids[EntityKind.CONFERENCE],
        framework_id=ids[EntityKind.FRAMEWORK],
        organization_id=ids[EntityKind.ORGANIZATION],
        author_ids=tuple(person.id for person in people),
        search=words,
        latest_only=latest_only,
    )


def _echo_dates(query: Parameters, first: str | None, last: str | None, *, has_official: bool) -> None:
    query.echo("start_date", first)
    query.echo("end_date", last)
    query.echo("has_official_implementation", True if has_official else None)


async def of_task(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of a task's own papers, latest records only."""
    page, size = query.page()
    order, direction = _order(query)
    with_resources = query.flag("include_resources") or False
    filters = PaperFilters(task_id=await desk.entity_id(EntityKind.TASK, path[0]), latest_only=True)
    found = await desk.backend.list_papers(filters, order, direction, page, size, with_resources)
    query.echo("task", path[0])
    return _listed(found, page, size, query)


def _listed(found: PaperRows, page: int, size: int, query: Parameters) -> Reply:
    """A page of papers; over the bound of an answer, each row keeps its first repositories and the count of all."""
    rows = [api_rows.paper_row(row) for row in found.rows]
    reply = page_reply(rows, count=found.count, page=page, page_size=size, applied=query.applied)
    if len(reply.body) <= MAX_RESPONSE_BYTES:
        return reply
    for row in rows:
        if "repositories" in row:
            row["repositories"] = row["repositories"][:REPOSITORIES_KEPT]
    return page_reply(rows, count=found.count, page=page, page_size=size, applied=query.applied)


async def recent(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The newest papers, as a bare list."""
    rows = await desk.backend.recent(query.integer("limit", low=1, high=PAGE_SIZE_MAX) or PAGE_SIZE)
    return json_reply([api_rows.paper_row(row) for row in rows])


async def trending(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The most noticed papers of late, as a bare list."""
    limit = query.integer("limit", low=1, high=PAGE_SIZE_MAX) or PAGE_SIZE
    age_days = query.integer("max_age_days", low=1, high=AGE_DAYS_MAX) or AGE_DAYS
    rows = await desk.backend.trending(limit, age_days, query.number("min_velocity"))
    return json_reply([api_rows.paper_row(row) for row in rows])


async def titles(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The papers of the first level at which a text is a title; `level` is null where none matches."""
    matches = await desk.backend.find_titles(query.required_text("text"))
    level = matches.level.value if matches.level else None
    return json_reply({"level": level, "results": [api_rows.paper_row(row) for row in matches.rows]})


async def record(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One paper; its repositories and resources are there only when asked for."""
    with_resources = query.flag("include_resources") or False
    found = api_rows.paper_record(await desk.backend.paper(await desk.paper_id(path[0])))
    if not with_resources:
        found = {name: value for name, value in found.items() if name not in _RESOURCES}
    return json_reply(found)


async def related(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The papers most like one, as one page."""
    limit = query.integer("limit", low=1, high=RELATED_MAX) or RELATED
    found = await desk.backend.related(await desk.paper_id(path[0]), limit)
    return page_reply(
        map(api_rows.paper_row, found.rows),
        count=len(found.rows),
        page=1,
        page_size=limit,
        applied={},
    )
