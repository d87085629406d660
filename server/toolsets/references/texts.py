"""The text block of each answer: short Markdown for a person (references contract, section 1.4)."""

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]

ROWS_MAX = 25
_LINE_CHARS = 300


def render(tool: str, answer: Json) -> str:
    """One line for a record, a line for each row of a list, the content itself of a text."""
    if answer.get("dry_run"):
        return _dry_run(answer)
    return _WRITERS.get(tool, _record)(answer)


def failure_text(error: Json) -> str:
    """`CODE: message [disposition]`."""
    return f"{error['code']}: {' '.join(error['message'].split())} [{error['disposition']}]"


def _record(answer: Json) -> str:
    work = answer.get("work", {})
    parts = [_titled(answer.get("title") or work.get("title"), answer.get("year") or work.get("year"))]
    parts += _names(work)
    parts.append(str(answer.get("source", "")))
    if status := answer.get("oa_status"):
        parts.append(f"OA {status}")
    if pdf := answer.get("pdf"):
        parts.append(str(pdf.get("url") or pdf["status"]))
    if answer.get("retraction", {}).get("status") == "retracted":
        parts.append("RETRACTED")
    return _line(" · ".join(part for part in parts if part), most=2_000)


def _names(work: Json) -> list[str]:
    doi, arxiv = work.get("doi"), work.get("arxiv_id")
    return [f"doi:{doi}"] * bool(doi) + [f"arXiv:{arxiv}{work.get('arxiv_version') or ''}"] * bool(arxiv)


def _titled(title: Any, year: Any) -> str:
    return f"**{_line(title or 'Untitled')}**" + (f" ({year})" if year else "")


