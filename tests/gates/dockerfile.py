"""A Dockerfile as data: its stages, and in each the instructions in order, with flags and continued lines joined."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `value` is the rest of its line, `flags` are its `--name=value` in front."""

    name: str
    flags: tuple[tuple[str, str], ...]
    value: str

    def flag(self, name: str) -> str | None:
        """A flag's value."""
        return dict(self.flags).get(name)

    @property
    def words(self) -> list[str]:
        """The value as a list: of a JSON array, or of words."""
        return list(json.loads(self.value)) if self.value.startswith("[") else shlex.split(self.value)


@dataclass(slots=True)
class Stage:
    """One FROM and what follows it."""

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def all(self, name: str) -> list[Instruction]:
        """Every instruction of a name."""
        return [one for one in self.instructions if one.name == name]

    def last(self, name: str) -> Instruction:
        """The one that counts where later ones replace earlier ones."""
        return self.all(name)[-1]


def parse_dockerfile(path: Path) -> list[Stage]:
    """The stages of a file; an ARG before the first FROM is put into their bases."""
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for instruction in _instructions(path.read_text(encoding="utf-8")):
        if instruction.name == "ARG" and not stages:
            name, _, value = instruction.value.partition("=")
            arguments[name] = value
        elif instruction.name == "FROM":
            base, *named = instruction.value.split()
            base = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], base)
            stages.append(Stage(base, named[-1] if named else ""))
        else:
            stages[-1].instructions.append(instruction)
    return stages


def variables(instruction: Instruction) -> dict[str, str]:
    """What an ENV sets."""
    return dict(word.partition("=")[::2] for word in shlex.split(instruction.value))


def health_check(stage: Stage) -> tuple[list[str], dict[str, str]]:
    """The command of the HEALTHCHECK, and how it is timed."""
    instruction = stage.last("HEALTHCHECK")
    command: Any = json.loads(instruction.value.removeprefix("CMD").strip())
    return command, dict(instruction.flags)


def _instructions(text: str) -> list[Instruction]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n", " ", "\n".join(lines))
    found = []
    for line in filter(None, map(str.strip, whole.splitlines())):
        name, _, value = line.partition(" ")
        flags = []
        while match := re.match(r"\s*--([a-z-]+)=(\S+)\s*", value):
            flags.append((match[1], match[2]))
            value = value[match.end() :]
        found.append(Instruction(name.upper(), tuple(flags), " ".join(value.split())))
    return found
