"""Writes everything that papers point to, and the names it is found by."""

from collections.abc import Iterable
from typing import Any

from core.catalog.models import EntityKind
from core.folds import key_fold, plain_fold
from core.ingest.entities import Entities, Facts, Thing
from core.ingest.paper_lookup import PaperLookup
from core.ingest.records import Records, json_list

_HASHED = [
    "name",
    "full_name",
    "description",
    "visible",
    "created_at",
    "introduced_year",
    "source_url",
    "source_title",
    "year",
    "location",
    "start_date",
    "end_date",
    "venue",
    "tier",
    "url",
    "hf_url",
    "is_featured",
    "trending_rank",
    "website_url",
    "github_url",
    "docs_url",
    "when_to_use",
    "research_trends",
    "recommended_frameworks",
    "platforms",
    "domain_slug",
    "domain_name",
    "category_slug",
    "category_name",
    "organization_name",
    "metrics",
    "metric_directions",
]


def inherit_areas(entities: Entities) -> None:
    """Tasks without an area take that of their first parent that has one."""
    tasks = entities.things[EntityKind.TASK]

    def area_of(natural: str, seen: frozenset[str]) -> str | None:
        facts = tasks[natural].facts
        if "area" in facts or natural in seen:
            return facts.get("area")
        areas = (area_of(parent, seen | {natural}) for parent in facts.get("parents", ()) if parent in tasks)
        return next((area for area in areas if area), None)

    for natural, thing in tasks.items():
        if area := area_of(natural, frozenset()):
            thing.facts["area"] = area


def levels(parents: dict[int, list[int]]) -> dict[int, int]:
    """Depth of each task by its shortest way to one without parents; a task in a circle without such a way is 0."""
    found = {task: 0 for task, above in parents.items() if not above}
    edge, depth = set(found), 0
    while edge:
        depth += 1
        edge = {task for task, above in parents.items() if task not in found and not edge.isdisjoint(above)}
        found.update(dict.fromkeys(edge, depth))
    return {task: found.get(task, 0) for task in parents}


