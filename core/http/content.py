"""Whether an answer is of the kind that was asked for (references contract 5.7)."""

import re
from typing import Any, Literal
from xml.etree.ElementTree import Element, ParseError

import defusedxml.ElementTree
import orjson
from defusedxml.common import DefusedXmlException

Want = Literal["json", "xml", "html", "pdf", "bytes"]

PDF_LEAD_BYTES = 1024
"""Where a PDF's mark must lie at the latest."""

_SHOWN_BYTES = 5
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\f\0"
_WEB_PAGE = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_EXPECTED: dict[Want, tuple[str, ...]] = {
    "json": ("json",),
    "xml": ("xml",),
    "html": ("html",),
    "pdf": ("%PDF-",),
    "bytes": ("bytes",),
}


class WrongKind(Exception):
    """The answer is of another kind: `attempted` are its first bytes in hex, `expected` what was asked for."""

    def __init__(self, body: bytes, want: Want) -> None:
        super().__init__()
        self.attempted = body[:_SHOWN_BYTES].hex()
        self.expected = _EXPECTED[want]


class NotReadable(Exception):
    """The answer is of the right kind and cannot be read."""


def check(body: bytes, want: Want, *, status: int) -> None:
    """Raises `WrongKind` or `NotReadable` where a body is not what was asked for."""
    match want:
        case "json" | "xml":
            if _is_web_page(body):
                raise WrongKind(body, want)
            (parse_json if want == "json" else parse_xml)(body)
        case "html":
            if not _lead(body).startswith(b"<"):
                raise WrongKind(body, want)
        case "pdf":
            # An accepted request has no document yet, whatever it sends along.
            if status != 200 or not _lead(body[:PDF_LEAD_BYTES]).startswith(b"%PDF-"):
                raise WrongKind(body, want)
        case "bytes":
            if not body:
                raise WrongKind(body, want)


def parse_json(body: bytes) -> Any:
    """The value of a JSON text; raises `NotReadable`."""
    try:
        return orjson.loads(body.removeprefix(_BOM))
    except orjson.JSONDecodeError as error:
        raise NotReadable from error


def parse_xml(body: bytes) -> Element:
    """The root of an XML text without a DTD or entities of its own; raises `NotReadable`."""
    try:
        root: Element = defusedxml.ElementTree.fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise NotReadable from error
    return root


def _lead(body: bytes) -> bytes:
    return body.removeprefix(_BOM).lstrip(_BLANK)


def _is_web_page(body: bytes) -> bool:
    return _WEB_PAGE.match(_lead(body[: 2 * PDF_LEAD_BYTES])) is not None
