"""JSON Schemas of tools, built from signatures and models in the plain subset that every MCP client reads.

The subset (catalog contract section 2): objects are closed, nothing is referenced, no list of types, no null, every
array item has a type, `format` is only `date` or `date-time`.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, cast, get_type_hints

from pydantic import BaseModel, Field, TypeAdapter

DateText = Annotated[str, Field(json_schema_extra={"format": "date"})]
"""A calendar date as text, `YYYY-MM-DD`; checked before the tool runs, which gets the text."""

PORTABLE_FORMATS = frozenset({"date", "date-time"})

_NOISE = frozenset({"title", "$defs", "discriminator"})
_NULL = {"type": "null"}


class UnportableSchema(TypeError):
    """A signature or model that cannot be written in the plain subset: a mistake of whoever wrote the tool."""


def input_schema(function: Callable[..., Awaitable[BaseModel]]) -> dict[str, Any]:
    """The schema of a tool's arguments: its parameters after the first, in their order."""
    return parameters_schema(function, after=1)


def parameters_schema(function: Callable[..., Any], *, after: int = 0) -> dict[str, Any]:
    """The schema of a function's parameters after the first few, in their order."""
    hints = get_type_hints(function, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in list(inspect.signature(function).parameters.values())[after:]:
        where = f"{function.__name__}.{parameter.name}"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise UnportableSchema(f"{where}: a tool takes named parameters only")
        if parameter.name not in hints:
            raise UnportableSchema(f"{where}: a parameter needs a type")
        schema = _plain(TypeAdapter(hints[parameter.name]).json_schema(), where)
        schema.pop("default", None)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def output_schema(function: Callable[..., Awaitable[BaseModel]]) -> dict[str, Any]:
    """The schema of a tool's result model; a value that may be None is one that may be left out."""
    model = result_model(function)
    if model.model_config.get("extra") == "allow":
        return _open_schema(model)
    plain = _plain(model.model_json_schema(mode="serialization"), model.__name__, drop_text=True)
    return cast("dict[str, Any]", _bare(plain))


def _open_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model that admits more than it names, for families whose answers do.

    A value that may be null has no type, since the subset has neither lists of types nor null; what follows a list or
    an object is open too.
    """
    properties = {}
    for name, field in model.model_fields.items():
        schema = TypeAdapter[Any](field.annotation or Any).json_schema(mode="serialization")
        plain = {} if "anyOf" in schema else _without_noise(schema)
        properties[name] = {**plain, "description": field.description or ""}
    required = [name for name, field in model.model_fields.items() if field.is_required()]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": True}


def _without_noise(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: _without_noise(value) for key, value in schema.items() if key not in _NOISE}


def result_model(function: Callable[..., Awaitable[BaseModel]]) -> type[BaseModel]:
    """The pydantic model that a tool returns."""
    model = get_type_hints(function).get("return")
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise UnportableSchema(f"{function.__name__}: a tool returns a pydantic model")
    return model


def _plain(document: dict[str, Any], where: str, *, drop_text: bool = False) -> dict[str, Any]:
    definitions = document.get("$defs", {})
    root = {key: value for key, value in document.items() if not (drop_text and key == "description")}
    return _Inliner(definitions).node(root, where, ())


class _Inliner:
    """Writes one schema document without references, nulls and noise."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def node(self, schema: Mapping[str, Any], where: str, inside: tuple[str, ...]) -> dict[str, Any]:
        schema, inside = self._resolved(schema, where, inside)
        schema = {key: value for key, value in schema.items() if key not in _NOISE}
        if "anyOf" in schema or "oneOf" in schema:
            return self._union(schema, where, inside)
        if "properties" in schema or schema.get("type") == "object":
            return self._object(schema, where, inside)
        if schema.get("type") == "array":
            return self._array(schema, where, inside)
        if schema.get("format", "date") not in PORTABLE_FORMATS:
            del schema["format"]
        return dict(schema)

    def _resolved(
        self, schema: Mapping[str, Any], where: str, inside: tuple[str, ...]
    ) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        reference = schema.get("$ref")
        if reference is None:
            return schema, inside
        name = reference.rsplit("/", 1)[-1]
        if name in inside:
            raise UnportableSchema(f"{where}: {name} holds itself, which needs a reference")
        # The definition's own description is a class docstring, written for readers of the code.
        target = {key: value for key, value in self._definitions[name].items() if key != "description"}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**target, **beside}, (*inside, name)

    def _union(self, schema: dict[str, Any], where: str, inside: tuple[str, ...]) -> dict[str, Any]:
        members = schema.pop("anyOf", None) or schema.pop("oneOf")
        plain = [self.node(member, where, inside) for member in members if member != _NULL]
        if {"type": "number"} in plain:
            plain = [member for member in plain if member != {"type": "integer"}]
        if schema.get("default", ...) is None:
            del schema["default"]
        if len(plain) == 1:
            return {**plain[0], **schema}
        return {**schema, "anyOf": plain}

    def _object(self, schema: dict[str, Any], where: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if "properties" not in schema:
            values = schema.get("additionalProperties")
            if isinstance(values, Mapping):
                return {**schema, "additionalProperties": self.node(values, f"{where}.*", inside)}
            if schema.get("maxProperties") != 0 and values is not False:
                raise UnportableSchema(f"{where}: an object with free keys needs a type for its values")
        nullable = {name for name, value in schema.get("properties", {}).items() if _may_be_null(value)}
        properties = {
            name: self.node(value, f"{where}.{name}", inside) for name, value in schema.get("properties", {}).items()
        }
        required = [name for name in schema.get("required", ()) if name not in nullable]
        schema = {key: value for key, value in schema.items() if key != "required"}
        closed = {**schema, "properties": properties, "additionalProperties": False}
        return {**closed, "required": required} if required else closed

    def _array(self, schema: dict[str, Any], where: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if "prefixItems" in schema or not schema.get("items"):
            raise UnportableSchema(f"{where}: a list needs one type for all its items")
        return {**schema, "items": self.node(schema["items"], f"{where}[]", inside)}


def _may_be_null(schema: Mapping[str, Any]) -> bool:
    return _NULL in schema.get("anyOf", ())


def _bare(schema: Any) -> Any:
    """A result schema says what comes, not what a constructor assumes; the type of a constant goes without saying."""
    if isinstance(schema, list):
        return [_bare(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    unsaid = {"default", "properties"} | ({"type"} if "const" in schema else set())
    plain = {key: _bare(value) for key, value in schema.items() if key not in unsaid}
    if "properties" in schema:
        plain["properties"] = {name: _bare(value) for name, value in schema["properties"].items()}
    return plain
