"""A literature and a client made of a recorded run, as far as the record goes (scan contract 12, R8)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import orjson

from core.scan.documents import candidate_of, entry_json, plan_json
from core.scan.models import Candidate, FoundWork, Ids, LiveRecord, RankedEntry, Verification
from core.scan.replay.loader import RecordedRun
from core.scan.searching.port import Answers
from core.scan.vocabulary import Relation, SourceName
from tests.core.scan.sent import SCAN_ID
from tests.scan_bench import ANN, Bench, Player
from tests.scan_world import KINDS, World

LISTED = 30


def recorded_world(run: RecordedRun) -> World:
    """Every survivor at each recorded place; between them, works that the filters drop."""
    places: dict[tuple[str, SourceName], dict[int, FoundWork]] = {}
    graph: dict[tuple[str, Relation, SourceName], dict[int, FoundWork]] = {}
    for candidate in run.pool.candidates:
        for origin in candidate.work.origins:
            if origin.relation == "query":
                listed = places.setdefault((origin.query_id or "", origin.source), {})
            else:
                listed = graph.setdefault((origin.seed_id or "", origin.relation, origin.source), {})
            listed.setdefault(_free(listed, origin.rank), candidate.work)
    names = {(kind, id): each.cid for each in run.pool.candidates for kind, id in _ids(each.work.ids)}
    seeds: dict[str, list[tuple[Relation, SourceName, list[FoundWork]]]] = {}
    for (seed, relation, source), listed in graph.items():
        seeds.setdefault(seed, []).append((relation, source, _filled(listed, f"{seed}-{relation}")))
    hits = {(query, source): _filled(listed, f"{query}-{source}") for (query, source), listed in places.items()}
    titles = {each.cid: each.work for each in run.pool.candidates}
    verdicts = {cid: _answers(titles[cid], each) for cid, each in run.verifications.items()}
    return World(hits, seeds, verdicts, names)


class RecordedPlayer(Player):
    """Sends the recorded score or entry of a work, else score 0 and an entry with overall 0."""

    def __init__(self, bench: Bench, run: RecordedRun) -> None:
        plan = plan_json(run.plan)
        super().__init__(bench, queries=plan, profile=run.run["defaults"]["profile"])
        self.run = run
        self.world = recorded_world(run)
        self.criteria = [each.id for each in run.plan.sub_criteria]
        self.sent: dict[str, set[str]] = {}
        self.recorded: dict[str, str | None] = {}

    async def pool(self) -> list[Candidate]:
        """What the scan holds, from its own document."""
        text = (await self.bench.scans.artifact(SCAN_ID, "candidates.json", ANN)).text
        return [candidate_of(row) for row in orjson.loads(text)["candidates"]]

    async def learn(self) -> None:
        """Finds out which recorded work each candidate is."""
        self.recorded = {each.cid: self.world.name_of(each.work.ids) for each in await self.pool()}

    async def step(self, answer: Any) -> Any:
        """One call."""
        batch = answer.payload.get("screen_batch")
        if batch is not None and batch["items"][0]["cid"] not in self.recorded:
            await self.learn()
        return await super().step(answer)

    def scores(self, batch: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The recorded scores of a batch."""
        self.sent[batch["batch"]] = {each["cid"] for each in batch["items"]}
        return [self._score(each["cid"]) for each in batch["items"]]

    def entry(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded entry of a record."""
        found = self.run.entries.get(self.recorded[record["cid"]] or "")
        return entry_json(replace(found or self._empty(), cid=record["cid"]))

    def _score(self, cid: str) -> dict[str, Any]:
        found = self.run.scores.get(self.recorded[cid] or "")
        if found is None:
            return {"cid": cid, "score": 0, "reason": "not recorded"}
        return {**asdict(found), "cid": cid, "criteria_hit": list(found.criteria_hit)}

    def _empty(self) -> RankedEntry:
        texts = dict.fromkeys(("key_finding", "methodology", "why_it_matters", "relevance_reason"), "Not recorded")
        marks = dict.fromkeys(self.criteria, 0)
        return RankedEntry("", marks, 0, "other", limitations=("Not recorded",), **texts)


def _free(listed: Mapping[int, FoundWork], rank: int) -> int:
    while rank in listed:
        rank += 1
    return rank


def _filled(listed: Mapping[int, FoundWork], name: str) -> list[FoundWork]:
    return [
        listed.get(rank) or FoundWork(f"Front matter {name} {rank}", raw_type="paratext", year=1990)
        for rank in range(max(listed) + 1)
    ]


def _ids(ids: Ids) -> list[tuple[str, str]]:
    return [(kind, value) for kind in KINDS if (value := getattr(ids, kind)) is not None]


def _answers(work: FoundWork, recorded: Verification) -> Answers:
    if recorded.title_match_ratio is None:
        return Answers(absent=("crossref", "openalex"))
    source: SourceName = "crossref" if work.ids.doi or not work.ids.arxiv else "arxiv"
    by = "identifier" if work.ids.doi or work.ids.arxiv else "bibliographic"
    return Answers((LiveRecord(source, work.title, work.year, by=by),))
