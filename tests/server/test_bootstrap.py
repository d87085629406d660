from pathlib import Path

import pytest

from core.errors import CatalogUnusable, SettingsError
from server.bootstrap import catalog_directory, open_catalog, open_embedder
from server.settings import parse_settings


@pytest.mark.parametrize(
    ("url", "directory"),
    [
        ("file:out", "out"),
        ("file:../out", "../out"),
        ("file:/srv/out", "/srv/out"),
        ("file:///srv/out", "/srv/out"),
    ],
)
def test_a_file_address_names_a_directory(url: str, directory: str) -> None:
    assert catalog_directory(url) == Path(directory)


def test_a_home_directory_is_expanded() -> None:
    assert catalog_directory("file:~/out") == Path.home() / "out"


def test_an_embedder_folder_without_a_model_is_a_settings_problem(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        open_embedder(str(tmp_path))
    assert caught.value.problems == (
        "PAPERDESK_EMBEDDER: The embedder's folder must hold `model.onnx` and `tokenizer.json`.",
    )
    assert open_embedder("none") is None


def test_a_directory_that_is_no_catalog_is_not_served(tmp_path: Path) -> None:
    settings = parse_settings({"PAPERDESK_CATALOG_URL": f"file:{tmp_path}", "PAPERDESK_EMBEDDER": "none"})
    with pytest.raises(CatalogUnusable):
        open_catalog(settings)
