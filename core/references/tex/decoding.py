"""The bytes of TeX files as text: UTF-8, else what a file declares, else Windows-1252 (references contract 8.2)."""

import re
from typing import NamedTuple

UTF8 = "utf-8"
WINDOWS = "windows-1252"

_COMMENT = re.compile(rb"(?<!\\)((?:\\\\)*+)%[^\r\n]*")
_DECLARED = re.compile(
    rb"\\(?:usepackage\s{0,20}\[([^\]]{1,200})\]\s{0,20}\{[^}]{0,100}inputenc[^}]{0,100}\}|inputencoding\s{0,20}\{([^}]{1,40})\})"
)
_DECLARATION_BYTES = 1 << 16
_ENCODINGS = {
    "latin1": "iso-8859-1",
    "latin2": "iso-8859-2",
    "latin3": "iso-8859-3",
    "latin4": "iso-8859-4",
    "latin5": "iso-8859-9",
    "latin9": "iso-8859-15",
    "latin10": "iso-8859-16",
    "ansinew": WINDOWS,
    "cp1252": WINDOWS,
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "cp1257": "windows-1257",
    "cp437": "cp437",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp855": "cp855",
    "cp858": "cp858",
    "cp865": "cp865",
    "cp866": "cp866",
    "applemac": "mac-roman",
    "macce": "mac-latin2",
    "maccyr": "mac-cyrillic",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "iso88595": "iso-8859-5",
}
"""The names of LaTeX's `inputenc`, and the same encodings by the names that are written out."""


class Decoded(NamedTuple):
    """A file as text, its line ends as LF, and the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes, otherwise: str | None = None) -> Decoded:
    """A file as text; `otherwise` is the main file's encoding, for one that neither is UTF-8 nor declares its own."""
    try:
        return Decoded(_lines(data.decode("utf-8-sig")), UTF8)
    except UnicodeDecodeError:
        encoding = declared_encoding(data) or otherwise or WINDOWS
    return Decoded(_lines(data.decode(encoding, errors="replace")), encoding)


def declared_encoding(data: bytes) -> str | None:
    """The first known encoding that a file declares outside of comments; UTF-8 is none for a file that is no UTF-8."""
    for found in _DECLARED.finditer(without_comments(data[:_DECLARATION_BYTES])):
        for option in (found[1] or found[2]).decode("latin-1").split(","):
            if encoding := _ENCODINGS.get(option.strip().lower()):
                return encoding
    return None


def without_comments(data: bytes) -> bytes:
    """A TeX file without its comments; line ends stay."""
    return _COMMENT.sub(rb"\1", data)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
