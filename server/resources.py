"""What a resource template is: a form of addresses whose variables are the parameters of a plain function."""

import base64
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from pydantic import BaseModel

from core.clock import Clock
from core.deadline import deadline
from core.errors import InvalidInput, NotFound, SourceTimeout
from server.arguments import Arguments
from server.completions import Completer
from server.dialect import Dialect, Failure, clean, log_crash
from server.running import DeadlinePassed, within
from server.schemas import parameters_schema
from server.spelling import printable, without_surrogates

URI_ECHO_MAX = 8_192
"""Longer than the address of the longest reference, percent-encoded throughout."""

RESOURCE_TTL_MS = 300_000

_VARIABLE = re.compile(r"\{(\+?)([a-z_]+)\}")
"""A plus stands before a variable that may hold slashes (RFC 6570, reserved expansion)."""


class HeldAs(NamedTuple):
    """What stands at an address of a template whose addresses hold several kinds of content."""

    held: str | bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """One public function and its addresses; its docstring and its parameters (after `services`) are the wire.

    A template without variables is a resource at a fixed address. `ttl_ms` is how long a client may keep what it read;
    `is_private`: only whoever read it may. The function answers with a model, sent as JSON in the family's structured
    form, or with text or bytes as they are; where `mime_type` is empty, it says of each answer what it is.
    """

    function: Callable[..., Awaitable[BaseModel | str | bytes | HeldAs]]
    uri_template: str
    name: str
    title: str
    mime_type: str
    completers: Mapping[str, Completer] = field(default_factory=dict)
    ttl_ms: int = RESOURCE_TTL_MS
    is_private: bool = False

    @property
    def description(self) -> str:
        """The function's docstring, dedented."""
        return inspect.getdoc(self.function) or ""

    @property
    def arguments(self) -> Sequence[str]:
        """The template's variables."""
        return tuple(name for _, name in _VARIABLE.findall(self.uri_template))


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """What a resource holds, and how long by whom it may be kept."""

    uri: str
    mime_type: str
    held: str | bytes
    ttl_ms: int = RESOURCE_TTL_MS
    is_private: bool = False

    @property
    def wire(self) -> dict[str, str]:
        """The wire form: text as it is, bytes in base64."""
        known = {"uri": self.uri, "mimeType": self.mime_type}
        if isinstance(self.held, bytes):
            return {**known, "blob": base64.b64encode(self.held).decode()}
        return {**known, "text": self.held}


class ResourceFailed(Exception):
    """A resource that could not be read, in the family's words; `uri` is the address as it was asked for."""

    def __init__(self, uri: str, failure: Failure, *, ending: str) -> None:
        super().__init__(failure.code)
        self.uri = uri
        self.failure = failure
        self.ending = ending


class BoundResources:
    """The resource templates of one toolset with the services that their functions take."""

    def __init__(
        self,
        templates: Sequence[ResourceTemplate],
        services: Any,
        *,
        dialect: Dialect,
        deadline_s: float,
        clock: Clock,
    ) -> None:
        self.by_template = {template.uri_template: template for template in templates}
        if len(self.by_template) != len(templates):
            raise ValueError("two resource templates have one form")
        self.listed: list[dict[str, Any]] = [_wire(template) for template in templates if template.arguments]
        self.fixed: list[dict[str, Any]] = [_fixed_wire(template) for template in templates if not template.arguments]
        self._prepared = [
            (template, _pattern(template), Arguments(template.name, _schema(template))) for template in templates
        ]
        self._services = services
        self._dialect = dialect
        self._deadline_s = deadline_s
        self._clock = clock

    async def read(self, uri: str) -> ResourceContent:
        """What stands at an address, within the toolset's deadline; raises `ResourceFailed` and nothing else."""
        name = "-"
        try:
            template, arguments, values = self._matched(uri)
            name = template.name
            bound = arguments.bind(values)
            with deadline(self._deadline_s, self._clock):
                result = await within(self._deadline_s, template.function(self._services, **bound))
            held, mime_type = self._held(template, result)
        except DeadlinePassed:
            late = SourceTimeout(f"{name} did not answer within {self._deadline_s:g} seconds; try again.", source=name)
            raise self._failed(uri, late, ending="timeout") from None
        except Exception as error:
            ending = "crashed" if log_crash("resource", name, error) else "failed"
            raise self._failed(uri, error, ending=ending) from None
        held = without_surrogates(held) if isinstance(held, str) else held
        return ResourceContent(uri, mime_type, held, template.ttl_ms, template.is_private)

    def _held(self, template: ResourceTemplate, result: BaseModel | str | bytes | HeldAs) -> HeldAs:
        if isinstance(result, HeldAs):
            return result
        return HeldAs(
            self._json(template.name, result) if isinstance(result, BaseModel) else result, template.mime_type
        )

    def _matched(self, uri: str) -> tuple[ResourceTemplate, Arguments, dict[str, str]]:
        for template, pattern, arguments in self._prepared:
            found = pattern.fullmatch(uri)
            if found is not None:
                return template, arguments, {name: _decoded(name, value) for name, value in found.groupdict().items()}
        forms = ", ".join(self.by_template)
        raise NotFound(f"No resource has the address '{printable(uri, 200)}'. Addresses have the forms {forms}.")

    def _failed(self, uri: str, error: Exception, *, ending: str) -> ResourceFailed:
        return ResourceFailed(uri[:URI_ECHO_MAX], self._dialect.failure(error), ending=ending)

    def _json(self, name: str, result: BaseModel) -> str:
        return orjson.dumps(clean(self._dialect.success(name, result).structured)).decode()


def _decoded(name: str, value: str) -> str:
    """A variable's text: a slash can only come percent-encoded."""
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not percent-encoded UTF-8; encode it anew.") from None


def _pattern(template: ResourceTemplate) -> re.Pattern[str]:
    literal = re.escape(template.uri_template).replace(r"\{", "{").replace(r"\}", "}").replace(r"{\+", "{+")
    return re.compile(_VARIABLE.sub(_group, literal), re.DOTALL)


def _group(variable: re.Match[str]) -> str:
    return f"(?P<{variable[2]}>{'.+' if variable[1] else '[^/]+'})"


def _schema(template: ResourceTemplate) -> dict[str, Any]:
    schema = parameters_schema(template.function, after=1)
    if tuple(schema["properties"]) != template.arguments:
        raise ValueError(f"{template.name}: the variables of {template.uri_template} are not the function's parameters")
    return schema


def _fixed_wire(template: ResourceTemplate) -> dict[str, Any]:
    wire = _wire(template)
    return {"uri": wire.pop("uriTemplate"), **wire}


def _wire(template: ResourceTemplate) -> dict[str, Any]:
    wire = {
        "uriTemplate": template.uri_template,
        "name": template.name,
        "title": template.title,
        "description": template.description,
    }
    return {**wire, "mimeType": template.mime_type} if template.mime_type else wire
