"""Reads BibTeX and BibLaTeX, entry by entry: a damaged one costs no other."""

import logging
import re
from collections.abc import Iterator
from typing import cast

from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, ParsingFailedBlock
from bibtexparser.model import Entry as Block
from bibtexparser.model import String as StringBlock
from bibtexparser.splitter import Splitter

from core.errors import InvalidInput
from core.references.bibliography.bibtex_values import evaluate, untex
from core.references.bibliography.entries import ROWS_MAX, BadEntry, Entry, too_many
from core.references.bibliography.identifying import (
    Reader,
    identify,
    read_address,
    read_arxiv,
    read_doi,
    read_eprint,
    read_pmcid,
    read_pmid,
)

# It logs pieces of what it cannot read, and a bibliography is the caller's own.
logging.getLogger("bibtexparser.splitter").disabled = True

_ENTRY_START = re.compile(r"^[ \t]*@(?!string|comment|preamble)\w+[ \t]*[{(]", re.IGNORECASE | re.MULTILINE)


def read_bibtex(text: str) -> Iterator[Entry | BadEntry]:
    """The entries in order; raises `InvalidInput` when none can be read."""
    # Before the parser takes its time over them.
    if count_bibtex(text) > ROWS_MAX:
        raise too_many()
    strings: dict[str, str] = {}
    read: list[Entry | BadEntry] = []
    readable = 0
    for block in _blocks(text):
        if isinstance(block, StringBlock):
            strings.setdefault(block.key.lower(), evaluate(block.value, strings) or "")
        elif isinstance(block, Block) and (fields := _evaluated(block, strings)) is not None:
            read.append(identify(block.key or None, _fields(fields)))
            readable += 1
        else:
            key = block.key or None if isinstance(block, Block) else None
            read.append(BadEntry(key, None, InvalidInput("The entry is damaged. Check its braces, quotes and commas.")))
    if not readable:
        raise InvalidInput("The bibliography holds no readable BibTeX entry. Check that it is BibTeX and not cut off.")
    return iter(read)


def count_bibtex(text: str) -> int:
    """How many entries seem to begin in a text."""
    return sum(1 for _ in _ENTRY_START.finditer(text))


def _blocks(text: str) -> Iterator[Block | StringBlock | ParsingFailedBlock]:
    """Entries, strings and what failed to be either, in order; a key or field that comes twice is no failure."""
    for block in Splitter(text).split().blocks:
        while isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
            block = cast("Block | StringBlock", block.ignore_error_block)
        if isinstance(block, Block | StringBlock | ParsingFailedBlock):
            yield block


def _evaluated(block: Block, strings: dict[str, str]) -> dict[str, str] | None:
    """The first value of each field; None when one is no BibTeX value, as after a missing comma."""
    fields: dict[str, str] = {}
    for field in block.fields:
        value = evaluate(str(field.value), strings)
        if value is None:
            return None
        fields.setdefault(field.key.lower(), untex(value))
    return fields


def _fields(fields: dict[str, str]) -> Iterator[tuple[str, Reader]]:
    kind = (fields.get("archiveprefix") or fields.get("eprinttype") or "").casefold()
    eprint: Reader | None = read_eprint
    if kind:
        eprint = read_arxiv if kind.startswith("arxiv") else read_pmid if kind == "pubmed" else None
    before: list[tuple[str, Reader | None]] = [("doi", read_doi)]
    after: list[tuple[str, Reader | None]] = [("pmid", read_pmid), ("pmcid", read_pmcid)]
    # An eprint of PubMed stands with the other ids of PubMed.
    (after if eprint is read_pmid else before).append(("eprint", eprint))
    for name, read in [*before, *after, ("url", read_address), ("howpublished", read_address)]:
        if read is not None and (value := fields.get(name)):
            yield value, read
