"""What a build reads: a kind and a path, written `KIND:PATH` on the command line."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.errors import InvalidInput


class SourceKind(StrEnum):
    """The input formats of catalog contract section 20, and the one of the evidence contract, section 8."""

    PWC = "pwc"
    ARXIV = "arxiv"
    OPENALEX = "openalex"
    PAPERDESK = "paperdesk"
    MARKDOWN = "markdown"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file, or a folder that holds files of the kind."""

    kind: SourceKind
    path: Path


def parse_source(text: str) -> Source:
    """Reads `KIND:PATH`, such as `pwc:dumps/`; raises `InvalidInput` naming the kinds."""
    kind, colon, path = text.partition(":")
    if not colon or not path or kind not in SourceKind.__members__.values():
        kinds = ", ".join(SourceKind)
        raise InvalidInput(f"A source is written KIND:PATH with a kind of {kinds}; for example pwc:dumps/.")
    return Source(SourceKind(kind), Path(path))
