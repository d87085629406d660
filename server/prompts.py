"""What a prompt is: a plain function from its arguments to what a user would write or show."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.arguments import Arguments
from server.completions import Completer
from server.dialect import Block, clean
from server.schemas import parameters_schema
from server.spelling import near


@dataclass(frozen=True, slots=True)
class Prompt:
    """One public function. Its name, docstring and parameters are the wire.

    It returns the user's message as text, or several messages as content blocks.
    """

    function: Callable[..., str | Sequence[Block]]
    title: str
    completers: Mapping[str, Completer] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """The function's docstring, dedented."""
        return inspect.getdoc(self.function) or ""

    @property
    def arguments(self) -> Sequence[str]:
        """The names of its parameters."""
        return tuple(inspect.signature(self.function).parameters)


class UnknownPrompt(LookupError):
    """No prompt of this toolset has that name; `near` holds the names most like it."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__("no such prompt")
        self.name = name
        self.near = near


class BoundPrompts:
    """The prompts of one toolset, ready to be listed and written."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.by_name = {prompt.name: prompt for prompt in prompts}
        if len(self.by_name) != len(prompts):
            raise ValueError("two prompts have one name")
        schemas = {prompt.name: parameters_schema(prompt.function) for prompt in prompts}
        self._arguments = {name: Arguments(name, schema) for name, schema in schemas.items()}
        self.listed: list[dict[str, Any]] = [_wire(prompt, schemas[prompt.name]) for prompt in prompts]

    def write(self, name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """The wire form of the prompt of that name, without what only one era has.

        Raises `UnknownPrompt`, and `InvalidInput` naming an argument.
        """
        prompt = self.by_name.get(name)
        if prompt is None:
            raise UnknownPrompt(name, tuple(near(name, list(self.by_name))))
        written = prompt.function(**self._arguments[name].bind(arguments or {}))
        blocks: Sequence[Block] = [{"type": "text", "text": written}] if isinstance(written, str) else written
        messages = [{"role": "user", "content": clean(block)} for block in blocks]
        return {"description": prompt.description, "messages": messages}


def _wire(prompt: Prompt, schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": name, "description": wanted.get("description", ""), "required": name in required}
            for name, wanted in schema["properties"].items()
        ],
    }
