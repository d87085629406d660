"""One paper with its claims and their relations, filled into the size limit (contract 4.6)."""

from collections.abc import Sequence

import orjson

from core.catalog.embedded.connection import Connection
from core.evidence.listing import DEFAULT_BYTES, bytes_of, cut, cut_to_bytes
from core.evidence.lookup import by_catalog_id
from core.evidence.relations import relations_of
from core.evidence.results import ClaimPaper, FullClaim, Omitted, Paper, PaperAnswer, Relationship
from core.evidence.rows import Rows, shortened
from core.evidence.stored.evidence_set import IN_LIST, EvidenceSet, Json, bodies

NOT_ASSESSED = "The catalog holds this paper, but there is no evidence on it: nobody assessed it and no claim is known."
_TEXTS = {"abstract": 2_000, "summary_markdown": 4_000}
_AUTHORS_MAX = 100
_AUTHORS_BYTES = 4_000
_RESOURCES_BYTES = 1_000
_TEXT_BYTES = 14_000
"""Room for abstract and summary together: with letters of four bytes they would fill the answer by themselves."""

_NOTES_BYTES = 1_200
"""Room that is kept for notes and counts, which are written last."""


def shown_paper(body: Json) -> tuple[Paper, list[str]]:
    """A paper as `get_paper` shows it, and notes on what was cut; `body` has its `url`."""
    shown = shortened(body)
    notes: list[str] = []
    room = _TEXT_BYTES
    for name, most in _TEXTS.items():
        if name in shown:
            shown[name] = cut_to_bytes(cut(shown[name], most), room)
            room -= len(shown[name].encode())
    authors = [{**each, "name": cut(each["name"], 200)} for each in body["authors"]]
    shown["authors"] = _that_fit(authors[:_AUTHORS_MAX], _AUTHORS_BYTES)
    if len(shown["authors"]) < len(authors):
        shown["author_count"] = len(authors)
        notes.append(f"The first {len(shown['authors'])} of {len(authors)} authors are shown.")
    if resources := body.get("hf_resources"):
        shown["hf_resources"] = {kind: _short_list(kind, each, notes) for kind, each in resources.items()}
    return Paper.model_validate(shown), notes


def _short_list(kind: str, resources: list[Json], notes: list[str]) -> list[Json]:
    shown = _that_fit(resources, _RESOURCES_BYTES)
    if len(shown) < len(resources):
        notes.append(f"The first {len(shown)} of {len(resources)} {kind} are shown.")
    return shown


def _that_fit(values: list[Json], most_bytes: int) -> list[Json]:
    """The first values that fit into so many bytes of JSON."""
    room = most_bytes
    for place, value in enumerate(values):
        room -= len(orjson.dumps(value)) + 1
        if room < 0:
            return values[:place]
    return values


def without_evidence(body: Json, corpus_version: str, version: str | None) -> PaperAnswer:
    """A catalog paper that nobody assessed."""
    paper, notes = shown_paper(body)
    return _answer(paper, (), 0, Omitted(claims=0, relationships=0), [NOT_ASSESSED, *notes], corpus_version, version)


def _answer(
    paper: Paper,
    claims: Sequence[FullClaim],
    total: int,
    omitted: Omitted,
    notes: list[str],
    corpus_version: str,
    version: str | None,
) -> PaperAnswer:
    if version is not None:
        notes = [f"The version {version} of the reference was set aside: evidence is kept for the paper.", *notes]
    return PaperAnswer(
        paper=paper,
        requested_version=version,
        claims_total=total,
        claims=list(claims),
        omitted=omitted,
        notes=notes,
        corpus_version=corpus_version,
    )


