"""`expand` and `expand-r2`: the citations around what is worth keeping (scan contract 7.9)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from anyio.to_thread import run_sync

from core.scan import batches
from core.scan.answers.warnings import WarningCode
from core.scan.engine.scan import Scan, appended
from core.scan.engine.stages.retrieving import rescored, sifted_reasons
from core.scan.engine.stages.turns import Turn
from core.scan.engine.state import said, with_warnings
from core.scan.engine.steps import PREFIXES, after_expansion
from core.scan.expansion.admission import Expansion, admit
from core.scan.expansion.choosing import chosen
from core.scan.expansion.seeds import gap_seeds, seeds
from core.scan.identity.merging import merge, without_loose_versions
from core.scan.models import Candidate, Pool
from core.scan.searching.port import Neighbourhood, Neighbours, Warned
from core.scan.vocabulary import Step


def seeds_of(scan: Scan) -> tuple[str, ...]:
    """The seeds that the scores of this round give."""
    if scan.state.step in (Step.SCREEN_R, Step.EXPAND_R2):
        new = [cid for each in scan.state.batches if each.id.startswith("r") for cid in each.cids]
        surviving = dict.fromkeys(scan.pool.aliases.get(cid, cid) for cid in new)
        round2 = frozenset(query.id for query in scan.plan.round2)
        return gap_seeds(scan.pool, scan.scores, tuple(surviving), round2)
    return seeds(scan.pool, scan.scores, scan.state.anchors)


async def expand(scan: Scan, turn: Turn) -> Scan:
    """The scan with what the graph of its seeds brought, and the batches of that."""
    state = scan.state
    cids = seeds_of(scan)
    by_cid = {each.cid: each for each in scan.pool.candidates}
    ask = Neighbourhood([by_cid[cid] for cid in cids], state.window, turn.caller)
    found = await turn.literature.neighbours(ask)
    return await run_sync(_expanded, scan, cids, found)


def _expanded(scan: Scan, cids: Sequence[str], found: Neighbours) -> Scan:
    state = scan.state
    works = [work for each in found.lists for work in chosen(each, state.window)]
    merged = merge(scan.pool, works, state.window)
    out = sifted_reasons(merged.new, scan.plan.must_not, in_expansion=True)
    kept = [each for each in merged.new if each.cid not in out]
    total = state.profile.outside_admissions
    expansion = admit(
        kept,
        state.window,
        outside_left=max(0, total - state.outside_admitted),
        outside_total=total,
        outside_admitted=state.outside_admitted,
    )
    new = (*expansion.admitted, *expansion.admitted_outside)
    pool = without_loose_versions(Pool(merged.pool.candidates + new, merged.pool.aliases))
    scores, joined = rescored(scan.scores, merged.joined)
    expanded = replace(scan, pool=pool, scores=scores)
    return _with_expansion(expanded, cids, new, found, expansion, Counter(out.values()), joined)


def _with_expansion(
    scan: Scan,
    cids: Sequence[str],
    new: Sequence[Candidate],
    found: Neighbours,
    expansion: Expansion,
    dropped: Counter[str],
    joined: tuple[Warned, ...],
) -> Scan:
    state = scan.state
    is_first = state.step is Step.EXPAND
    made = batches.made(new, scan.plan, PREFIXES[state.step])
    document = {
        "seeds": list(cids),
        "added": [each.cid for each in expansion.admitted],
        "added_outside_window": [each.cid for each in expansion.admitted_outside],
        "dropped": {
            "retracted": dropped["retracted"],
            "must_not": dropped["must_not"],
            "type": dropped["type"],
            "cap": expansion.dropped,
        },
        "batches": [each.id for each in made],
    }
    section = {
        "seeds": len(cids),
        "added": len(expansion.admitted),
        "added_outside_window": len(expansion.admitted_outside),
        "dropped": document["dropped"],
        "auth": dict(found.auth),
    }
    counts = {**state.counts, "expanded": state.counts.get("expanded", 0) + len(expansion.admitted)}
    name, log = (
        ("expanded.json", "expansion.log.jsonl") if is_first else ("expanded-round2.json", "expansion-r2.log.jsonl")
    )
    return replace(
        scan,
        state=replace(
            state,
            step=after_expansion(state.step, has_new=bool(made)),
            batches=(*state.batches, *made),
            outside_admitted=state.outside_admitted + len(expansion.admitted_outside),
            counts=counts,
            warnings=with_warnings(state.warnings, (*joined, *_of_failures(found))),
        ),
        expansions={**scan.expansions, name: document},
        manifest={**scan.manifest, "expansion" if is_first else "expansion_round2": section},
        logs=appended(scan.logs, log, found.events),
    )


def _of_failures(found: Neighbours) -> tuple[Warned, ...]:
    if found.asked and found.failed >= found.asked:
        return (said(WarningCode.EXPANSION_FAILED),)
    return ()
