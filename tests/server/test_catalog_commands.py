"""`paperdesk catalog`: what is built can be described, exported, and built again as the same catalog."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.catalog.embedded.manifest import open_manifest
from core.errors import BuildFailed, InvalidInput
from server.__main__ import app
from tests.odd_catalog import write_odd_catalog


def paperdesk(*arguments: str) -> str:
    """Runs a command in this process; its failure is the test's."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    write_odd_catalog(folder / "in")
    shown = paperdesk(
        *("catalog", "build", "--out", str(folder / "first"), "--as-of", "2025-07-01"),
        *(f"paperdesk:{folder / 'in'}", f"markdown:{folder / 'in' / 'fulltext'}"),
    )
    assert f"content {open_manifest(folder / 'first').content_id}, as of 2025-07-01." in shown
    return folder


def test_a_catalog_is_described_by_what_its_manifest_says(folder: Path) -> None:
    manifest = open_manifest(folder / "first")
    shown = paperdesk("catalog", "info", str(folder / "first"))
    assert f"content  {manifest.content_id}" in shown
    assert "as of    2025-07-01" in shown
    assert "vectors  none" in shown
    for name, count in manifest.counts.items():
        row = next(line for line in shown.splitlines() if f" {name} " in line)
        assert f" {count:,} " in row


def test_an_export_builds_the_same_catalog_again(folder: Path) -> None:
    paperdesk("catalog", "export", str(folder / "first"), "--out", str(folder / "export"))
    paperdesk(
        *("catalog", "build", "--out", str(folder / "second"), "--as-of", "2025-07-01"),
        f"paperdesk:{folder / 'export'}",
    )
    assert open_manifest(folder / "second").content_id == open_manifest(folder / "first").content_id


def test_an_existing_target_is_kept_unless_replacing_is_asked_for(folder: Path) -> None:
    build = ("catalog", "build", "--out", str(folder / "third"), f"paperdesk:{folder / 'in'}")
    paperdesk(*build)
    with pytest.raises(BuildFailed):
        paperdesk(*build)
    paperdesk(*build, "--replace")


def test_a_source_of_no_kind_names_the_kinds(folder: Path) -> None:
    with pytest.raises(
        InvalidInput, match="KIND:PATH with a kind of pwc, arxiv, openalex, paperdesk, markdown, evidence"
    ):
        paperdesk("catalog", "build", "--out", str(folder / "fourth"), "dumps/")
