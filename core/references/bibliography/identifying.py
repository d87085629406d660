"""Finds the identifier of an entry in the fields where people put them."""

import re
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from core.errors import InvalidInput, InvalidReference, PaperdeskError, Unsupported
from core.identifiers import Identifier, find_all, parse
from core.references.bibliography.entries import RAW_CHARS_MAX, BadEntry, Entry, EntryKey

CODE_HOSTS = frozenset(
    {
        "bitbucket.org",
        "codeberg.org",
        "gitee.com",
        "github.com",
        "gitlab.com",
        "savannah.gnu.org",
        "sourceforge.net",
        "sr.ht",
    }
)
_URL = re.compile(r"https?://[^\s{}<>\"\\]+", re.IGNORECASE)
_NO_IDENTIFIER = frozenset({"unsupported_url", "not_an_identifier", "several_identifiers", "empty", "bare_digits"})

Reader = Callable[[str], Identifier | None]
"""Reads one field's value: None when it holds no identifier, `InvalidReference` when it holds a malformed one."""


def identify(key: EntryKey, fields: Iterable[tuple[str, Reader]]) -> Entry | BadEntry:
    """The entry by the first field that identifies it; a malformed identifier is its error, and ends the search."""
    is_software = False
    for value, read in fields:
        try:
            if found := read(value):
                return Entry(key, found)
        except InvalidReference as error:
            return BadEntry(key, value[:RAW_CHARS_MAX], error)
        is_software = is_software or (read is read_address and _is_code(value))
    return BadEntry(key, None, _software() if is_software else _nothing())


def read_doi(value: str) -> Identifier:
    """A DOI, bare or as an address."""
    return _read("doi", value)


def read_arxiv(value: str) -> Identifier:
    """An arXiv id, bare, marked or as an address."""
    return _read("arxiv", value)


def read_pmid(value: str) -> Identifier:
    """A PubMed id."""
    return _read("pmid", value)


def read_pmcid(value: str) -> Identifier:
    """A PMC id, with or without its letters."""
    return _read("pmcid", value)


def read_eprint(value: str) -> Identifier | None:
    """What an eprint of no stated kind is: an arXiv id, unless it is an address."""
    return read_address(value) if _URL.match(value) else read_arxiv(value)


def read_note(value: str) -> Identifier | None:
    """The first identifier in running text."""
    return next(iter(find_all(value)), None)


def read_address(value: str) -> Identifier | None:
    """The identifier in an address of a host that is known for them."""
    address = _URL.search(value)
    try:
        return parse(address[0] if address else value, titles=False, bare_digits="refuse")
    except InvalidReference as error:
        if error.reason in _NO_IDENTIFIER:
            return None
        raise


def read_reference(value: str) -> Identifier:
    """A whole line or field that is one reference of any kind."""
    return parse(value, titles=False, bare_digits="refuse")


def refused_line(line: str, error: InvalidReference) -> BadEntry:
    """The entry for a line that is no reference; the address of software is one that nothing is done with."""
    problem: PaperdeskError = _software() if _is_code(line) else error
    return BadEntry(None, line[:RAW_CHARS_MAX], problem)


def _read(kind: str, value: str) -> Identifier:
    return read_reference(value if value[: len(kind)].lower() == kind else f"{kind}:{value}")


def _is_code(value: str) -> bool:
    address = _URL.search(value)
    try:
        host = (urlsplit(address[0] if address else f"https://{value}").hostname or "").removeprefix("www.")
    except ValueError:
        return False
    return any(host == known or host.endswith(f".{known}") for known in CODE_HOSTS)


def _software() -> Unsupported:
    return Unsupported(
        "The entry is software on a code host, which is not fetched. Cite its paper or its archived DOI."
    )


def _nothing() -> InvalidInput:
    return InvalidInput("The entry holds no identifier. Add its DOI, arXiv id or PubMed id.")
