"""Holds the house together: who may import whom, what each layer may take from outside, and how large things get."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

GROUND = (
    "core.errors",
    "core.folds",
    "core.identifiers",
    "core.records",
    "core.clock",
    "core.deadline",
    "core.texts",
    "core.works",
    "core.latex",
    "core.defects",
)
"""The ground floor, from the bottom up: each may import only those before it."""

# Longest prefix wins. A room may always import from itself.
ALLOWED: dict[str, tuple[str, ...]] = {
    "core.errors": (),
    "core.folds": (),
    "core.identifiers": GROUND[:2],
    "core.records": GROUND[:3],
    "core.clock": GROUND[:4],
    "core.deadline": GROUND[:5],
    "core.texts": GROUND[:6],
    "core.works": GROUND[:7],
    "core.latex": GROUND[:8],
    "core.defects": (),
    "core.cache": GROUND,
    "core.tokens": GROUND,
    "core.http": ("core.cache", *GROUND),
    "core.sources": ("core.http", *GROUND),
    "core.catalog": ("core.cache", "core.tokens", *GROUND),
    "core.catalog.upstream": ("core.http", "core.catalog", "core.cache", "core.tokens", *GROUND),
    "core.references": ("core.catalog", "core.sources", "core.http", "core.cache", "core.tokens", *GROUND),
    "core.evidence": ("core.catalog", "core.cache", "core.tokens", *GROUND),
    "core.scan": ("core.catalog", "core.sources", "core.http", "core.cache", "core.tokens", *GROUND),
    "core.ingest": ("core.catalog", "core.evidence", "core.cache", "core.tokens", *GROUND),
    "server.limits": ("server.peers", "core.clock", "core.errors"),
    "server.toolsets.catalog": ("server.registry", "core.catalog", "core.errors", "core.identifiers"),
    "server.toolsets.references": ("server.registry", "core.references", "core.errors", "core.identifiers"),
    "server.toolsets.evidence": ("server.registry", "core.evidence", "core.errors", "core.identifiers"),
    "server.toolsets.connector": (
        "server.registry",
        "server.toolsets.evidence.dialect",
        "core.evidence",
        "core.errors",
        "core.identifiers",
    ),
    "server.toolsets.scan": ("server.registry", "core.scan", "core.errors", "core.identifiers"),
    "server": ("server", "core"),
    "core": (),
}

# What may be imported from outside the standard library, by layer.
OUTSIDE: dict[str, set[str]] = {
    "core": {"anyio", "orjson", "pydantic"},
    "core.cache": {"cachetools"},
    "core.tokens": {"itsdangerous"},
    "core.http": {"anyio", "defusedxml", "httpcore", "httpx", "idna", "orjson"},
    "core.catalog.upstream.embeddings": {"anyio", "httpx", "numpy", "orjson"},
    "core.catalog.embedded": {"blake3", "numkong", "numpy", "orjson", "tantivy"},
    "core.evidence": {"anyio", "numpy", "orjson", "pydantic"},
    "core.ingest": {"numpy", "orjson"},
    "core.scan": {"anyio", "cryptography", "orjson", "rapidfuzz"},
    "core.references": {
        "bibtexparser",
        "cachetools",
        "filelock",
        "httpx",
        "orjson",
        "pylatexenc",
        "tomlkit",
        "ulid",
    },
    "core.latex": {"pylatexenc"},
    "core.texts": {"ftfy"},
    "server": {
        "anyio",
        "blake3",
        "click",
        "filelock",
        "httpx",
        "jinja2",
        "limits",
        "mcp",
        "mcp_types",
        "orjson",
        "platformdirs",
        "prometheus_client",
        "pydantic",
        "rich",
        "starlette",
        "typer",
        "uvicorn",
    },
    "server.limits": {"anyio", "limits", "orjson"},
    "server.toolsets": {"orjson", "pydantic"},
}
# Layers that may take nothing that the layer around them may.
CLOSED = ("server.limits", "server.toolsets")
# The only modules that may speak to the MCP SDK.
SDK_MODULES = ("server.registry", "server.endpoint")


@dataclass(frozen=True)
class Import:
    """One import statement's target, and whether it stands inside a function."""

    module: str
    target: str
    line: int
    in_function: bool


def modules() -> dict[str, Path]:
    found = {}
    for package in ("core", "server"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(module: str) -> Iterator[Import]:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, alias.name, node.lineno, id(node) in inside)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(module, whole if whole in MODULES else str(node.module), node.lineno, id(node) in inside)