class EntitiesWriter:
    """Writes the tables of all entity kinds with counts of 0; counting comes when all is in."""

    def __init__(self, records: Records, entities: Entities, papers: PaperLookup) -> None:
        self._records = records
        self._entities = entities
        self._papers = papers

    def write(self) -> None:
        """Writes all kinds. Benchmarks must have their metrics by now."""
        for kind, write in (
            (EntityKind.AREA, self._area),
            (EntityKind.METHOD, self._method),
            (EntityKind.CONFERENCE, self._conference),
            (EntityKind.ORGANIZATION, self._organization),
            (EntityKind.FRAMEWORK, self._framework),
            (EntityKind.BENCHMARK, self._benchmark),
        ):
            for thing in self._entities.of(kind):
                self._name(thing)
                self._hash(thing, write(thing))
        self._tasks()

    def _area_id(self, facts: Facts) -> int | None:
        area = facts.get("area")
        return None if area is None else self._entities.ids[EntityKind.AREA][area]

    def _name(self, thing: Thing) -> None:
        folds = {("name", plain_fold(thing.name)), ("folded", key_fold(thing.name))}
        if full_name := thing.full_name:
            folds |= {("full_name", plain_fold(full_name)), ("folded", key_fold(full_name))}
        folds |= {("alias", plain_fold(alias)) for alias in thing.facts.get("aliases", ())}
        self._records.add(
            "entity", (thing.kind.value, thing.id, thing.name, thing.slug, thing.full_name, self._note(thing))
        )
        for level, fold in sorted(folds):
            if fold:
                self._records.add("entity_name", (thing.kind.value, level, fold, thing.id))

    def _note(self, thing: Thing) -> str:
        if year := thing.facts.get("year"):
            return str(year)
        if area := thing.facts.get("area"):
            return self._entities.things[EntityKind.AREA][area].name
        return thing.slug

    def _hash(self, thing: Thing, links: Facts) -> None:
        facts = {name: thing.facts.get(name) or None for name in _HASHED}
        facts["visible"] = thing.facts.get("visible", True)
        aliases = sorted({plain_fold(alias) for alias in thing.facts.get("aliases", ())})
        record: dict[str, Any] = {**facts, **links, "id": thing.id, "slug": thing.slug, "aliases": aliases}
        self._records.record(thing.kind.value, record)

    def _area(self, thing: Thing) -> Facts:
        self._records.add("area", (thing.id, thing.name))
        return {}

    def _add(self, thing: Thing, *columns: Any) -> None:
        self._records.add(thing.kind.value, (thing.id, thing.name, thing.slug, *columns))

    def _method(self, thing: Thing) -> Facts:
        get = thing.facts.get
        source = get("source_paper")
        pid = None if source is None else self._papers.linked(source)
        title = get("source_title") or (source.get("title") if source and pid is None else None)
        thing.facts["source_title"] = title
        area = self._area_id(thing.facts)
        stated = (get("full_name"), get("description"), area, get("introduced_year"))
        self._add(thing, *stated, pid, get("source_url"), title, get("created_at"), 0)
        return {"area": area, "source_paper": self._papers.id_of(pid)}

    def _conference(self, thing: Thing) -> Facts:
        get = thing.facts.get
        places = (get("year"), get("location"), get("start_date"), get("end_date"), get("venue"), get("description"))
        self._add(thing, *places, get("tier"), get("url"), get("hf_url"), 0)
        return {}

    def _organization(self, thing: Thing) -> Facts:
        get = thing.facts.get
        stated = (get("is_featured"), get("trending_rank"), get("description"), get("website_url"), get("github_url"))
        self._add(thing, *stated, get("hf_url"), None, None, 0)
        return {}

    def _framework(self, thing: Thing) -> Facts:
        get = thing.facts.get
        introducing = get("introducing_paper")
        pid = None if introducing is None else self._papers.linked(introducing)
        groups = (get("domain_slug"), get("domain_name"), get("category_slug"), get("category_name"))
        links = (get("organization_name"), get("github_url"), get("docs_url"), get("when_to_use"))
        self._add(thing, get("description"), json_list(get("platforms", ())), *groups, *links, pid, 0)
        return {"introducing_paper": self._papers.id_of(pid)}

    def _benchmark(self, thing: Thing) -> Facts:
        get = thing.facts.get
        metrics: Iterable[str] = get("metrics", ())
        directions = get("metric_directions", {})
        texts = (key_fold(text) for text in (thing.name, get("full_name") or "", thing.slug))
        search_text = " ".join(text for text in texts if text)
        stated = (get("full_name"), get("description"), get("hf_url"), json_list(metrics), _json_object(directions))
        self._add(thing, *stated, get("created_at"), 0, 0, 0, 0, 0, search_text, 0)
        return {"tasks": self._benchmark_tasks(thing.id)}

    def _benchmark_tasks(self, number: int) -> list[int]:
        self._records.flush()
        rows = self._records.connection.execute(
            "SELECT task_id FROM benchmark_task WHERE benchmark_id = ? ORDER BY task_id", (number,)
        )
        return [row[0] for row in rows]

    def _tasks(self) -> None:
        ids = self._entities.ids[EntityKind.TASK]
        things = list(self._entities.of(EntityKind.TASK))
        parents = {
            thing.id: [ids[parent] for parent in thing.facts.get("parents", ()) if ids[parent] != thing.id]
            for thing in things
        }
        depth = levels(parents)
        for thing in things:
            get = thing.facts.get
            area = self._area_id(thing.facts)
            lists = json_list(get("research_trends", ())), json_list(get("recommended_frameworks", ()))
            self._name(thing)
            stated = (get("description"), area, depth[thing.id], get("visible", True), get("created_at"))
            self._add(thing, *stated, *lists, 0, 0, 0)
            for parent in sorted(parents[thing.id]):
                self._records.add("task_parent", (thing.id, parent))
            self._hash(thing, {"area": area, "parents": sorted(parents[thing.id])})


def _json_object(values: dict[str, str]) -> str:
    return (
        "{"
        + ", ".join(f"{json_list([name])[1:-1]}: {json_list([value])[1:-1]}" for name, value in values.items())
        + "}"
    )
