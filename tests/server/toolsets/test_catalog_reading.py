"""`read_paper` through the registry: chunks, cursors, and what makes a reading end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from itsdangerous.encoding import base64_decode

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.reading import CURSOR_SALT
from core.clock import ManualClock
from core.tokens import Signer, key_id
from tests.catalog_desk import KEYS, CountingBackend, Desk, Json, build
from tests.catalog_meaning import (
    ASCII_ID,
    ASCII_TEXT,
    EURO_ID,
    EURO_TEXT,
    LONG_TITLE,
    LONG_TITLE_ID,
    WIDE_ID,
    WIDE_TEXT,
)
from tests.odd_catalog import long_text, short_text
from tests.odd_papers import DOI_TEXT_DOI, EXTERNAL_ID, LONG_TEXT_ID, NO_TEXT_ID, OLD_STYLE_ID, SHORT_TEXT_ID

TEXTS = {ASCII_ID: ASCII_TEXT, EURO_ID: EURO_TEXT, WIDE_ID: WIDE_TEXT}
NEXT = "Pass the last next_cursor"


async def chunks(desk: Desk, paper: str) -> list[Json]:
    """All chunks of a paper, in order."""
    found = [await desk.result("read_paper", paper=paper)]
    while found[-1]["truncated"]:
        found.append(await desk.result("read_paper", paper=paper, cursor=found[-1]["next_cursor"]))
    return found


def payload(cursor: str) -> Json:
    """The readable part of a cursor."""
    fields: Json = json.loads(base64_decode(cursor.partition(".")[0]))
    return fields


@pytest.mark.parametrize("chunk_bytes", [1_024, 32_768, 65_536])
@pytest.mark.parametrize("paper", TEXTS)
async def test_chunks_join_to_the_stored_text(
    meaning_backend: EmbeddedCatalog, paper: str, chunk_bytes: int
) -> None:  # catalog A69
    stored = TEXTS[paper].encode()
    found = await chunks(Desk(meaning_backend, chunk_bytes=chunk_bytes), paper)
    assert "".join(chunk["markdown"] for chunk in found).encode() == stored
    position = 0
    for chunk in found:
        assert (chunk["offset"], chunk["bytes"]) == (position, len(chunk["markdown"].encode()))
        assert 0 < chunk["bytes"] <= chunk_bytes and chunk["total_bytes"] == len(stored)
        position += chunk["bytes"]
    assert [chunk["truncated"] for chunk in found] == [True] * (len(found) - 1) + [False]
    assert "next_cursor" not in found[-1] and "cursor_expires_at" not in found[-1]
    assert len({chunk["content_version"] for chunk in found}) == 1


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(chunk_bytes=st.integers(4_096, 65_536), paper=st.sampled_from((LONG_TEXT_ID, OLD_STYLE_ID)))
async def test_any_chunk_size_joins_to_the_same_text(
    odd_backend: EmbeddedCatalog, chunk_bytes: int, paper: str
) -> None:  # catalog A69
    found = await chunks(Desk(odd_backend, chunk_bytes=chunk_bytes), paper)
    expected = long_text() if paper == LONG_TEXT_ID else "# Knots\n\n" + "Ropes — and knots.\n\n" * 4_000
    assert "".join(chunk["markdown"] for chunk in found) == expected
    assert all(chunk["bytes"] <= chunk_bytes for chunk in found)


async def test_a_chunk_ends_before_a_character_that_does_not_fit(meaning_backend: EmbeddedCatalog) -> None:
    first = await Desk(meaning_backend, chunk_bytes=65_536).result("read_paper", paper=EURO_ID)  # catalog A70
    assert (first["bytes"], first["markdown"]) == (65_535, "€" * 21_845)


async def test_the_first_chunk_ends_with_a_paragraph(meaning: Desk) -> None:  # catalog A71
    first = await meaning.result("read_paper", paper=ASCII_ID)
    assert 16_384 < first["bytes"] <= 32_768
    assert first["markdown"].endswith("\n\n")


async def test_the_text_is_the_markdown_and_a_second_block_tells_how_to_go_on(odd: Desk) -> None:  # catalog A72
    outcome = await odd.call("read_paper", paper=LONG_TEXT_ID)
    first = outcome.structured
    assert first is not None and len(outcome.texts) == 2
    assert outcome.texts[0] == first["markdown"]
    assert outcome.texts[1] == (
        f"Bytes 0 to {first['bytes']} of {len(long_text().encode())}. To continue: cursor={first['next_cursor']}"
    )
    short = await odd.call("read_paper", paper=SHORT_TEXT_ID)
    assert short.texts == (short_text(),)
    assert short.structured == {
        "schema_version": "v1",
        "paper": SHORT_TEXT_ID,
        "markdown": short_text(),
        "truncated": False,
        "canonical": SHORT_TEXT_ID,
        "title": "A Short Text",
        "offset": 0,
        "bytes": len(short_text().encode()),
        "total_bytes": len(short_text().encode()),
        "content_version": short.structured["content_version"] if short.structured else "",
    }


async def test_a_cursor_is_readable_and_has_nine_keys(odd: Desk) -> None:
    first = await odd.result("read_paper", paper=f" arXiv:{LONG_TEXT_ID} ")
    assert first["paper"] == f"arXiv:{LONG_TEXT_ID}"
    assert payload(first["next_cursor"]) == {
        "v": 1,
        "ref": f"arXiv:{LONG_TEXT_ID}",
        "paper": LONG_TEXT_ID,
        "source": "arxiv",
        "version": first["content_version"],
        "offset": first["bytes"],
        "limit": 32_768,
        "kid": key_id(KEYS[-1]),
        "exp": 1_700_003_600,
    }
    assert first["cursor_expires_at"] == "2023-11-14T23:13:20Z"


async def test_a_cursor_works_again_and_elsewhere_and_through_a_change_of_keys(
    odd_backend: EmbeddedCatalog,
) -> None:  # catalog A73
    old, new, newer = KEYS[0], KEYS[1], "a-newer-key-of-the-tests"
    clock = ManualClock()
    first = await Desk(odd_backend, keys=(old, new), clock=clock).result("read_paper", paper=LONG_TEXT_ID)
    asked = {"paper": LONG_TEXT_ID, "cursor": first["next_cursor"]}
    clock.advance(600)
    elsewhere = Desk(odd_backend, keys=(old, new), clock=clock)
    second = await elsewhere.result("read_paper", **asked)
    assert second == await elsewhere.result("read_paper", **asked)
    assert payload(second["next_cursor"])["exp"] == payload(first["next_cursor"])["exp"]
    rotated = await Desk(odd_backend, keys=(old, new, newer), clock=clock).result("read_paper", **asked)
    assert rotated["markdown"] == second["markdown"]
    before, after = payload(first["next_cursor"]), payload(rotated["next_cursor"])
    assert (before["kid"], after["kid"]) == (key_id(new), key_id(newer))
    assert after["exp"] == before["exp"]
    removed = await Desk(odd_backend, keys=(newer,), clock=clock).failure("read_paper", **asked)
    assert (removed["code"], NEXT in removed["message"]) == ("cursor_invalid", True)


async def test_a_changed_character_makes_a_cursor_invalid(odd: Desk) -> None:  # catalog A74
    token = (await odd.result("read_paper", paper=LONG_TEXT_ID))["next_cursor"]
    for place in (*range(0, len(token), 7), len(token) - 2, len(token) - 1):
        for other in ("A", "b", "-", "."):
            if token[place] != other:
                changed = token[:place] + other + token[place + 1 :]
                said = await odd.failure("read_paper", paper=LONG_TEXT_ID, cursor=changed)
                assert said["code"] == "cursor_invalid", changed


@pytest.mark.parametrize("cursor", ["x" * 2_049, "é", "a b", "null", "a.b", ".", "x" * 2_048, "1", 12345])
async def test_what_was_never_a_cursor_is_invalid(counted: Desk, counting: CountingBackend, cursor: Any) -> None:
    said = await counted.failure("read_paper", paper=LONG_TEXT_ID, cursor=cursor)  # catalog A74
    assert said == {
        "code": "cursor_invalid",
        "retryable": False,
        "message": "This cursor is not valid. Pass the last next_cursor exactly as it was given, or leave it out to "
        "start again.",
    }
    assert not counting.calls


CHANGES: dict[str, Callable[[Json], Json]] = {
    "missing key": lambda fields: {key: value for key, value in fields.items() if key != "limit"},
    "extra key": lambda fields: {**fields, "note": "x"},
    "bool as int": lambda fields: {**fields, "v": True},
    "bool as offset": lambda fields: {**fields, "offset": True},
    "no offset": lambda fields: {**fields, "offset": 0},
    "text as int": lambda fields: {**fields, "limit": "1024"},
    "limit too high": lambda fields: {**fields, "limit": 65_537},
    "other source": lambda fields: {**fields, "source": "external"},
    "no version": lambda fields: {**fields, "version": "A" * 64},
    "no paper": lambda fields: {**fields, "paper": "x y"},
    "other format": lambda fields: {**fields, "v": 2},
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_signed_cursor_with_a_bad_field_is_invalid(odd: Desk, change: str) -> None:  # catalog A74
    fields = payload((await odd.result("read_paper", paper=LONG_TEXT_ID))["next_cursor"])
    token = Signer(KEYS, CURSOR_SALT).sign(CHANGES[change](fields))
    said = await odd.failure("read_paper", paper=LONG_TEXT_ID, cursor=token)
    assert (said["code"], NEXT in said["message"]) == ("cursor_invalid", True)
    good = Signer(KEYS, CURSOR_SALT).sign(fields)
    assert (await odd.result("read_paper", paper=LONG_TEXT_ID, cursor=good))["offset"] == fields["offset"]


async def test_a_cursor_ends_at_its_hour(odd_backend: EmbeddedCatalog) -> None:  # catalog A75
    clock = ManualClock()
    desk = Desk(odd_backend, clock=clock)
    token = (await desk.result("read_paper", paper=LONG_TEXT_ID))["next_cursor"]
    clock.advance(3_599)
    assert (await desk.result("read_paper", paper=LONG_TEXT_ID, cursor=token))["offset"] > 0
    clock.advance(1)
    for paper in (LONG_TEXT_ID, OLD_STYLE_ID, "No Such Title"):
        assert await desk.failure("read_paper", paper=paper, cursor=token) == {
            "code": "cursor_expired",
            "retryable": False,
            "message": "This cursor has expired. Start again without a cursor.",
        }
    tampered = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert (await desk.failure("read_paper", paper=LONG_TEXT_ID, cursor=tampered))["code"] == "cursor_invalid"


async def test_another_spelling_of_the_paper_goes_on_and_rebinds(
    counted: Desk, counting: CountingBackend
) -> None:  # catalog A76
    first = await counted.result("read_paper", paper=LONG_TEXT_ID)
    url = f"https://arxiv.org/abs/{LONG_TEXT_ID}v2"
    second = await counted.result("read_paper", paper=url, cursor=first["next_cursor"])
    assert (second["paper"], second["offset"]) == (url, first["bytes"])
    assert payload(second["next_cursor"])["ref"] == url
    by_title = await counted.result("read_paper", paper="Lanterns at Length", cursor=second["next_cursor"])
    assert by_title["offset"] == second["offset"] + second["bytes"]
    assert counting.calls == {"read": 3, "find_titles": 1}


async def test_another_paper_does_not_go_on(odd: Desk) -> None:  # catalog A76
    token = (await odd.result("read_paper", paper=LONG_TEXT_ID))["next_cursor"]
    for other in (OLD_STYLE_ID, EXTERNAL_ID, "Harbour Notes", SHORT_TEXT_ID):
        said = await odd.failure("read_paper", paper=other, cursor=token)
        assert said["code"] == "cursor_mismatch"
    unknown = await odd.failure("read_paper", paper="No Such Title", cursor=token)
    assert unknown["code"] == "not_found"
    assert (await odd.failure("read_paper", paper="https://github.com/a", cursor=token))["code"] == "invalid_argument"


@pytest.mark.parametrize("reference", [OLD_STYLE_ID, f"arxiv.org/abs/{OLD_STYLE_ID}v1", "math/0309136"])
async def test_an_old_style_id_can_be_read_to_the_end(odd: Desk, reference: str) -> None:  # catalog A77
    found = await chunks(odd, reference)
    assert len(found) > 1 and {chunk["canonical"] for chunk in found} == {OLD_STYLE_ID}


async def test_a_long_reference_outside_ascii_can_be_read_to_the_end(meaning: Desk) -> None:  # catalog A77
    assert len(LONG_TITLE) == 500
    found = await chunks(meaning, LONG_TITLE)
    assert "".join(chunk["markdown"] for chunk in found) == "Ends.\n\n" + "x" * 40_000
    assert found[0]["canonical"] == LONG_TITLE_ID
    assert len(found[0]["next_cursor"]) <= 2_048
    assert payload(found[0]["next_cursor"])["ref"].startswith("#")


async def test_a_changed_text_ends_the_reading(tmp_path: Path) -> None:  # catalog A78
    records = {"papers": [{"key": "p", "title": "Changing", "arxiv_id": "2401.00001"}]}
    tokens = []
    for number, text in enumerate(("first " * 9_000, "second " * 9_000)):
        home = build(tmp_path / str(number), records, {"2401.00001.md": text})
        backend = EmbeddedCatalog.open(home, kind="file")
        desk = Desk(backend)
        if tokens:
            assert await desk.failure("read_paper", paper="2401.00001", cursor=tokens[0]) == {
                "code": "content_changed",
                "retryable": False,
                "message": "The stored text was replaced since this reading began. Start again without a cursor.",
            }
        tokens.append((await desk.result("read_paper", paper="2401.00001"))["next_cursor"])
        backend.close()
    assert tokens[0] != tokens[1]


async def test_a_paper_without_text_and_no_paper_differ(odd: Desk) -> None:  # catalog A78
    assert await odd.failure("read_paper", paper=NO_TEXT_ID) == {
        "code": "no_markdown",
        "retryable": False,
        "message": "The catalog holds this paper without its full text. Read its abstract, or follow its links.",
    }
    assert (await odd.failure("read_paper", paper="1905.12345"))["code"] == "not_found"
    assert (await odd.failure("read_paper", paper="No Such Title At All"))["code"] == "not_found"


@pytest.mark.parametrize(
    ("paper", "start"),
    [(EXTERNAL_ID, "# Held nowhere else"), (DOI_TEXT_DOI, "# Harbour notes"), ("2401.90004", "# Lines\n\nfrom")],
)
async def test_texts_are_found_by_every_kind_of_id(odd: Desk, paper: str, start: str) -> None:
    found = await odd.result("read_paper", paper=paper)
    assert found["markdown"].startswith(start) and "\r" not in found["markdown"]


async def test_what_has_markdown_says_so_in_its_record(odd: Desk) -> None:
    assert (await odd.result("get_paper_info", paper=LONG_TEXT_ID))["paper"]["has_markdown"] is True
    assert (await odd.result("get_paper_info", paper=NO_TEXT_ID))["paper"]["has_markdown"] is False
    lines = (await odd.text("get_paper_info", paper=OLD_STYLE_ID)).splitlines()
    assert lines[-1] == f'Full text: read_paper with paper="{OLD_STYLE_ID}".'
