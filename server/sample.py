"""The sample catalog: built once from the sources that ship with the package, then opened like any other."""

import logging
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import blake3
import platformdirs

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.manifest import FORMAT, open_manifest
from core.clock import SystemClock
from core.errors import BuildFailed, CatalogUnusable
from core.ingest.build import BuildOptions, Progress, build_catalog
from core.ingest.sources import Source, SourceKind

_DIGEST_CHARACTERS = 16

_log = logging.getLogger("paperdesk.sample")


@dataclass(frozen=True, slots=True)
class BuiltSample:
    """A directory with the sample; `discard` removes it where it could only be built for this process."""

    directory: Path
    discard: Callable[[], None]


def shipped_sources() -> AbstractContextManager[Path]:
    """The folder of sources that ships with the package, for as long as the context lasts."""
    return as_file(files("core.catalog.embedded") / "sample")


def ensure_sample(
    root: Path, *, cache: Path | None = None, embedder: Embedder | None = None, progress: Progress | None = None
) -> BuiltSample:
    """The sample of the sources below `root`, built on first use into a cache directory; blocking.

    `cache` is the user's own by default; where it cannot be used, the sample is built for this process only. The
    directory's name holds a digest of the sources, the catalog format and the embedding model, so a new release
    builds a new one.
    """
    sources = sample_sources(root)
    name = f"sample-{sample_digest(root, None if embedder is None else embedder.model)}"
    directory = (cache or platformdirs.user_cache_path("paperdesk")) / name
    if _is_whole(directory):
        return BuiltSample(directory, _keep)
    options = BuildOptions(clock=SystemClock(), embedder=embedder, replace=directory.exists())
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        _build(sources, directory, options, progress)
    except (OSError, BuildFailed):
        # Another process may have finished the same build first; where the cache is at fault, it is gone round.
        if not _is_whole(directory):
            return _temporary(sources, options, progress)
    return BuiltSample(directory, _keep)


def sample_sources(root: Path) -> tuple[Source, ...]:
    """One source for each folder that is named like a kind of source."""
    kinds = [kind for kind in SourceKind if (root / kind).is_dir()]
    if not kinds:
        raise CatalogUnusable("This installation has no sample catalog. Name one with --catalog file:DIRECTORY.")
    return tuple(Source(kind, root / kind) for kind in kinds)


def sample_digest(root: Path, model: str | None) -> str:
    """Changes with any byte or name of the sources, with the catalog format and with the embedding model."""
    digest = blake3.blake3(f"{FORMAT}\n{model or ''}\n".encode())
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:_DIGEST_CHARACTERS]


def _build(sources: tuple[Source, ...], out: Path, options: BuildOptions, progress: Progress | None) -> None:
    _log.info("sample_build_started")
    build_catalog(sources, out, options=options, progress=progress)


def _temporary(sources: tuple[Source, ...], options: BuildOptions, progress: Progress | None) -> BuiltSample:
    _log.warning("sample_cache_unusable: the sample is built for this process only")
    home = tempfile.TemporaryDirectory(prefix="paperdesk-")
    out = Path(home.name) / "sample"
    try:
        _build(sources, out, options, progress)
    except BaseException:
        home.cleanup()
        raise
    return BuiltSample(out, home.cleanup)


def _is_whole(directory: Path) -> bool:
    try:
        open_manifest(directory)
    except CatalogUnusable:
        return False
    return True


def _keep() -> None:
    return None
