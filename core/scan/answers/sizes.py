"""Keeps every answer within 36,000 bytes by letting the parts give way in a fixed order (scan contract 6.5)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.scan.answers.envelope import Envelope
from core.scan.answers.pages import cut_bytes, longest, shortened, size_of

ENVELOPE_BYTES = 36_000
REASON_CHARS = 120
UNVERIFIED_ROWS = 20

Payload = dict[str, Any]


def fitted(envelope: Envelope) -> Envelope:
    """The envelope within 36,000 bytes of compact JSON; what is left out stays in the scan's resources."""
    over = envelope.size_bytes() - ENVELOPE_BYTES
    for give_way in _STEPS:
        if over <= 0:
            break
        payload = give_way(dict(envelope.payload), over)
        envelope = replace(envelope, payload=payload)
        over = envelope.size_bytes() - ENVELOPE_BYTES
    return envelope


def _evidence(payload: Payload, over: int) -> Payload:
    """Cut at a paper's end: what stays are whole parts from the top."""
    text = payload.get("evidence_md")
    if not text:
        return payload
    first, *parts = text.split("\n## ")
    kept = [first, *(f"\n## {part}" for part in parts)]
    allowed = size_of(text) - over - len(',"evidence_md_truncated":true')
    while kept and size_of("".join(kept)) > allowed:
        kept.pop()
    return _beside(payload, "evidence_md", "".join(kept), "evidence_md_truncated", True)


def _seeds(payload: Payload, over: int) -> Payload:
    coverage = payload.get("coverage")
    if not isinstance(coverage, Mapping):
        return payload
    bare = {key: value for key, value in coverage.items() if key != "seeds"}
    if "rounds" in bare:
        bare["rounds"] = [{key: value for key, value in each.items() if key != "seeds"} for each in bare["rounds"]]
    return {**payload, "coverage": bare}


def _reasons(payload: Payload, over: int) -> Payload:
    return _top_cut(payload, reason_chars=REASON_CHARS)


def _unverified(payload: Payload, over: int) -> Payload:
    rows = payload.get("unverified", [])
    if len(rows) <= UNVERIFIED_ROWS:
        return payload
    return _beside(payload, "unverified", rows[:UNVERIFIED_ROWS], "unverified_total", len(rows))


# What follows serves answers that the four rules of the contract leave too large.


def _abstracts(payload: Payload, over: int) -> Payload:
    records = payload.get("shortlist_records")
    return payload if not records else {**payload, "shortlist_records": shortened(records, size_of(records) - over)}


def _warnings(payload: Payload, over: int) -> Payload:
    """Those that fit, from the first; the manifest has all."""
    rows = payload.get("warnings")
    if not rows:
        return payload
    kept = longest(len(rows), lambda count: size_of(rows[:count]) <= size_of(rows) - over)
    return {**payload, "warnings": rows[:kept]}


def _breakdowns(payload: Payload, over: int) -> Payload:
    """Coverage beside a decision, or beside emitted papers, is read whole from its resource."""
    return {key: value for key, value in payload.items() if key != "coverage"}


def _titles(payload: Payload, over: int) -> Payload:
    shorter = _top_cut(payload, reason_chars=REASON_CHARS // 2, title_chars=REASON_CHARS // 2)
    return {**shorter, "unverified": _titles_cut(payload["unverified"])} if "unverified" in payload else shorter


def _rows(payload: Payload, over: int) -> Payload:
    rows = payload.get("top")
    if not rows:
        return payload
    kept = longest(len(rows), lambda count: size_of(rows[:count]) <= size_of(rows) - over - len(',"top_total":50'))
    return _beside(payload, "top", rows[:kept], "top_total", len(rows))


def _previews(payload: Payload, over: int) -> Payload:
    """The batch stays as it was handed out in its resource; an answer that cannot hold it shows shorter previews."""
    batch = payload.get("screen_batch")
    if batch is None:
        return payload

    def cut(limit: int) -> Payload:
        items = [{**each, "abstract_600": cut_bytes(each["abstract_600"], limit)} for each in batch["items"]]
        return {**batch, "items": items}

    most = size_of(batch) - over
    return {**payload, "screen_batch": cut(longest(2_400, lambda limit: size_of(cut(limit)) <= most))}


_STEPS: tuple[Callable[[Payload, int], Payload], ...] = (
    _evidence,
    _seeds,
    _reasons,
    _unverified,
    _abstracts,
    _titles,
    _breakdowns,
    _warnings,
    _previews,
    _rows,
)


def _top_cut(payload: Payload, *, reason_chars: int, title_chars: int | None = None) -> Payload:
    if "top" not in payload:
        return payload
    rows = [{**each, "relevance_reason": each["relevance_reason"][:reason_chars]} for each in payload["top"]]
    return {**payload, "top": rows if title_chars is None else _titles_cut(rows)}


def _titles_cut(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "title": each["title"][: REASON_CHARS // 2]} for each in rows]


def _beside(payload: Payload, key: str, value: Any, new_key: str, new_value: Any) -> Payload:
    """The payload with a new value and, right after it, what tells of the change."""
    changed: Payload = {}
    for each, held in payload.items():
        changed[each] = value if each == key else held
        if each == key:
            changed[new_key] = new_value
    return changed
