"""From the lines of a folder to one sound corpus: papers found, grades capped, weights and counts computed."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from core.evidence.folding import category_fold
from core.evidence.stored.about import FORMAT
from core.evidence.vocabulary import OTHER, RELATION_TYPES, SYMMETRIC_TYPES
from core.evidence.weights import SCALE, WEIGHT_VERSION, balance, capped_grade, composite_weight, scaled
from core.identifiers import find_all
from core.ingest.cleaning import clean_label
from core.ingest.evidence.catalog_papers import CatalogPapers
from core.ingest.evidence.faults import Faults
from core.ingest.evidence.reading import AUTHORS_NAME, CLAIMS_NAME, Folder, Line
from core.ingest.evidence.schema import Json
from core.texts.cleaning import clean_text

_KEPT = ("evidence_basis", "direction", "effect", "locator", "extracted_at")


@dataclass(slots=True)
class Claim:
    """One claim as it is stored; `weight` in ten-thousandths."""

    claim_id: int
    pid: int
    body: Json
    weight: int
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RELATION_TYPES, 0))
    supporting: list[int] = field(default_factory=list)
    contradicting: list[int] = field(default_factory=list)

    @property
    def balance(self) -> float | None:
        """What supports against what contradicts."""
        return balance(self.supporting, self.contradicting)


@dataclass(slots=True)
class Entity:
    """One person of the ingest file."""

    record: Json
    pids: frozenset[int]


@dataclass(slots=True)
class Corpus:
    """Everything that is written; `pids` are the papers with evidence or with a known author."""

    assessments: dict[int, Json] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)
    relations: list[Json] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    digests: list[tuple[str, str, str, list[str]]] = field(default_factory=list)

    @property
    def pids(self) -> set[int]:
        """All papers of the corpus."""
        of_claims = {claim.pid for claim in self.claims.values()}
        return {*self.assessments, *of_claims, *(pid for entity in self.entities for pid in entity.pids)}

    def is_retracted(self, pid: int, papers: CatalogPapers) -> bool:
        """Whether somebody said so: the assessment, else the catalog."""
        return bool(
            retraction_of(self.assessments.get(pid), is_retracted=papers.get(pid).is_retracted)["status"] == "retracted"
        )


def retraction_of(assessment: Json | None, *, is_retracted: bool) -> Json:
    """What is known about a paper's standing."""
    stated: Json | None = (assessment or {}).get("retraction")
    return stated or {"status": "retracted" if is_retracted else "unknown"}


def corpus_version(folder: Folder, content_id: str, model: str | None) -> str:
    """A hash of the inputs, in whatever order their lines stand, the catalog, the weight version and the model."""
    digest = hashlib.sha256()
    parts = [str(FORMAT), WEIGHT_VERSION, model or "", content_id, *folder.categories]
    digest.update(orjson.dumps(parts))
    for lines in (folder.assessments, folder.claims, folder.relations, folder.authors):
        for record in sorted(orjson.dumps(line.record, option=orjson.OPT_SORT_KEYS) for line in lines):
            digest.update(record + b"\n")
        digest.update(b"\0")
    for text in folder.digests:
        digest.update(orjson.dumps([text.date, text.title, text.markdown]))
    return digest.hexdigest()[:32]


def linked(folder: Folder, papers: CatalogPapers) -> Corpus:
    """The corpus of a folder; what is wrong is added to the folder's faults, and the corpus is then not to be used."""
    corpus, faults = Corpus(), folder.faults
    _link_assessments(folder, papers, corpus)
    _link_claims(folder, papers, corpus)
    _link_relations(folder.relations, corpus, faults)
    _link_authors(folder.authors, papers, corpus, faults)
    if not list(faults.lines()):
        _count_relations(corpus, papers)
        corpus.digests = [
            (text.date, clean_text(text.title) or text.title, text.markdown, _papers_named(text.markdown, papers))
            for text in folder.digests
        ]
    return corpus


def _found(line: Line, file: str, reference: str, papers: CatalogPapers, faults: Faults) -> int | None:
    pid = papers.find(reference)
    if isinstance(pid, str):
        faults.add(file, line.number, f"paper_id {pid}")
        return None
    return pid


def _link_assessments(folder: Folder, papers: CatalogPapers, corpus: Corpus) -> None:
    for line in folder.assessments:
        pid = _found(line, CLAIMS_NAME, line.record["paper_id"], papers, folder.faults)
        if pid in corpus.assessments:
            folder.faults.add(CLAIMS_NAME, line.number, "a second assessment of its paper")
        elif pid is not None:
            corpus.assessments[pid] = line.record


def _link_claims(folder: Folder, papers: CatalogPapers, corpus: Corpus) -> None:
    faults = folder.faults
    for line in folder.claims:
        record = line.record
        pid = _found(line, CLAIMS_NAME, record["paper_id"], papers, faults)
        claim_id = int(record["claim_id"])
        if claim_id in corpus.claims:
            faults.add(CLAIMS_NAME, line.number, f"claim_id {claim_id} is used twice")
            continue
        text = clean_text(record["claim_text"])
        if text is None:
            faults.add(CLAIMS_NAME, line.number, "claim_text holds no text")
            continue
        category = category_fold(record["outcome_category"])
        if category not in folder.categories:
            label = record["outcome_category"]
            faults.warn(CLAIMS_NAME, line.number, f"outcome_category {label!r} is not on the list: stored as other")
        # A claim of an unknown paper is kept for the checks of relations; its fault stops the build.
        corpus.claims[claim_id] = _claim(record, -1 if pid is None else pid, text, category, folder, papers, corpus)


