"""The places of the evidence: main ones, guarantees, foundational ones and what is left over (scan contract 7.14)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.scan.models import Packet
from core.scan.profiles import CONTRADICTING_PLACES, KEPT_SCORE, PER_FIRST_AUTHOR, REVIEW_PLACES
from core.scan.vocabulary import SelectionReason

BEST_OVERALL = 3

SameAuthor = Callable[[Packet, Packet], bool]
"""Whether two works have one first author."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A work that is emitted; `place` is its place in the order of all."""

    packet: Packet
    place: int
    reason: SelectionReason


@dataclass(frozen=True, slots=True)
class Need:
    """What the main places shall hold so many of."""

    reason: SelectionReason
    places: int
    is_met_by: Callable[[Packet], bool]


def is_review(packet: Packet) -> bool:
    """A review that is close to the brief."""
    entry = packet.entry
    is_close = entry.overall == BEST_OVERALL or entry.relation == "closely-related"
    return entry.flags.review and entry.overall >= KEPT_SCORE and is_close


def is_contradicting(packet: Packet) -> bool:
    """Counter-evidence: by its relation, or by its flag where no relation is told."""
    entry = packet.entry
    contradicts = entry.flags.contradicts if entry.relation is None else entry.relation == "contradicting"
    return contradicts and entry.overall >= KEPT_SCORE


NEEDS = (
    Need("review", REVIEW_PLACES, is_review),
    Need("contradicting", CONTRADICTING_PLACES, is_contradicting),
)


def picked(
    best_first: Sequence[Packet], *, top: int, foundational: int, is_same_author: SameAuthor
) -> tuple[Pick, ...]:
    """The picks in rank order, from works in their order.

    Those inside the window come first, in that order, then the foundational ones.
    """
    main_places = top - min(foundational, top - 1)
    inside = [Pick(each, place, "score") for place, each in enumerate(best_first) if not _is_outside(each)]
    main = _main(inside, main_places, is_same_author)
    for need in NEEDS:
        main = _with_need(main, need, inside, main_places, is_same_author)
    outside = [
        Pick(each, place, "foundational")
        for place, each in enumerate(best_first)
        if _is_outside(each) and each.entry.overall >= KEPT_SCORE
    ][: top - main_places]
    main = _with_backfill(main, inside, top - len(outside), is_same_author)
    return (*sorted(main, key=lambda pick: pick.place), *outside)


def _main(inside: Sequence[Pick], most: int, is_same_author: SameAuthor) -> list[Pick]:
    """The best within the author limit; the one right after a skip is there for diversity."""
    main: list[Pick] = []
    has_skipped = False
    for pick in inside:
        if len(main) == most or pick.packet.entry.overall < KEPT_SCORE:
            break
        if not _fits(pick, main, is_same_author):
            has_skipped = True
            continue
        main.append(replace(pick, reason="diversity") if has_skipped else pick)
        has_skipped = False
    return main


def _with_need(
    main: Sequence[Pick], need: Need, inside: Sequence[Pick], most: int, is_same_author: SameAuthor
) -> list[Pick]:
    """The main picks with a need filled, where it was not met and a work can meet it."""
    if sum(1 for pick in main if need.is_met_by(pick.packet)) >= need.places:
        return list(main)
    displaced = _displaced(main) if len(main) >= most else None
    staying = [pick for pick in main if pick is not displaced]
    chosen = {pick.place for pick in main}
    for pick in inside:
        if pick.place not in chosen and need.is_met_by(pick.packet) and _fits(pick, staying, is_same_author):
            return [*staying, replace(pick, reason=need.reason)]
    return list(main)


def _displaced(main: Sequence[Pick]) -> Pick:
    """The weakest pick that no guarantee holds, or the weakest of all where each is held."""
    held: set[int] = set()
    for need in NEEDS:
        meeting = sorted(pick.place for pick in main if need.is_met_by(pick.packet))
        held.update(meeting[: need.places])
    free = [pick for pick in main if pick.place not in held]
    return max(free or main, key=lambda pick: pick.place)


def _with_backfill(main: Sequence[Pick], inside: Sequence[Pick], most: int, is_same_author: SameAuthor) -> list[Pick]:
    """The main picks with the places that are left over filled, whatever the entries' overall."""
    filled = list(main)
    chosen = {pick.place for pick in main}
    for pick in inside:
        if len(filled) < most and pick.place not in chosen and _fits(pick, filled, is_same_author):
            filled.append(replace(pick, reason="backfill"))
    return filled


def _fits(pick: Pick, others: Sequence[Pick], is_same_author: SameAuthor) -> bool:
    return sum(1 for each in others if is_same_author(pick.packet, each.packet)) < PER_FIRST_AUTHOR


def _is_outside(packet: Packet) -> bool:
    return packet.shortlisted.candidate.outside_window
