"""The elements that are open at a place of a page: which tag closes which, each tag in constant time.

The rules are those of the HTML standard as far as they decide what text belongs to which part: implied ends, scopes
that an end tag does not reach out of, and maths and drawings that end where ordinary markup goes on. Formatting
elements are not copied, since no text depends on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Payload = TypeVar("Payload")


def names(written: str) -> frozenset[str]:
    """A set of names, written with blanks between them."""
    return frozenset(written.split())


VOID = names("area base br col embed hr img input link meta param source track wbr")
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
FOREIGN = frozenset(("math", "svg"))
BLOCKS = HEADINGS | names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header "
    "hgroup hr main menu nav ol p pre search section summary table ul li dd dt"
)
"""Starting one of them ends an open paragraph."""
_SPECIAL = (
    (BLOCKS - {"dialog", "search"})
    | FOREIGN
    | names(
        "body button caption colgroup html iframe marquee noscript object script select style tbody td template "
        "textarea tfoot th thead title tr"
    )
)
"""No end tag of an ordinary element reaches across one of them."""
_SCOPES = names("caption marquee object table td template th")
"""No end tag of a special element reaches out of one of them."""
_ITEMS = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
_ITEM_STOPS = _SPECIAL - {"address", "div", "p"}
"""An item that starts ends the nearest one of these, if it is an item of its kind."""
_CELL_ENDS = ("td", "th", "caption", "colgroup")
_ROW_ENDS = (*_CELL_ENDS, "tr")
_GROUP_ENDS = (*_ROW_ENDS, "tbody", "thead", "tfoot")
_TABLE_STARTS = {
    **dict.fromkeys(("td", "th"), _CELL_ENDS),
    "tr": _ROW_ENDS,
    **dict.fromkeys(("tbody", "thead", "tfoot", "caption", "colgroup"), _GROUP_ENDS),
}
_LEAVES_FOREIGN = HEADINGS | names(
    "article b big blockquote body br center code dd div dl dt em figure footer head header hr i img li main menu nav "
    "nobr ol p pre ruby s section small span strike strong sub sup table td th tr tt u ul"
)
_INTEGRATION_POINTS = names("annotation-xml desc foreignobject mi mn mo ms mtext title")
_END_MAY_LACK = names("body colgroup dd dt head html li optgroup option p rp rt rtc tbody td tfoot th thead tr")


@dataclass(slots=True)
class Element(Generic[Payload]):
    """An open element. The numbers are the places of the nearest open element of each sort, itself included."""

    name: str
    payload: Payload
    place: int
    special: int = 0
    scope: int = 0
    table: int = 0
    item_stop: int = 0
    foreign: int = 0
    integration: int = 0
    root: int = 0


class OpenElements(Generic[Payload]):
    """The path from the page to the place that is being read; `closed` is told of each element that ends."""

    def __init__(self, bottom: Payload, closed: Callable[[Element[Payload]], None]) -> None:
        self._stack = [Element("", bottom, 0)]
        self._places: dict[str, list[int]] = {}
        self._closed = closed

    @property
    def top(self) -> Element[Payload]:
        """The innermost open element."""
        return self._stack[-1]

    @property
    def lacks_an_end(self) -> bool:
        """Whether an element is open that a page must close."""
        return any(element.name not in _END_MAY_LACK for element in self._stack[1:])

    def imply_ends(self, name: str) -> None:
        """Closes what ends where an element of that name starts."""
        top = self.top
        if top.foreign and name in _LEAVES_FOREIGN and top.integration <= top.foreign:
            self.close_from(top.foreign)
        if name in BLOCKS:
            self._close_nearest(("p",), self.top.scope)
        if name in _ITEMS:
            self._close_nearest(_ITEMS[name], self.top.item_stop)
        elif name in _TABLE_STARTS:
            self._close_nearest(_TABLE_STARTS[name], self.top.table)
        elif name in HEADINGS and self.top.name in HEADINGS:
            self.close_from(self.top.place)

    def lacks_a_row(self, name: str) -> bool:
        """Whether a cell starts in a table outside of any row."""
        return name in ("td", "th") and self.top.table > self.top.root and self._nearest("tr") < self.top.table

    def open(self, name: str, payload: Payload, *, is_root: bool = False) -> Element[Payload]:
        """Puts an element on the path. No end tag inside of a root closes anything outside of it."""
        below, place = self._stack[-1], len(self._stack)
        element = Element(
            name,
            payload,
            place,
            place if name in _SPECIAL or is_root else below.special,
            place if name in _SCOPES or is_root else below.scope,
            place if name == "table" or is_root else below.table,
            place if name in _ITEM_STOPS or is_root else below.item_stop,
            place if name in FOREIGN else 0 if is_root else below.foreign,
            place if name in _INTEGRATION_POINTS and below.foreign else below.integration,
            place if is_root else below.root,
        )
        self._stack.append(element)
        self._places.setdefault(name, []).append(place)
        return element

    def end(self, name: str) -> None:
        """What an end tag does: closes the nearest open element of its name that it reaches, if any."""
        top = self.top
        place = max(map(self._nearest, HEADINGS)) if name in HEADINGS else self._nearest(name)
        if name == "table":
            reach = top.root
        elif name in _GROUP_ENDS:
            reach = top.table
        elif name == "li":
            reach = max(top.scope, self._nearest("ul"), self._nearest("ol"))
        elif name in _SPECIAL:
            reach = top.scope
        else:
            reach = top.special
        if place and place >= reach:
            self.close_from(place)

    def close_from(self, place: int) -> None:
        """Closes every element from the top down to that place."""
        while len(self._stack) > place:
            element = self._stack.pop()
            self._places[element.name].pop()
            self._closed(element)

    def _close_nearest(self, names: tuple[str, ...], reach: int) -> None:
        inside = [place for name in names if (place := self._nearest(name)) and place >= reach]
        if inside:
            self.close_from(min(inside))

    def _nearest(self, name: str) -> int:
        places = self._places.get(name)
        return places[-1] if places else 0
