"""Exported items against the schema that CSL-JSON has of its own (references contract 7.2)."""

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator

from core.references.exports.csl import csl_item
from tests.exported_works import AWKWARD, every_type, work
from tests.gates.tools import MISSING, TOOLS

pytestmark = pytest.mark.gate

SCHEMA = TOOLS / "csl-schema" / "content" / "commonmeta" / "resources" / "csl-data.json"


@pytest.fixture(scope="module")
def schema() -> Draft7Validator:
    assert SCHEMA.is_file(), MISSING.format("the schema of CSL-JSON")
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert found["$id"] == "https://resource.citationstyles.org/schema/v1.0/input/json/csl-data.json"
    return Draft7Validator(found)


def test_every_item_is_valid(schema: Draft7Validator) -> None:
    # references A86
    works = [*every_type(), *AWKWARD, work(url="https://example.org/1", isbn=("9780262035613",))]
    for each in works:
        assert [error.message for error in schema.iter_errors([csl_item("key", each)])] == []


def test_the_schema_finds_what_is_wrong(schema: Draft7Validator) -> None:
    for wrong in (
        {"type": "journal-article"},
        {"DOI": ["10.1000/1"]},
        {"arxiv": "1706.03762"},
        {"issued": {"year": 1}},
    ):
        assert not schema.is_valid([{**csl_item("key", work()), **wrong}])
