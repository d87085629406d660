"""The page: one HTML document for readers, without outside resources, under a policy made from its own style."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from server import __version__
from server.pages.allowances import allowances
from server.pages.connecting import KEY_HEADER, clients, is_private
from server.pages.facts import DESCRIPTION, PROTOCOL_VERSIONS, Facts, main_of
from server.pages.reading import pieces, toolset_view
from server.pages.served import Form
from server.registry import BoundToolset

HTML_TYPE = "text/html; charset=utf-8"

_ENVIRONMENT = Environment(
    loader=PackageLoader("server.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters["pieces"] = lambda text: pieces(text, {})


def page(facts: Facts, toolsets: Sequence[BoundToolset], *, only: BoundToolset | None = None) -> Form:
    """The page of all toolsets, or of one among them."""
    style, script = _asset("page.css"), _asset("page.js")
    shown = toolsets if only is None else [only]
    main = only or main_of(toolsets)
    connector = next((bound.toolset for bound in shown if bound.toolset.id == "connector"), None)
    text = _ENVIRONMENT.get_template("page.html").render(
        facts=facts,
        only=None if only is None else only.toolset,
        version=__version__,
        description=DESCRIPTION,
        protocol_versions=PROTOCOL_VERSIONS,
        main=main.toolset,
        main_url=facts.url(main.toolset.path),
        toolsets=[toolset_view(facts, bound) for bound in shown],
        tool_count=sum(len(bound.names) for bound in shown),
        clients=clients(facts, main, connector=connector),
        key_header=KEY_HEADER,
        is_private=is_private(facts),
        budgets=allowances(facts.limits, shown),
        bounds=allowances({k: v for k, v in facts.limits_and_bounds.items() if k not in facts.limits}, shown),
        style=style,
        script=script,
    )
    return Form(HTML_TYPE, text.encode(), _security_headers(style, script))


def _asset(name: str) -> str:
    return files("server.pages").joinpath("templates", name).read_text(encoding="utf-8")


def _security_headers(style: str, script: str) -> tuple[tuple[bytes, bytes], ...]:
    """Hosting contract 3.6; the hashes are those of the very texts that stand in the page."""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return (
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
