"""A process that makes keys: run with a key file, a label and a count, it prints `ready` and begins when told to."""

import sys

from typer.testing import CliRunner

from server.__main__ import app


def main(path: str, label: str, count: int) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        arguments = ("keys", "new", "--label", f"{label}{number}", "--file", path)
        assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
