"""The five rubrics, read once from beside this file (scan contract 9)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from core.scan.vocabulary import Action

RubricName = Literal["plan", "screen", "gap", "rank", "report"]
NAMES: tuple[RubricName, ...] = ("plan", "screen", "gap", "rank", "report")
TEXT_CHARS_MAX = 6_000


@dataclass(frozen=True, slots=True)
class Rubric:
    """One text; `version` is the first 12 hex digits of its SHA-256."""

    name: RubricName
    text: str
    version: str

    @property
    def prompt(self) -> str:
        """The prompt that gives it."""
        return f"scan_{self.name}"

    @property
    def uri(self) -> str:
        """The resource that holds it."""
        return f"scan-rubric://{self.name}"

    @property
    def pointer(self) -> dict[str, str]:
        """What an answer says of the rubric of its `next_action`."""
        return {"prompt": self.prompt, "uri": self.uri, "version": self.version}


def _read(name: RubricName) -> Rubric:
    text = files("core.scan.rubrics").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Rubric(name, text, hashlib.sha256(text.encode()).hexdigest()[:12])


RUBRICS: Mapping[RubricName, Rubric] = MappingProxyType({name: _read(name) for name in NAMES})

RUBRIC_OF: Mapping[Action, Rubric] = MappingProxyType(
    {
        "screen_candidates": RUBRICS["screen"],
        "write_gap_queries": RUBRICS["gap"],
        "rank_shortlist": RUBRICS["rank"],
        "complete": RUBRICS["report"],
    }
)
"""The rubric of what the client has to do next; `verify_ranked` needs none."""

VERSIONS: Mapping[str, str] = MappingProxyType({name: RUBRICS[name].version for name in NAMES})
