"""What is generated from the code says what the code says."""

import re
from pathlib import Path

from server.reference import env_example, rewritten
from server.settings import SETTINGS, parse_settings

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "deploy" / "env.example"


def test_generated_tables_are_current() -> None:
    # hosting A82
    document = (ROOT / "README.md").read_text(encoding="utf-8")
    assert rewritten(document) == document, "run `make docs`"


def test_the_example_of_an_environment_file_is_current() -> None:
    # hosting A82
    assert EXAMPLE.read_text(encoding="utf-8") == env_example(), "run `make docs`"


def test_the_example_names_every_setting_and_changes_none() -> None:
    # hosting A82
    text = EXAMPLE.read_text(encoding="utf-8")
    assert all(line.startswith("#") for line in text.splitlines() if line)
    given = dict(re.findall(r"^#(PAPERDESK_\w+)=(.*)$", text, flags=re.MULTILINE))
    assert {setting.name for setting in SETTINGS} <= set(given)
    assert parse_settings(given, serving=False) == parse_settings({}, serving=False)
