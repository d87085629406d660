"""Whether a work was retracted, by all that is known of it (references contract, section 9)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.records import PartialDate, UpdateNotice
from core.sources.answers import Evidence
from core.works.retraction import RETRACTING, title_mark

Status = Literal["retracted", "no_marker_found", "unknown"]

CATALOG = "catalog"


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A source that was not heard, and why, in our words."""

    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Retraction:
    """The verdict. `kind` and `date` are those of the first notice that retracts; `checked` answered, in order."""

    status: Status
    kind: str | None = None
    date: PartialDate | None = None
    notices: tuple[UpdateNotice, ...] = ()
    checked: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()

    def shown(self) -> Mapping[str, object]:
        """The object `retraction` of an answer."""
        known = {"kind": self.kind, "date": None if self.date is None else str(self.date)}
        return {
            "status": self.status,
            **{name: value for name, value in known.items() if value is not None},
            "notices": [_shown(notice) for notice in self.notices],
            "checked": list(self.checked),
            "unchecked": [{"source": each.source, "why": each.why} for each in self.unchecked],
        }


def catalog_evidence(is_retracted: bool | None) -> Evidence | None:
    """What the catalog's own flag says; a record without the flag says nothing."""
    if is_retracted is None:
        return None
    return Evidence(CATALOG, (UpdateNotice("retraction", source=CATALOG),) if is_retracted else ())


def combine(
    heard: Iterable[Evidence | None], *, titles: Iterable[str | None] = (), unchecked: Sequence[Unchecked] = ()
) -> Retraction:
    """One positive is a retraction, whatever others say; without any answer nothing is known.

    A title can only tell of a retraction: that it does not is no answer. None in `heard` is a record without evidence.
    """
    known = [each for each in heard if each is not None]
    marks = [notice for title in titles if title and (notice := title_mark(title))]
    notices = _distinct([*(notice for each in known for notice in each.notices), *marks[:1]])
    checked = tuple(dict.fromkeys(each.source for each in known))
    left = tuple(dict.fromkeys(each for each in unchecked))
    retracting = [notice for notice in notices if notice.type in RETRACTING]
    if not retracting:
        return Retraction("no_marker_found" if checked else "unknown", None, None, notices, checked, left)
    date = next((notice.date for notice in retracting if notice.date is not None), None)
    return Retraction("retracted", retracting[0].type, date, notices, checked, left)


def _distinct(notices: Iterable[UpdateNotice]) -> tuple[UpdateNotice, ...]:
    """Each notice once: one source may tell of it in two of its answers, with a date in one of them only."""
    found: dict[tuple[str, str | None, str | None], UpdateNotice] = {}
    for notice in notices:
        place = (notice.type, notice.doi, notice.source)
        if place not in found or found[place].date is None:
            found[place] = notice
    return tuple(found.values())


def _shown(notice: UpdateNotice) -> Mapping[str, object]:
    date = None if notice.date is None else str(notice.date)
    return {"type": notice.type, "doi": notice.doi, "date": date, "source": notice.source}
