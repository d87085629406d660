from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from core.clock import SystemClock
from core.errors import CatalogUnusable, SettingsError
from server.app import create_app
from server.bootstrap import catalog_directory, compose, front_of, open_catalog, open_embedder
from server.documents import CatalogFacts
from server.settings import Settings, parse_settings


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


def settings_of(directory: Path, **more: str) -> Settings:
    return parse_settings({"PAPERDESK_CATALOG_URL": f"file:{directory}", "PAPERDESK_EMBEDDER": "none", **more})


async def statuses(settings: Settings) -> list[int]:
    """Of the API and of the endpoint, in one composed service."""
    service = compose(settings, open_catalog(settings), SystemClock())
    app = create_app(service, front_of(settings))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
        found = [(await client.get(path)).status_code for path in ("/api/v1/about", "/mcp")]
    for close in service.closers:
        await close()
    return found


async def test_the_api_is_served_only_when_asked_for(odd_directory: Path) -> None:
    assert await statuses(settings_of(odd_directory)) == [404, 405]
    assert await statuses(settings_of(odd_directory, PAPERDESK_SERVE_API="false")) == [404, 405]
    assert await statuses(settings_of(odd_directory, PAPERDESK_SERVE_API="true")) == [200, 405]


async def test_a_catalog_behind_a_web_address_is_never_served_again(odd_directory: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings({"PAPERDESK_CATALOG_URL": "https://example.org/api/v1", "PAPERDESK_SERVE_API": "true"})
    assert caught.value.problems == (
        "PAPERDESK_SERVE_API serves catalogs that lie here only; leave it out, or set PAPERDESK_CATALOG_URL to sample:"
        " or file:DIRECTORY.",
    )
    settings = settings_of(odd_directory, PAPERDESK_SERVE_API="true")
    opened = replace(open_catalog(settings), facts=CatalogFacts("http"))
    assert compose(settings, opened, SystemClock()).api is None
    opened.close()
