"""The read endpoint: bytes, headers, pinned versions, and every offset that is none (catalog contract 16.3)."""

import hashlib
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.catalog_desk import build
from tests.live_api import serve_api
from tests.odd_catalog import long_text, short_text
from tests.odd_papers import CRLF_TEXT_ID, DOI_TEXT_DOI, EXTERNAL_ID, LONG_TEXT_ID, NO_TEXT_ID, SHORT_TEXT_ID

LONG = long_text().encode()
LONG_PATH = f"research/papers/{LONG_TEXT_ID}/read"
SHORT_PATH = f"research/papers/{SHORT_TEXT_ID}/read"


def ours(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith(("x-pwc", "x-paperdesk"))}


def test_a_short_text_comes_whole_with_its_hash(odd: httpx.Client) -> None:
    # catalog A86
    answer = odd.get(SHORT_PATH)
    text = short_text().encode()
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert answer.content == text
    assert ours(answer) == {
        "x-pwc-content-version": hashlib.sha256(text).hexdigest(),
        "x-pwc-truncated": "0",
        "x-paperdesk-total-bytes": str(len(text)),
        "x-paperdesk-title": "A%20Short%20Text",
    }
    assert answer.headers["cache-control"] == "public, max-age=60"


def test_without_parameters_up_to_262144_bytes_come_at_once(tmp_path: Path, odd: httpx.Client) -> None:
    assert odd.get(LONG_PATH).content == LONG
    text = ("Fog — over the harbour.\n\n" * 12_000).encode()
    paper = {"key": "fog", "title": "Fog at Length", "arxiv_id": "2401.80001"}
    with serve_api(build(tmp_path, {"papers": [paper]}, {"2401.80001.md": text.decode()})) as url:
        answer = httpx.get(f"{url}/research/papers/2401.80001/read")
        rest = httpx.get(
            f"{url}/research/papers/2401.80001/read", params={"offset": answer.headers["x-pwc-next-offset"]}
        )
    assert 131_072 < len(answer.content) <= 262_144 < len(text)
    assert ours(answer) == {
        "x-pwc-content-version": hashlib.sha256(text).hexdigest(),
        "x-pwc-truncated": "1",
        "x-pwc-next-offset": str(len(answer.content)),
        "x-paperdesk-total-bytes": str(len(text)),
        "x-paperdesk-title": "Fog%20at%20Length",
    }
    assert (answer.content + rest.content, rest.headers["x-pwc-truncated"]) == (text, "0")


@pytest.mark.parametrize("limit", [1_024, 65_536])
def test_all_chunks_joined_are_the_stored_bytes(odd: httpx.Client, limit: int) -> None:
    # catalog A69 (as served)
    body, offset = b"", 0
    while True:
        answer = odd.get(LONG_PATH, params={"offset": offset, "limit": limit})
        assert 0 < len(answer.content) <= limit
        answer.content.decode()
        body += answer.content
        if answer.headers["x-pwc-truncated"] == "0":
            break
        offset = int(answer.headers["x-pwc-next-offset"])
        assert offset == len(body)
    assert body == LONG


def test_a_pinned_version_may_be_kept_for_an_hour_and_a_stale_one_is_409(odd: httpx.Client) -> None:
    # catalog A86
    version = hashlib.sha256(LONG).hexdigest()
    answer = odd.get(LONG_PATH, params={"content_version": version, "limit": 2_000})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=3600")
    stale = odd.get(LONG_PATH, params={"content_version": "0" * 64})
    assert (stale.status_code, stale.json()["detail"]["code"]) == (409, "content_changed")
    assert odd.get(LONG_PATH, params={"content_version": "abc"}).status_code == 422


def test_an_offset_equal_to_the_size_is_an_empty_end(odd: httpx.Client) -> None:
    answer = odd.get(SHORT_PATH, params={"offset": len(short_text().encode())})
    assert (answer.status_code, answer.content, answer.headers["x-pwc-truncated"]) == (200, b"", "0")
    assert answer.headers["content-length"] == "0"


@pytest.mark.parametrize(
    "params",
    [
        {"offset": "1000000"},
        {"offset": str(short_text().encode().index("é".encode()) + 1)},
        {"offset": str(short_text().encode().index("🦦".encode())), "limit": "3"},
        {"offset": "-1"},
        {"offset": "1e3"},
        {"offset": str(2**63)},
        {"limit": "0"},
        {"limit": "65537"},
        {"limit": "x"},
    ],
)
def test_a_place_where_no_chunk_can_start_is_422(odd: httpx.Client, params: dict[str, str]) -> None:
    answer = odd.get(SHORT_PATH, params=params)
    assert (answer.status_code, answer.json()["detail"]["code"]) == (422, "invalid_argument")


def test_no_paper_and_no_text_are_404_with_their_codes(odd: httpx.Client) -> None:
    for reference, code in ((NO_TEXT_ID, "no_markdown"), ("2401.99999", "not_found"), ("1", "not_found")):
        answer = odd.get(f"research/papers/{reference}/read")
        assert (answer.status_code, answer.json()["detail"]["code"]) == (404, code)


def test_texts_are_read_by_any_identifier_and_unchanged(odd: httpx.Client) -> None:
    assert odd.get(f"research/papers/{EXTERNAL_ID}/read").text.startswith("# Held nowhere else")
    assert odd.get(f"research/papers/{quote(DOI_TEXT_DOI, safe='')}/read").text.startswith("# Harbour notes")
    assert odd.get(f"research/papers/{CRLF_TEXT_ID}/read").content == b"# Lines\n\nfrom elsewhere\n"


def test_head_has_the_headers_of_get_without_the_text(odd: httpx.Client) -> None:
    got, head = odd.get(LONG_PATH), odd.head(LONG_PATH)
    assert (head.content, ours(head), head.headers["content-length"]) == (b"", ours(got), str(len(got.content)))
