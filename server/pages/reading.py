"""What the page shows of a toolset: its texts cut into pieces that link to each other, its tools with their rows."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from server.pages.facts import Facts, card_path, docs_path
from server.pages.parameters import Parameter, parameters_of
from server.registry import BoundToolset, BudgetUse, ErrorCode, Prompt, ResourceTemplate

_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: the name of a tool to link to, `code`, or plain words."""

    text: str
    anchor: str | None = None
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class ToolView:
    """One tool; `paragraphs` are those of its description, the first of which says what it gives."""

    anchor: str
    name: str
    title: str
    paragraphs: tuple[tuple[Piece, ...], ...]
    parameters: tuple[Parameter, ...]
    example: str | None
    budgets: tuple[BudgetUse, ...]


@dataclass(frozen=True, slots=True)
class OfferView:
    """A resource template or a prompt."""

    name: str
    title: str
    about: tuple[Piece, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class ErrorView:
    """An error code with its meaning."""

    code: str
    retryable: bool
    meaning: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ToolsetView:
    """One toolset as the page shows it."""

    id: str
    title: str
    description: str
    url: str
    docs_url: str
    card_url: str
    about: tuple[Piece, ...]
    deadline_s: float
    longest_s: float
    """The deadline of the tools that have the longest."""
    tools: tuple[ToolView, ...]
    resources: tuple[OfferView, ...]
    prompts: tuple[OfferView, ...]
    errors: tuple[ErrorView, ...]


def toolset_view(facts: Facts, bound: BoundToolset) -> ToolsetView:
    """Everything that the page says of one toolset."""
    toolset = bound.toolset
    anchors = {name: anchor(toolset.id, name) for name in bound.names}

    def cut(text: str) -> tuple[Piece, ...]:
        return pieces(text, anchors)

    return ToolsetView(
        id=toolset.id,
        title=toolset.title,
        description=toolset.description,
        url=facts.url(toolset.path),
        docs_url=facts.url(docs_path(toolset)),
        card_url=facts.url(card_path(toolset)),
        about=cut(toolset.instructions),
        deadline_s=toolset.deadline_s,
        longest_s=max(tool.deadline_s or toolset.deadline_s for tool in toolset.tools),
        tools=tuple(_tool(bound, wire, cut) for wire in bound.tools_list),
        resources=tuple(_resource(each, cut) for each in toolset.resources),
        prompts=tuple(_prompt(each, cut) for each in toolset.prompts),
        errors=tuple(_error(each, cut) for each in toolset.errors),
    )


def anchor(toolset_id: str, tool: str) -> str:
    """The id of a tool's place on the page."""
    return f"{toolset_id}-{tool}"


def pieces(text: str, anchors: Mapping[str, str]) -> tuple[Piece, ...]:
    """A text on one line, cut at `code` and at the names of tools."""
    found: list[Piece] = []
    for number, stretch in enumerate(_CODE.split(" ".join(text.split()))):
        # What stood between backquotes comes at every other place.
        if number % 2:
            found.append(Piece(stretch, anchors.get(stretch), is_code=True))
        else:
            found += _linked(stretch, anchors)
    return tuple(found)


def _linked(text: str, anchors: Mapping[str, str]) -> list[Piece]:
    found: list[Piece] = []
    done = 0
    for name in _NAME.finditer(text):
        if name[0] in anchors:
            found += [Piece(text[done : name.start()]), Piece(name[0], anchors[name[0]], is_code=True)]
            done = name.end()
    return [piece for piece in (*found, Piece(text[done:])) if piece.text]


_Cut = Callable[[str], tuple[Piece, ...]]


def _tool(bound: BoundToolset, wire: Mapping[str, Any], cut: _Cut) -> ToolView:
    name = wire["name"]
    tool = bound.tool(name)
    example = None if tool is None or tool.example is None else {"name": name, "arguments": dict(tool.example)}
    return ToolView(
        anchor=anchor(bound.toolset.id, name),
        name=name,
        title=wire["title"],
        paragraphs=tuple(cut(paragraph) for paragraph in wire["description"].split("\n\n")),
        parameters=tuple(parameters_of(wire["inputSchema"])),
        example=None if example is None else json.dumps(example, ensure_ascii=False),
        budgets=() if tool is None else tool.budgets,
    )


def _resource(template: ResourceTemplate, cut: _Cut) -> OfferView:
    return OfferView(template.uri_template, template.title, cut(template.description), template.mime_type)


def _prompt(prompt: Prompt, cut: _Cut) -> OfferView:
    return OfferView(prompt.name, prompt.title, cut(prompt.description), ", ".join(prompt.arguments))


def _error(error: ErrorCode, cut: _Cut) -> ErrorView:
    return ErrorView(error.code, error.retryable, cut(error.meaning))
