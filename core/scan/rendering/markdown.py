"""`evidence.md`: the evidence to be read by people (scan contract 7.15)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.scan.models import Packet, SubCriterion
from core.scan.rendering.coverage import coverage_lines
from core.scan.rendering.escaping import inline, link
from core.scan.rendering.notes import state_note
from core.scan.selection import Selection

AUTHORS_SHOWN = 4
FLAGS = ("review", "contradicts", "methods_paper")


def evidence_markdown(
    run: Mapping[str, Any],
    selection: Selection,
    *,
    coverage: Mapping[str, Any] | None,
    failed_sources: Sequence[str],
    sub_criteria: Sequence[SubCriterion],
) -> str:
    """The whole text. `coverage` is its document; all prose is the client's own, escaped."""
    lines = [f"# {inline(run['slug'])}", "", f"Run `{run['run_dir']}` · {run['date']}", ""]
    unverified = sum(1 for each in selection.packets if not each.verification.verified)
    if unverified:
        lines += [f"> **Warning:** {unverified} of {len(selection.packets)} papers are not verified.", ""]
    lines += _table(selection.packets)
    names = {each.id: each.name for each in sub_criteria}
    for packet in selection.packets:
        lines += ["", *_paper(packet, names)]
    lines += ["", *coverage_lines(coverage, failed_sources), "", *_alternates(selection.alternates)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(packets: Sequence[Packet]) -> Iterator[str]:
    if not packets:
        yield "No papers were emitted."
        return
    yield "| # | Paper | Year | Venue | Evidence | Verified |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for packet in packets:
        work = packet.shortlisted.candidate.work
        doi = f" doi:{inline(work.ids.doi)}" if work.ids.doi else ""
        cells = (
            str(packet.rank),
            link(_title(packet), packet.url) + doi,
            str(work.year or "—"),
            inline(work.venue or "") or "—",
            packet.entry.evidence_level,
            _marker(packet),
        )
        yield f"| {' | '.join(cells)} |"


def _marker(packet: Packet) -> str:
    """Nobody shall take an unverified row for a verified one."""
    verification = packet.verification
    if verification.verified:
        return "yes"
    if verification.state == "mismatched":
        return f"**MISMATCHED**: {', '.join(verification.mismatches)}"
    return "**UNVERIFIED**"


def _paper(packet: Packet, names: Mapping[str, str]) -> Iterator[str]:
    work, entry = packet.shortlisted.candidate.work, packet.entry
    shown = [inline(each.name) for each in work.authors[:AUTHORS_SHOWN]]
    authors = ", ".join(shown) + (" et al." if len(work.authors) > AUTHORS_SHOWN else "")
    told = (
        authors or "no authors",
        str(work.year or "no year"),
        inline(work.venue or "") or "no venue",
        entry.evidence_level,
        f"overall {entry.overall}/3",
    )
    yield f"## {packet.rank}. {_title(packet)}"
    yield ""
    yield " · ".join((*told, *([link("link", packet.url)] if packet.url else ())))
    for name, text in (
        ("Key finding", inline(entry.key_finding)),
        ("Why it was chosen", f"{_reasons(packet, names)}. {inline(entry.relevance_reason)}"),
        ("Why it matters", inline(entry.why_it_matters)),
        ("Method", inline(entry.methodology)),
    ):
        yield ""
        yield f"**{name}.** {text}"
    yield ""
    yield "**Limitations.**"
    yield ""
    yield from (f"- {inline(each) or '—'}" for each in entry.limitations)
    yield ""
    yield _trailer(packet)


def _reasons(packet: Packet, names: Mapping[str, str]) -> str:
    entry = packet.entry
    told: list[str] = [entry.relation] if entry.relation else []
    told.append(f"selected by {packet.reason}")
    if entry.criteria:
        strongest = min(entry.criteria, key=lambda id: (-entry.criteria[id], id))
        name = inline(f"{strongest} {names.get(strongest, '')}")
        told.append(f"strongest on {name} ({entry.criteria[strongest]}/3)")
    return " · ".join(told)


def _trailer(packet: Packet) -> str:
    entry = packet.entry
    scores = ", ".join(f"{inline(id)} {score}/3" for id, score in entry.criteria.items())
    flags = [inline(name) for name in FLAGS if getattr(entry.flags, name)]
    told = [f"Selected: {packet.reason}", f"criteria: {scores}"]
    if flags:
        told.append(f"flags: {', '.join(flags)}")
    return " · ".join((*told, state_note(packet.verification)))


def _alternates(alternates: Sequence[Packet]) -> Iterator[str]:
    if not alternates:
        return
    yield "## Alternates"
    yield ""
    for packet in alternates:
        work = packet.shortlisted.candidate.work
        told = (link(_title(packet), packet.url), str(work.year or "no year"), f"overall {packet.entry.overall}/3")
        yield f"- {' · '.join((*told, _marker(packet) if not packet.verification.verified else 'verified'))}"


def _title(packet: Packet) -> str:
    return inline(packet.shortlisted.candidate.work.title) or "(no title)"