def _line(text: Any, most: int = _LINE_CHARS) -> str:
    """A text on one line, cut."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _listed(lines: list[str], nothing: str) -> str:
    more = [f"… and {len(lines) - ROWS_MAX} more"] if len(lines) > ROWS_MAX else []
    return "\n".join([*lines[:ROWS_MAX], *more]) or nothing


def _dry_run(answer: Json) -> str:
    plans = answer.get("plans")
    if plans is None:
        return f"Dry run: would ask {', '.join(answer['plan']['would_consult'])}; nothing was asked."
    return f"Dry run of {len(plans)} references; nothing was asked."


def _batch(answer: Json) -> str:
    return _listed([_row(row) for row in answer["results"]], "No references.")


def _row(row: Json) -> str:
    if not row.get("ok"):
        named = row.get("ref") or row.get("entry_key") or "an entry without a key"
        return f"- {_line(named)}: {failure_text(row['error'])}"
    where = row["pdf"].get("url") or row["pdf"]["status"]
    return f"- {_line(row['ref'])}: {_titled(row.get('title'), row.get('year'))} · {row['source']} · {where}"


def _info(answer: Json) -> str:
    metadata = answer["metadata"]
    if metadata is None:
        return f"{answer['safekey']}: not held."
    names = _names({"doi": metadata.get("doi"), "arxiv_id": metadata.get("arxiv_id")})
    return " · ".join([_titled(metadata.get("title"), metadata.get("year")), *names, metadata["doiget"]["source"]])


def _rows(answer: Json) -> str:
    rows = answer.get("results") or answer.get("entries") or []
    return _listed([f"- {_titled(row['title'], row['year'])} · {row['safekey']}" for row in rows], "Nothing is held.")


def _hits(answer: Json) -> str:
    lines = []
    for row in answer["results"]:
        id = f"doi:{row['doi']}" if row["doi"] else f"arXiv:{row['arxiv']}" if row["arxiv"] else row["openalex_id"]
        retracted = " · RETRACTED" if row["retracted"] else ""
        lines.append(f"- {_titled(row['title'], row['year'])} · {id} · {row['source']}{retracted}")
    alone = "\nOnly the catalog answered; attempts says why." if answer.get("degraded") else ""
    return _listed(lines, answer.get("hint", "Nothing was found.")) + alone


def _text(answer: Json) -> str:
    parts = [_notice(answer)]
    for section in answer["sections"]:
        if section["heading"] is not None:
            parts.append(f"{'#' * min(max(section['level'], 2), 6)} {section['heading']}")
        if section["text"]:
            parts.append(section["text"])
    return "\n\n".join(parts)


def _tex(answer: Json) -> str:
    return f"{_notice(answer)}\n\n{answer['tex_source']}"


def _notice(answer: Json) -> str:
    named = f"arXiv:{answer['arxiv_id']}{answer.get('version') or ''}"
    title = f" **{_line(answer['title'])}**" if answer.get("title") else ""
    on = f"; read on with offset {answer['next_offset']}" if answer.get("truncated") else ""
    return f"{named}{title} · {answer.get('source', 'arxiv-src')} · third-party content{on}"


def _pdf_path(answer: Json) -> str:
    known = f" An open copy is at {answer['oa_url']}." if answer.get("oa_url") else ""
    return f"{answer['safekey']}: {answer['path'] or 'no PDF is stored.'}{known}"


def _link(answer: Json) -> str:
    return f"doi:{answer['doi']} · " + (f"arXiv:{answer['arxiv']}" if answer["arxiv"] else "no arXiv version known")


def _graph(answer: Json) -> str:
    cut = ", truncated" if answer["truncated"] else ""
    head = f"{answer['total_visited']} works, {len(answer['edges'])} citations from {answer['seed_work_id']}{cut}"
    lines = [
        f"- {_titled(each['title'] or each['id'], each['year'])} · depth {each['depth']}" for each in answer["nodes"]
    ]
    return f"{head}\n{_listed(lines, '')}"


def _tags(answer: Json) -> str:
    tags, collections = ", ".join(answer["tags"]) or "none", ", ".join(answer["collections"]) or "none"
    return _line(f"{answer['canonical']}: tags {tags}; collections {collections}.", most=2_000)


def _note(answer: Json) -> str:
    note = answer["annotation"]
    return f"{answer['canonical']}: no note." if note is None else _line(f"{answer['canonical']}: {note}", most=2_000)


def _exports(name: str, answer: Json) -> str:
    lines = []
    for entry in answer["entries"]:
        if "error" in entry:
            lines.append(f"- {_line(entry['ref'])}: {failure_text(entry['error'])}")
        else:
            state = "exported" if entry[name] is not None else "not held"
            lines.append(f"- {_line(entry['ref'])}: {entry['safekey']} {state}")
    return _listed(lines, "No references.")


def _citation(answer: Json) -> str:
    if answer.get("best"):
        return f"Accepted: doi:{answer['best']}\n{_candidates(answer)}"
    return f"No candidate is certain.\n{_candidates(answer)}" if answer["candidates"] else "No candidates."


def _candidates(answer: Json) -> str:
    lines = [
        f"- {_titled(each['title'], each['year'])} · doi:{each['doi']} · {each['verdict']} · score {each['score']:.3f}"
        for each in answer["candidates"]
    ]
    return _listed(lines, "")


def _citations(answer: Json) -> str:
    lines = []
    for row in answer["results"]:
        found = failure_text(row["error"]) if "error" in row else row["best"] or "no certain candidate"
        lines.append(f"- {_line(row['query'], 120)}: {found}")
    return _listed(lines, "No citations.")


def _profile(answer: Json) -> str:
    enabled = [each["key"] for each in answer["sources"] if each["enabled"]]
    return f"Mode {answer['mode']}; sources asked: {', '.join(enabled) or 'none, the catalog answers alone'}."


def _health(answer: Json) -> str:
    return f"paperdesk {answer['version']}, mode {answer['mode']}, catalog {answer['catalog']['backend']}."


_WRITERS = {
    "doiget_batch_fetch": _batch,
    "doiget_batch_from_bibliography": _batch,
    "doiget_info": _info,
    "doiget_search_local": _rows,
    "doiget_list_recent": _rows,
    "doiget_paper_search": _hits,
    "doiget_paper_text": _text,
    "doiget_paper_tex_source": _tex,
    "doiget_link": _link,
    "doiget_paper_pdf_path": _pdf_path,
    "doiget_capability_profile": _profile,
    "doiget_health": _health,
    "doiget_expand_citation_graph": _graph,
    "doiget_bibtex_export": lambda answer: _exports("bibtex", answer),
    "doiget_csl_export": lambda answer: _exports("csl", answer),
    "doiget_resolve_citation": _citation,
    "doiget_batch_resolve_citations": _citations,
    "doiget_tag": _tags,
    "doiget_annotate": _note,
}
