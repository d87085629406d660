"""README's generated parts say what the code says."""

from pathlib import Path

from server.reference import rewritten

README = Path(__file__).resolve().parents[1] / "README.md"


def test_generated_tables_are_current() -> None:
    document = README.read_text(encoding="utf-8")
    assert rewritten(document) == document, "run `make docs`"
