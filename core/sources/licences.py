"""Licences as short names, such as `cc-by-nc-nd`, however a source writes them (references contract, section 4.1)."""

import re

_CC_URL = re.compile(r"https?://(?:www\.)?creativecommons\.org/(licenses|publicdomain)/([a-z-]+)", re.IGNORECASE)
_CC = re.compile(r"cc[ -]?(by(?:[ -]?(?:nc|nd|sa))*|0)(?:[ -][0-9][0-9.]*(?:[ -][a-z]{2,9})?)?", re.IGNORECASE)
_PARTS = re.compile(r"by|nc|nd|sa|0")
_PUBLIC_DOMAIN = {"zero": "cc0", "mark": "public-domain"}


def licence_slug(text: str | None) -> str | None:
    """A Creative Commons licence by its short name, without its version; any other as the source has it."""
    if not text:
        return None
    if found := _CC_URL.match(text):
        name = found[2].lower()
        return _PUBLIC_DOMAIN.get(name, text) if found[1].lower() == "publicdomain" else f"cc-{name}"
    if found := _CC.fullmatch(text.strip()):
        parts = _PARTS.findall(found[1].lower())
        return "cc0" if parts == ["0"] else "-".join(["cc", *parts])
    return text.strip() or None
