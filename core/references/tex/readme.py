"""What the `00README` file of a submission names as its main file, in any of its forms (references contract 8.2)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from core.references.tex.decoding import decode

_README_BYTES = 1 << 18
_ITEM = re.compile(r"\s*-\s+(?P<rest>.*)")
_PAIR = re.compile(r"[\s{,]*[\"']?(?P<key>filename|usage)[\"']?\s*:\s*(?P<value>\"[^\"]*\"|'[^']*'|[^,}#\s][^,}#]*)")
_TOPLEVEL = "toplevel"


def named_main_files(files: Mapping[str, bytes]) -> Iterator[str]:
    """The names that `00README` files give to top-level files, in order."""
    by_lower = {name.lower(): name for name in files}
    for known, read in (
        ("00readme.xxx", _from_words),
        ("00readme.json", _from_json),
        ("00readme.yaml", _from_yaml),
        ("00readme.yml", _from_yaml),
    ):
        if (name := by_lower.get(known)) and len(files[name]) <= _README_BYTES:
            yield from (found.strip().removeprefix("./") for found in read(files[name]))


def _from_words(data: bytes) -> Iterator[str]:
    """Lines of a file name and what it is."""
    for line in decode(data).text.splitlines():
        words = line.split()
        if len(words) > 1 and "toplevelfile" in (word.lower() for word in words[1:]):
            yield words[0]


def _from_json(data: bytes) -> Iterator[str]:
    try:
        content: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    sources = content.get("sources") if isinstance(content, dict) else None
    for source in sources if isinstance(sources, list) else []:
        if isinstance(source, dict) and source.get("usage") == _TOPLEVEL and isinstance(source.get("filename"), str):
            yield source["filename"]


def _from_yaml(data: bytes) -> Iterator[str]:
    """The entries below `sources`, in lines or in braces; more of YAML is not used here."""
    is_sources = False
    entry: dict[str, str] = {}
    for line in decode(data).text.splitlines():
        if line[:1].strip() and not line.startswith(("-", "#")):
            is_sources = line.startswith("sources")
            line = line.partition(":")[2]
        if item := _ITEM.match(line):
            yield from _toplevel(entry)
            entry, line = {}, item["rest"]
        if is_sources:
            *whole, rest = line.split("}")
            for braced in whole:
                yield from _toplevel(_pairs(braced))
            entry |= _pairs(rest)
    yield from _toplevel(entry)


def _pairs(text: str) -> dict[str, str]:
    return {pair["key"]: pair["value"].strip().strip("\"'") for pair in _PAIR.finditer(text)}


def _toplevel(entry: dict[str, str]) -> Iterator[str]:
    if entry.get("usage") == _TOPLEVEL and "filename" in entry:
        yield entry["filename"]
