"""The fixture toolset of the protocol's own suite: every kind of content, under the names that the suite asks for.

It is mounted by the application of `tests/gates/fixture_server.py` alone.
"""

import io
import json
import struct
import wave
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, PrivateAttr

from core.clock import Clock
from server.registry import Block, BoundToolset, Completion, Prompt, ResourceTemplate, Success, Tool, Toolset
from tests.server.desk_toolset import DeskDialect

_Text = Annotated[str, Field(min_length=1, max_length=200, description="Any text.")]


def _png() -> bytes:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00")) + chunk(b"IEND", b"")


def _wav() -> bytes:
    """A hundredth of a second of silence."""
    held = io.BytesIO()
    with wave.open(held, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 80)
    return held.getvalue()


PNG = _png()
IMAGE: Block = {"type": "image", "data": b64encode(PNG).decode(), "mimeType": "image/png"}
AUDIO: Block = {"type": "audio", "data": b64encode(_wav()).decode(), "mimeType": "audio/wav"}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _embedded(uri: str, mime_type: str, text: str) -> Block:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


class Shown(BaseModel):
    """How many blocks a result shows; the blocks themselves are its content."""

    blocks: int
    _contents: tuple[Block, ...] = PrivateAttr(())

    @classmethod
    def of(cls, *contents: Block) -> "Shown":
        shown = cls(blocks=len(contents))
        shown._contents = contents
        return shown

    @property
    def contents(self) -> tuple[Block, ...]:
        return self._contents


class Address(BaseModel):
    street: str | None = None
    city: str | None = None


async def test_simple_text(services: None) -> Shown:
    """Answers with text."""
    return Shown.of(_text("This is a simple text response for testing."))


async def test_image_content(services: None) -> Shown:
    """Answers with an image."""
    return Shown.of(IMAGE)


async def test_audio_content(services: None) -> Shown:
    """Answers with a sound."""
    return Shown.of(AUDIO)


async def test_embedded_resource(services: None) -> Shown:
    """Answers with a resource."""
    return Shown.of(_embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))


async def test_multiple_content_types(services: None) -> Shown:
    """Answers with text, an image and a resource."""
    data = json.dumps({"test": "data", "value": 123})
    resource = _embedded("test://mixed-content-resource", "application/json", data)
    return Shown.of(_text("Multiple content types test:"), IMAGE, resource)


async def test_error_handling(services: None) -> Shown:
    """Always fails."""
    raise RuntimeError("This tool intentionally returns an error for testing")


async def json_schema_2020_12_tool(
    services: None,
    name: str | None = None,
    address: Address | None = None,
    contactMethod: Literal["phone", "email"] | None = None,  # noqa: N803
    phone: str | None = None,
    email: str | None = None,
) -> Shown:
    """Takes arguments whose schema uses more of the language than ours do."""
    return Shown.of(_text("understood"))


SCHEMA_2020_12: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        },
        # Legal, and not portable: what the inspector's strict reading must find.
        "anything": True,
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


async def static_text(services: None) -> str:
    """A text at a fixed address."""
    return "This is the content of the static text resource."


async def static_binary(services: None) -> bytes:
    """An image at a fixed address."""
    return PNG


async def numbered_data(services: None, id: _Text) -> str:
    """Data about a number."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def test_simple_prompt() -> str:
    """A message without arguments."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: _Text, arg2: _Text) -> str:
    """A message with two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: _Text) -> list[Block]:  # noqa: N803
    """A message that holds a resource."""
    resource = _embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
    return [resource, _text("Please process the embedded resource above.")]


def test_prompt_with_image() -> list[Block]:
    """A message that holds an image."""
    return [IMAGE, _text("Please analyze the image above.")]


async def _typed_words(services: None, typed: str) -> Completion:
    values = tuple(word for word in ("paris", "park", "party", "test") if word.startswith(typed))
    return Completion(values, len(values))


class FixtureDialect(DeskDialect):
    """Words a result as the blocks that its tool chose."""

    def success(self, tool: str, result: BaseModel) -> Success:
        assert isinstance(result, Shown)
        texts = tuple(block["text"] for block in result.contents if block["type"] == "text")
        others = tuple(block for block in result.contents if block["type"] != "text")
        return Success({"blocks": result.blocks}, texts, others)


TOOLSET = Toolset(
    id="conformance",
    title="paperdesk conformance",
    description="Every kind of content, for the protocol's own suite",
    path="/mcp/conformance",
    instructions="Answers with every kind of content.",
    dialect=FixtureDialect(),
    tools=(
        Tool(test_simple_text, "Text"),
        Tool(test_image_content, "Image"),
        Tool(test_audio_content, "Audio"),
        Tool(test_embedded_resource, "Resource"),
        Tool(test_multiple_content_types, "Text, image and resource"),
        Tool(test_error_handling, "Error"),
        Tool(json_schema_2020_12_tool, "A rich schema"),
    ),
    resources=(
        ResourceTemplate(static_text, "test://static-text", "static_text", "A text", "text/plain"),
        ResourceTemplate(static_binary, "test://static-binary", "static_binary", "An image", "image/png"),
        ResourceTemplate(numbered_data, "test://template/{id}/data", "numbered", "Data", "application/json"),
    ),
    prompts=(
        Prompt(test_simple_prompt, "Simple"),
        Prompt(test_prompt_with_arguments, "With arguments", {"arg1": _typed_words}),
        Prompt(test_prompt_with_embedded_resource, "With a resource"),
        Prompt(test_prompt_with_image, "With an image"),
    ),
)


def bound_fixture(clock: Clock) -> BoundToolset:
    """The fixture, with the schema that the suite wants to find unchanged in the place of ours, which are plainer."""
    bound = BoundToolset(TOOLSET, None, clock=clock)
    listed = next(tool for tool in bound.tools_list if tool["name"] == json_schema_2020_12_tool.__name__)
    listed["inputSchema"] = dict(SCHEMA_2020_12)
    return bound
