"""`paperdesk keys new`, `list` and `revoke`: the API keys that raise budgets."""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import filelock
import typer
from rich.console import Console
from rich.table import Table

from core.clock import SystemClock
from core.errors import OperatorError
from server.commands.opening import settings_for
from server.limits.key_file import read_keys, write_keys
from server.limits.keys import ApiKey, BadKeyRecord, new_key, parse_label, parse_limits, time_text

LOCK_LIMIT_S = 5.0
LOOK_EVERY_S = 0.02

keys = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True, rich_markup_mode=None)

FileOption = Annotated[
    Path | None, typer.Option("--file", help="The key file.", show_default="what PAPERDESK_KEYS_FILE names")
]


@keys.command()
def new(
    label: Annotated[str, typer.Option(help="What the key goes by in lists, such as whom it is for.")],
    expires: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="The day, in UTC, from which it is no longer valid.", show_default="never"
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BUDGET=NUMBER", help="A budget of this key's own, such as per_minute=600; may be repeated."
        ),
    ] = None,
    file: FileOption = None,
) -> None:
    """Make a key and show it, this once. The file is made where there is none."""
    path = _file(file)
    try:
        clear, key = new_key(
            parse_label(label),
            SystemClock().now_s(),
            expires_s=None if expires is None else expires.replace(tzinfo=UTC).timestamp(),
            limits=parse_limits(dict(_budget(text) for text in limit or ())),
        )
    except BadKeyRecord as bad:
        raise OperatorError(f"No key was made: {bad}.") from bad
    with _alone(path):
        held = read_keys(path) if path.exists() else ()
        write_keys(path, (*held, key))
    typer.echo(clear)
    typer.echo(
        f"This is key {key.key_id}, shown this once; whoever holds it sends it as Authorization: Bearer.", err=True
    )


@keys.command("list")
def list_keys(file: FileOption = None) -> None:
    """List the keys: never what they are, only what they go by."""
    now_s = SystemClock().now_s()
    table = Table("key", "label", "created", "expires", "state", "limits")
    for key in read_keys(_file(file)):
        table.add_row(
            key.key_id,
            key.label,
            _day(key.created_s),
            "never" if key.expires_s is None else _day(key.expires_s),
            _state(key, now_s),
            " ".join(f"{name}={number}" for name, number in key.limits.items()),
        )
    Console(soft_wrap=True, markup=False, highlight=False).print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="As `paperdesk keys list` shows it.")],
    file: FileOption = None,
) -> None:
    """Make a key invalid; a service that runs notices within ten seconds."""
    path = _file(file)
    _held(path, key_id)
    with _alone(path):
        held, key = _held(path, key_id)
        if key.revoked_s is None:
            revoked = replace(key, revoked_s=SystemClock().now_s())
            write_keys(path, [revoked if each is key else each for each in held])
    typer.echo(f"Key {key_id} is revoked.")


def _held(path: Path, key_id: str) -> tuple[tuple[ApiKey, ...], ApiKey]:
    held = read_keys(path)
    key = next((each for each in held if each.key_id == key_id), None)
    if key is None:
        raise OperatorError("There is no such key; `paperdesk keys list` shows those there are.")
    return held, key


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Between reading the file and replacing it no other command may do the same; the lock's file stays."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path.with_name(f"{path.name}.lock"), flags, 0o600)
    except OSError as error:
        raise OperatorError(f"The key file {path} cannot be written: {error.strerror}.") from error
    try:
        until_s = time.monotonic() + LOCK_LIMIT_S
        while not filelock.lock_descriptor(descriptor, blocking=False):
            if time.monotonic() >= until_s:
                raise OperatorError(f"Another command is changing the key file {path}; try again.")
            time.sleep(LOOK_EVERY_S)
        yield
    finally:
        # Closing lets go of the lock.
        os.close(descriptor)


def _file(given: Path | None) -> Path:
    named = settings_for(serving=False, keys_file=given).keys_file
    if not named:
        raise OperatorError("Name the key file: set PAPERDESK_KEYS_FILE, or give --file.")
    return Path(named).expanduser()


def _budget(text: str) -> tuple[str, int]:
    name, equals, number = text.partition("=")
    if not equals or not (number.isascii() and number.isdigit()):
        raise BadKeyRecord("write --limit as BUDGET=NUMBER, such as per_minute=600")
    return name, int(number[:9])


def _day(at_s: float) -> str:
    return time_text(at_s)[:10]


def _state(key: ApiKey, now_s: float) -> str:
    if key.revoked_s is not None:
        return "revoked"
    return "valid" if key.is_valid(now_s) else "expired"
