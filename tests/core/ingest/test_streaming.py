import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BuildFailed
from core.ingest import streaming
from core.ingest.report import FileReport

ROWS = [{"a": 1}, {"b": "zwei"}, [3], "vier", 5]


def read(path: Path) -> tuple[list[Any], FileReport]:
    file = FileReport("pwc", path.name, path)
    return [row for _, _, row in streaming.rows(file, lambda n: None)], file


@pytest.mark.parametrize("is_gzip", [False, True])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("layout", ["lines", "list", "indented list"])
def test_all_layouts_give_the_same_rows(tmp_path: Path, layout: str, bom: bytes, is_gzip: bool) -> None:
    if layout == "lines":
        text = "\n".join(json.dumps(row) for row in ROWS[:3])
    else:
        text = "\n " + json.dumps(ROWS, indent=2 if layout == "indented list" else None) + "\n"
    data = bom + text.encode()
    path = tmp_path / "any-name-at-all"
    path.write_bytes(gzip.compress(data, mtime=0) if is_gzip else data)
    rows, file = read(path)
    assert rows == (ROWS[:3] if layout == "lines" else ROWS)
    assert (file.read, file.bad) == (len(rows), 0)


def test_the_hash_is_of_the_file_as_it_lies_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(gzip.compress(b'{"a": 1}\n', mtime=0) + b"\x00" * 3)
    _, file = read(path)
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_line_that_is_not_json_is_bad_and_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{broken\n{"a": NaN}\n\xff\xfe\n{"a": 2}\n')
    rows, file = read(path)
    assert rows == [{"a": 1}, {"a": 2}]
    assert (file.read, file.bad, dict(file.skipped)) == (5, 3, {"not JSON": 3})
    assert [sample.position for sample in file.samples] == ["line 3", "line 4", "line 5"]


@pytest.mark.parametrize("layout", ["{}\n", "[{}]"])
def test_a_lone_surrogate_is_replaced_wherever_it_stands(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(layout.replace("{}", r'{"a\udfffb": ["a\ud800b", {"c": "\ud83d\ude00\uDC00"}]}'))
    assert read(path)[0] == [{"a\ufffdb": ["a\ufffdb", {"c": "\U0001f600\ufffd"}]}]


def test_elements_larger_than_a_chunk_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 7)
    path = tmp_path / "a.json"
    rows = [{"text": "é" * 100, "list": [1, [2, {"x": "]}"}]]}, 123456789, 1.5e3, "end"]
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    assert read(path)[0] == rows


@pytest.mark.parametrize(
    "data",
    [
        b'[{"a": 1}, {"b"',
        b'[{"a": 1} {"b": 2}]',
        b'[{"a": 1}] trailing',
        b'[{"a": 1},]',
        b"[",
        b'[{"a": "\xff"}]',
        gzip.compress(b'[{"a": 1}]' * 1000, mtime=0)[:-9],
        gzip.compress(b'{"a": 1}\n' * 10, mtime=0)[:12] + b"garbage",
    ],
)
def test_a_file_that_cannot_be_read_whole_fails(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(BuildFailed, match=r"a\.json"):
        read(path)


@pytest.mark.parametrize("data", [b"", b"[]", b" [ ] ", b"\n\n"])
def test_an_empty_file_has_no_rows(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    assert read(path)[0] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(JSON, max_size=6), st.integers(1, 40))
def test_a_list_is_read_alike_at_any_chunk_size(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], chunk: int
) -> None:
    path = tmp_path_factory.mktemp("lists") / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "CHUNK_BYTES", chunk)
        assert read(path)[0] == rows


@pytest.mark.parametrize("layout", ["{}\n", "[{}]"])
@pytest.mark.parametrize("is_gzip", [False, True])
def test_blanks_before_the_rows_are_passed_over_whole(tmp_path: Path, layout: str, is_gzip: bool) -> None:
    data = b" \t\r\n" * (streaming.CHUNK_BYTES * 6) + layout.replace("{}", '{"a": 1}').encode()
    path = tmp_path / "a.json"
    path.write_bytes(gzip.compress(data, 1, mtime=0) if is_gzip else data)
    assert read(path)[0] == [{"a": 1}]


@pytest.mark.parametrize("layout", ["{}\n", "[{}]"])
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775808", -9223372036854775808),
        ("-9223372036854775809", -9223372036854775809.0),
        ("1" + "0" * 400, float("inf")),
        ("-" + "9" * 5000, float("-inf")),
    ],
)
def test_whole_numbers_beyond_64_bits_are_floats_in_both_layouts(
    tmp_path: Path, layout: str, written: str, value: float
) -> None:
    path = tmp_path / "a.json"
    path.write_text(layout.replace("{}", f'{{"n": {written}}}'))
    ((row,), _) = read(path)
    assert (row, type(row["n"])) == ({"n": value}, type(value))
