"""The temporary folder of a build, beside its target: renamed into place at the end, or gone."""

import contextlib
import ctypes
import glob
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from core.catalog.embedded.manifest import MANIFEST_NAME, REPLACED
from core.errors import BuildFailed

try:
    import fcntl

    HAS_LOCKS = True
except ImportError:  # folders of dead builds are then left to the operator
    HAS_LOCKS = False

_BUILDING = ".building-"
_LOCK_NAME = ".build.lock"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
"""Both of Linux's renameat2(2)."""


def check_target(out: Path, *, replace: bool) -> None:
    """Raises `BuildFailed` when `out` may not be written: it exists and is not to be replaced, or is no catalog."""
    try:
        # The libraries that write indexes take no other names.
        str(out.absolute()).encode()
        out.stat()
        if not replace:
            raise BuildFailed(f"{out} exists. Give another target, or allow it to be replaced with --replace.")
        if not out.is_dir() or (any(out.iterdir()) and not (out / MANIFEST_NAME).is_file()):
            raise BuildFailed(f"{out} exists and is no catalog, so it is not replaced. Give another target.")
    except FileNotFoundError:
        return
    except UnicodeEncodeError as error:
        raise BuildFailed(
            "The target's name is not UTF-8 in this locale, so no catalog can be written there. Give another target."
        ) from error
    except (OSError, ValueError) as error:
        raise BuildFailed(f"{out} cannot be written: {_reason(error)}. Nothing was built.") from error


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "no file can have this name"


@contextlib.contextmanager
def workspace(out: Path) -> Iterator[Path]:
    """A new folder `.NAME.building-...` beside the target, locked while the build lives, removed in the end.

    Folders of builds that died are removed first: a lock that can be had belongs to nobody.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove_dead(out)
        folder, lock = _locked_folder(out)
    except OSError as error:
        raise BuildFailed(f"{out.parent} cannot be written: {error.strerror}. Nothing was built.") from error
    try:
        yield folder
    except (OSError, sqlite3.OperationalError) as error:
        raise BuildFailed(
            f"The build could not write beside {out}. Is the disk or the temporary folder full? Nothing was built."
        ) from error
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _locked_folder(out: Path) -> tuple[Path, int]:
    """A new folder and its lock; when another build took it for a dead one before it was locked, the next one."""
    while True:
        folder = out.parent / f".{out.name}{_BUILDING}{secrets.token_hex(4)}"
        folder.mkdir()
        lock = os.open(folder / _LOCK_NAME, os.O_CREAT | os.O_RDWR, 0o644)
        if not HAS_LOCKS:
            return folder, lock
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        if folder.exists():
            return folder, lock
        os.close(lock)


def _remove_dead(out: Path) -> None:
    if not HAS_LOCKS:
        return
    for folder in out.parent.glob(f".{glob.escape(out.name)}{_BUILDING}*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder / _LOCK_NAME, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
    for folder in out.parent.glob(f".{glob.escape(out.name)}{REPLACED}*"):
        # A build died between the two renames of a replacement: what it moved away is the catalog.
        if out.exists():
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.rename(out)


def publish(finished: Path, out: Path, *, replace: bool) -> None:
    """Moves a finished folder to the target, durably; an existing catalog there is replaced.

    Where the system can exchange two names in one step, the target is a whole catalog at every moment; the old one is
    then where the finished folder was, for the workspace to remove.
    """
    check_target(out, replace=replace)
    for path in (*finished.rglob("*"), finished):
        _sync(path)
    if out.exists() and _exchanged(finished, out):
        _sync(out.parent)
        return
    aside = out.parent / f".{out.name}{REPLACED}{secrets.token_hex(4)}"
    if out.exists():
        out.rename(aside)
    try:
        finished.rename(out)
    except OSError:
        if aside.exists():
            aside.rename(out)
        raise
    _sync(out.parent)
    if aside.is_symlink():
        aside.unlink()
    else:
        shutil.rmtree(aside, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchanges two names in one step; False where system or file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