IMPORTS = [found for module in MODULES for found in imports(module)]


def is_within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def longest(module: str, table: dict[str, object]) -> str:
    return max((room for room in table if is_within(module, room)), key=len)


def is_own(target: str) -> bool:
    return target.split(".", 1)[0] in ("core", "server")


def test_every_module_imports_only_what_its_room_may() -> None:
    breaches = []
    for found in IMPORTS:
        if not is_own(found.target) or found.target in ("core", "server"):
            continue
        room = longest(found.module, ALLOWED)  # type: ignore[arg-type]
        if not any(is_within(found.target, allowed) for allowed in (room, *ALLOWED[room])):
            breaches.append(f"{found.module}:{found.line} imports {found.target}")
    assert breaches == []


def test_no_layer_takes_a_third_party_package_that_is_not_on_its_list() -> None:
    breaches = []
    for found in IMPORTS:
        package = found.target.split(".", 1)[0]
        if is_own(found.target) or package in sys.stdlib_module_names:
            continue
        allowed = set().union(*(OUTSIDE[layer] for layer in OUTSIDE if is_within(found.module, layer)))
        for closed in CLOSED:
            if is_within(found.module, closed):
                allowed = OUTSIDE[closed]
        if package not in allowed:
            breaches.append(f"{found.module}:{found.line} imports {package}")
    assert breaches == []


@pytest.mark.parametrize("layer", OUTSIDE)
def test_every_package_on_a_list_is_imported_by_its_layer(layer: str) -> None:
    inside = [found for found in IMPORTS if is_within(found.module, layer)]
    if inside:  # a room may be listed before it is built
        assert OUTSIDE[layer] - {found.target.split(".", 1)[0] for found in inside} == set()


def test_only_the_registry_and_the_endpoint_speak_to_the_sdk() -> None:
    speaking = {found.module for found in IMPORTS if found.target.split(".", 1)[0] in ("mcp", "mcp_types")}
    assert {module for module in speaking if not any(is_within(module, room) for room in SDK_MODULES)} == set()


def test_no_catalog_backend_imports_another_one() -> None:
    # A memory wraps a backend that it is given, so it needs none of them either.
    backends = ("core.catalog.embedded", "core.catalog.upstream", "core.catalog.cached")
    breaches = [
        f"{found.module}:{found.line} imports {found.target}"
        for found in IMPORTS
        for backend in backends
        if is_within(found.module, backend)
        and any(is_within(found.target, other) for other in backends if other != backend)
    ]
    assert breaches == []


def test_own_modules_are_imported_at_the_top_of_a_file() -> None:
    assert [f"{found.module}:{found.line}" for found in IMPORTS if found.in_function and is_own(found.target)] == []


def test_there_is_no_import_cycle() -> None:
    edges: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in IMPORTS:
        target = found.target
        while target and target not in MODULES:
            target = target.rpartition(".")[0]
        if target and target != found.module:
            edges[found.module].add(target)
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module in done:
            return
        for target in sorted(edges[module]):
            # A package's own modules may import the package: it is loaded before them.
            if not is_within(module, target):
                walk(target, (*path, module))
        done.add(module)

    for module in MODULES:
        walk(module, ())


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_short_named_for_its_subject_and_says_what_it_is_for(module: str) -> None:
    path = MODULES[module]
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MODULE_LINES_MAX
    assert path.stem not in BANNED_NAMES
    assert ast.get_docstring(ast.parse(text)), "a module opens with one sentence on what it is for"


def test_functions_stay_small() -> None:
    breaches = []
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                start = node.body[0].lineno if not ast.get_docstring(node) else node.body[0].end_lineno or 0
                lines = (node.end_lineno or 0) - start
                if lines > FUNCTION_LINES_MAX:
                    breaches.append(f"{module}.{node.name}: {lines} lines")
    assert breaches == []


def test_core_reads_neither_the_environment_nor_the_command_line() -> None:
    breaches = [
        f"{module}:{node.lineno}"
        for module, path in MODULES.items()
        if is_within(module, "core")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in {("os", "environ"), ("os", "getenv"), ("sys", "argv")}
    ]
    assert breaches == []


def test_no_coroutine_draws_from_hypothesis_as_it_goes() -> None:
    # What ends a draw is no `Exception`: in a coroutine it ends the loop that later tests share.
    drawing = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.AsyncFunctionDef)
        and any("DataObject" in ast.unparse(each.annotation) for each in node.args.args if each.annotation)
    ]
    assert drawing == []
