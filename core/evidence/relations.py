"""The relations of some claims, each seen from the claim's own end (contract 3.3 and 4.6)."""

from collections import defaultdict
from collections.abc import Sequence

import orjson

from core.catalog.embedded.connection import Connection
from core.evidence.listing import CUTS, cut
from core.evidence.results import Relationship
from core.evidence.stored.evidence_set import IN_LIST, Json, bodies
from core.evidence.vocabulary import RELATION_TYPES, SYMMETRIC_TYPES

_ENDS = f"""
SELECT r.relation_id, r.type, r.confidence, r.rationale, {{own}}, {{other}}, '{{role}}', c.paper_no, p.is_retracted
FROM relation r JOIN claim c ON c.no = {{other}} JOIN paper p ON p.no = c.paper_no
WHERE {{own}} {IN_LIST}
"""  # noqa: S608
_STATEMENT = " UNION ALL ".join(
    (
        _ENDS.format(own="r.to_no", other="r.from_no", role="incoming"),
        _ENDS.format(own="r.from_no", other="r.to_no", role="outgoing"),
    )
)


def relations_of(connection: Connection, claims: Sequence[int]) -> tuple[dict[int, list[Relationship]], int]:
    """Relations by claim number in the contract's order, and how many come from retracted papers and are left out."""
    wanted = orjson.dumps(list(claims)).decode()
    rows = []
    left_out = 0
    for row in connection.execute(_STATEMENT, (wanted, wanted)):
        role = "mutual" if row[1] in SYMMETRIC_TYPES else row[6]
        if row[8] and role != "outgoing":
            left_out += 1
        else:
            rows.append((*row[:6], role, row[7]))
    texts = bodies(connection, "claim", "body", list({row[5] for row in rows}))
    papers = bodies(connection, "paper", "brief", list({row[7] for row in rows}))
    rows.sort(key=lambda row: (RELATION_TYPES.index(row[1]), -row[2], row[0]))
    found: defaultdict[int, list[Relationship]] = defaultdict(list)
    for relation_id, type_, confidence, rationale, own, other, role, paper in rows:
        ends: Json = {"relation_id": relation_id, "type": type_, "role": role, "confidence": confidence}
        claim: Json = {"claim_id": texts[other]["claim_id"], "claim_text": cut(texts[other]["claim_text"], 600)}
        place: Json = {"paper_id": papers[paper]["paper_id"], "paper_title": cut(papers[paper]["title"], 300)}
        reason = None if rationale is None else cut(rationale, CUTS["rationale"])
        found[own].append(Relationship.model_validate({**ends, **claim, **place, "rationale": reason}))
    return dict(found), left_out