class WholePapers:
    """Reads whole papers of one evidence set."""

    def __init__(self, stored: EvidenceSet, rows: Rows) -> None:
        self._stored = stored
        self._rows = rows

    def get(self, connection: Connection, no: int, version: str | None) -> PaperAnswer:
        """One paper by number; blocking."""
        paper, notes = self._paper(connection, no)
        statement = "SELECT no FROM claim WHERE paper_no = ? ORDER BY no"
        numbers = [number for (number,) in connection.execute(statement, (no,))]
        relations, retracted = relations_of(connection, numbers)
        if retracted:
            notes.append(f"{retracted} relations from retracted papers are neither counted nor listed.")
        claims = self._claims(connection, numbers)
        empty = _answer(
            paper, (), len(claims), Omitted(claims=0, relationships=0), notes, self._stored.corpus_version, version
        )
        shown = _filled(
            claims, [relations.get(each, []) for each in numbers], DEFAULT_BYTES - _NOTES_BYTES - bytes_of(empty)
        )
        omitted = Omitted(
            claims=len(claims) - len(shown),
            relationships=sum(map(len, relations.values())) - sum(len(each.relationships) for each in shown),
        )
        if omitted.claims or omitted.relationships:
            notes.append(
                f"{omitted.claims} claims and {omitted.relationships} relations did not fit;"
                " search_claims with words of the paper finds more."
            )
        return _answer(paper, shown, len(claims), omitted, notes, self._stored.corpus_version, version)

    def claim(self, connection: Connection, claim_id: int) -> tuple[FullClaim, PaperAnswer] | None:
        """One claim with all its relations, and its paper without any claim; blocking."""
        row = connection.execute("SELECT no, paper_no FROM claim WHERE claim_id = ?", (claim_id,)).fetchone()
        if row is None:
            return None
        (claim,) = self._claims(connection, [row[0]])
        paper, notes = self._paper(connection, row[1])
        answer = _answer(paper, (), 1, Omitted(claims=1, relationships=0), notes, self._stored.corpus_version, None)
        relations, _ = relations_of(connection, [row[0]])
        return _with([claim], [relations.get(row[0], [])])[0], answer

    def briefs(self, connection: Connection, catalog_ids: Sequence[str]) -> dict[str, ClaimPaper]:
        """Papers in brief by what a catalog calls them; those without evidence are left out. Blocking."""
        numbers = {each: no for each in catalog_ids if (no := by_catalog_id(connection, each)) is not None}
        found = bodies(connection, "paper", "brief", list(numbers.values()))
        return {
            each: ClaimPaper.model_validate(shortened(self._rows.with_url(found[no]))) for each, no in numbers.items()
        }

    def _paper(self, connection: Connection, no: int) -> tuple[Paper, list[str]]:
        return shown_paper(self._rows.with_url(bodies(connection, "paper", "body", [no])[no]))

    def _claims(self, connection: Connection, numbers: Sequence[int]) -> list[FullClaim]:
        """Claims without their relations."""
        texts, counts = bodies(connection, "claim", "body", numbers), bodies(connection, "claim", "counts", numbers)
        chosen = f"[{','.join(map(str, numbers))}]"
        balances = dict(connection.execute(f"SELECT no, balance FROM claim WHERE no {IN_LIST}", (chosen,)).fetchall())  # noqa: S608
        return [
            FullClaim.model_validate(
                {
                    **shortened(texts[each]),
                    "relationship_counts": counts[each],
                    "balance": balances[each],
                    "relationships": [],
                }
            )
            for each in numbers
        ]


def _filled(claims: Sequence[FullClaim], relations: Sequence[Sequence[Relationship]], room: int) -> list[FullClaim]:
    """Claims while they fit, then the first relation of every claim shown, then the second, and so on."""
    shown: list[FullClaim] = []
    for claim in claims:
        room -= bytes_of(claim) + 1
        if room < 0:
            return shown
        shown.append(claim)
    added: list[list[Relationship]] = [[] for _ in shown]
    for turn in range(max(map(len, relations), default=0)):
        for own, offered in zip(added, relations, strict=True):
            if turn < len(offered):
                room -= bytes_of(offered[turn]) + 1
                if room < 0:
                    return _with(shown, added)
                own.append(offered[turn])
    return _with(shown, added)


def _with(claims: Sequence[FullClaim], relations: Sequence[list[Relationship]]) -> list[FullClaim]:
    return [claim.model_copy(update={"relationships": own}) for claim, own in zip(claims, relations, strict=True)]