def _claim(
    record: Json, pid: int, text: str, category: str, folder: Folder, papers: CatalogPapers, corpus: Corpus
) -> Claim:
    assessment = corpus.assessments.get(pid, {})
    paper_type = assessment.get("paper_type")
    locator = record.get("locator") or {}
    grade = capped_grade(
        record["evidence_grade"],
        paper_type,
        is_located=any(locator.get(name) is not None for name in ("section", "page", "quote")),
        is_forecast=record.get("forecast_or_normative", False),
    )
    weight = composite_weight(
        grade,
        assessment.get("methods_rigor"),
        assessment.get("evidence_strength"),
        paper_type,
        is_retracted=pid >= 0 and corpus.is_retracted(pid, papers),
    )
    is_known = category in folder.categories
    body: Json = {
        "claim_id": record["claim_id"],
        "paper_id": record["paper_id"] if pid < 0 else papers.get(pid).names.paper_id,
        "claim_text": text,
        **{name: record[name] for name in _KEPT if name in record},
        "outcome_category": category if is_known else OTHER,
        "evidence_grade": grade,
        "evidence_weight": scaled(weight) / SCALE,
        "weight_version": WEIGHT_VERSION,
    }
    if "locator" in body and not locator:
        del body["locator"]
    if not is_known:
        body["outcome_label"] = clean_label(record["outcome_category"])
    if grade != record["evidence_grade"]:
        body["grade_capped_from"] = record["evidence_grade"]
    if "evidence_basis" in body:
        body["evidence_basis"] = clean_text(body["evidence_basis"]) or body["evidence_basis"]
    return Claim(record["claim_id"], pid, body, scaled(weight))


def _link_relations(lines: Iterable[Line], corpus: Corpus, faults: Faults) -> None:
    ids: set[int] = set()
    triples: set[tuple[int, int, str]] = set()
    for line in lines:
        record = line.record
        relation_id, one, other, type_ = (record[name] for name in ("relation_id", "from_claim", "to_claim", "type"))
        reasons = [f"claim {claim} is unknown" for claim in dict.fromkeys((one, other)) if claim not in corpus.claims]
        if not reasons and (one == other or _same_paper(corpus.claims[one], corpus.claims[other])):
            reasons.append("both claims are of one paper")
        if relation_id in ids:
            reasons.append(f"relation_id {relation_id} is used twice")
        if (one, other, type_) in triples:
            reasons.append(f"a second relation {type_} from {one} to {other}")
        elif type_ in SYMMETRIC_TYPES and (other, one, type_) in triples:
            reasons.append(f"the reversed copy of a relation {type_}, which has no direction")
        ids.add(relation_id)
        triples.add((one, other, type_))
        for reason in reasons:
            faults.add(CLAIMS_NAME, line.number, reason)
        corpus.relations.append(record)


def _same_paper(one: Claim, other: Claim) -> bool:
    return one.pid == other.pid and one.pid >= 0


def _link_authors(lines: Iterable[Line], papers: CatalogPapers, corpus: Corpus, faults: Faults) -> None:
    ids: set[int] = set()
    for line in lines:
        author_id = line.record["author_id"]
        if author_id in ids:
            faults.add(AUTHORS_NAME, line.number, f"author_id {author_id} is used twice")
        ids.add(author_id)
        found = [_found(line, AUTHORS_NAME, text, papers, faults) for text in line.record["paper_ids"]]
        corpus.entities.append(Entity(line.record, frozenset(pid for pid in found if pid is not None)))
    corpus.entities.sort(key=lambda entity: int(entity.record["author_id"]))


def _count_relations(corpus: Corpus, papers: CatalogPapers) -> None:
    """Adds each relation to the claims that it counts at (3.3); the far end's paper must still stand."""
    retracted = {pid: corpus.is_retracted(pid, papers) for pid in {claim.pid for claim in corpus.claims.values()}}
    for record in corpus.relations:
        one, other = corpus.claims[record["from_claim"]], corpus.claims[record["to_claim"]]
        _count(other, one, record["type"], retracted)
        if record["type"] in SYMMETRIC_TYPES:
            _count(one, other, record["type"], retracted)


def _count(own: Claim, far: Claim, type_: str, retracted: Mapping[int, bool]) -> None:
    if retracted[far.pid]:
        return
    own.counts[type_] += 1
    if type_ == "supports":
        own.supporting.append(far.weight)
    elif type_ == "contradicts":
        own.contradicting.append(far.weight)


def _papers_named(markdown: str, papers: CatalogPapers) -> list[str]:
    """Papers of the catalog that a text links to, in the order of their first mention."""
    found: dict[str, None] = {}
    for identifier in find_all(markdown):
        pid = papers.find(str(identifier))
        if isinstance(pid, int):
            found[papers.get(pid).names.paper_id] = None
    return list(found)


def by_paper(claims: Iterable[Claim]) -> dict[int, list[Claim]]:
    """Claims of each paper by weight desc, claim_id."""
    found: defaultdict[int, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: (-claim.weight, claim.claim_id)):
        found[claim.pid].append(claim)
    return dict(found)
