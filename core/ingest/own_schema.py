"""The files and fields of the own format (catalog contract 20.4), strict in both directions.

Three fields go beyond the contract's table so that an export loses nothing: `mentioned_in_paper` and
`mentioned_in_repository` of a repository, and `paper_published` of an evaluation without a paper. A value of
`identifiers` may be a list when a paper has several of one scheme, and an empty `title` stands for an untitled paper.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidInput
from core.ingest.dates import partial_date
from core.ingest.fields import is_number
from core.ingest.ids import MAX_ID

Check = Callable[[Any], bool]

_MAX_ID_DIGITS = 20
_MAX_DEPTH = 32
"""What nests deeper is no list of trends, and the writers of JSON behind this layer give up on it."""


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _id(value: Any) -> bool:
    if isinstance(value, str) and len(value) <= _MAX_ID_DIGITS and value.isascii() and value.isdecimal():
        value = int(value)
    return _whole(value) and 1 <= value <= MAX_ID


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _year(value: Any) -> bool:
    return _whole(value) and 1000 <= value <= 9999


def _date(value: Any) -> bool:
    return isinstance(value, str) and partial_date(value) == value


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(_text(each) for each in value)


def _object(fields: Mapping[str, "Field"]) -> Check:
    required = [name for name, field in fields.items() if field.is_required]

    def check(value: Any) -> bool:
        is_whole = isinstance(value, dict) and all(value.get(name) is not None for name in required)
        return is_whole and _faults(value, fields) is None

    return check


def _rows(fields: Mapping[str, "Field"]) -> Check:
    check = _object(fields)
    return lambda value: isinstance(value, list) and all(check(each) for each in value)


def _authors(value: Any) -> bool:
    return isinstance(value, list) and all(
        _text(each) or (isinstance(each, dict) and each.keys() == {"name"} and _text(each["name"])) for each in value
    )


def _identifiers(value: Any) -> bool:
    return isinstance(value, dict) and all(_text(each) or (_texts(each) and each) for each in value.values())


def _metrics(value: Any) -> bool:
    return isinstance(value, dict) and all(_text(name) and (is_number(v) or _text(v)) for name, v in value.items())


def _trends(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str | dict) for each in value) and not _is_too_deep(value)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH):
        nested = [each for each in level if isinstance(each, dict | list)]
        level = [child for each in nested for child in (each.values() if isinstance(each, dict) else each)]
    return bool(level)


@dataclass(frozen=True, slots=True)
class Field:
    """What a field may hold."""

    check: Check
    expected: str
    is_required: bool = False


TEXT = Field(_text, "text")
REQUIRED = Field(_text, "text", is_required=True)
TITLE = Field(lambda value: isinstance(value, str), "text (empty for an untitled paper)", is_required=True)
ID = Field(_id, f"a whole number from 1 to {MAX_ID}")
WHOLE = Field(_whole, "a whole number")
NUMBER = Field(is_number, "a number")
FLAG = Field(_flag, "true or false")
YEAR = Field(_year, "a year")
DATE = Field(_date, "a date such as 2019, 2019-03 or 2019-03-05")
TEXTS = Field(_texts, "a list of texts")
_NAMED = {"key": REQUIRED, "name": REQUIRED, "id": ID}
_SLUGGED = {**_NAMED, "slug": TEXT, "description": TEXT}
_LABEL = Field(_object({"slug": REQUIRED, "name": REQUIRED}), "an object of slug and name")
_RECOMMENDED = {"name": REQUIRED, "owner": TEXT, "url": TEXT, "num_stars": WHOLE}
REPOSITORY_FIELDS = {
    "url": REQUIRED,
    "is_official": FLAG,
    "framework": TEXT,
    "stars": WHOLE,
    "mentioned_in_paper": FLAG,
    "mentioned_in_repository": FLAG,
}
_DIRECTION = Field(lambda value: value in ("higher", "lower"), "`higher` or `lower`")

FILES: Mapping[str, Mapping[str, Field]] = {
    "areas": _NAMED,
    "tasks": {
        **_SLUGGED,
        "area": TEXT,
        "parents": TEXTS,
        "aliases": TEXTS,
        "visible": FLAG,
        "created_at": TEXT,
        "research_trends": Field(_trends, "a list of texts or objects, nested at most 32 deep"),
        "recommended_frameworks": Field(_rows(_RECOMMENDED), "a list of {name, owner, url, num_stars}"),
    },
    "methods": {
        **_SLUGGED,
        "full_name": TEXT,
        "area": TEXT,
        "introduced_year": YEAR,
        "source_paper": TEXT,
        "source_url": TEXT,
        "source_title": TEXT,
        "created_at": TEXT,
    },
    "conferences": {
        **_SLUGGED,
        "year": YEAR,
        "location": TEXT,
        "start_date": DATE,
        "end_date": DATE,
        "venue": TEXT,
        "tier": TEXT,
        "url": TEXT,
        "hf_url": TEXT,
    },
    "organizations": {
        **_SLUGGED,
        "is_featured": FLAG,
        "trending_rank": WHOLE,
        "website_url": TEXT,
        "github_url": TEXT,
        "hf_url": TEXT,
    },
    "frameworks": {
        **_SLUGGED,
        "platforms": TEXTS,
        "domain": _LABEL,
        "category": _LABEL,
        "organization": TEXT,
        "github_url": TEXT,
        "docs_url": TEXT,
        "when_to_use": TEXT,
        "introducing_paper": TEXT,
    },
    "authors": {**_NAMED, "hf_username": TEXT, "orcid": TEXT},
    "papers": {
        "key": REQUIRED,
        "title": TITLE,
        "id": ID,
        "arxiv_id": TEXT,
        "doi": TEXT,
        "slug": TEXT,
        "identifiers": Field(_identifiers, "an object of scheme to identifier"),
        "abstract": TEXT,
        "authors": Field(_authors, "a list of author keys or {name}"),
        "published": DATE,
        "venue": TEXT,
        "conference": TEXT,
        "url": TEXT,
        "pdf_url": TEXT,
        "citation_count": WHOLE,
        "velocity": NUMBER,
        "is_retracted": FLAG,
        "version": TEXT,
        "is_latest": FLAG,
        "tasks": TEXTS,
        "methods": TEXTS,
        "organizations": TEXTS,
        "frameworks": TEXTS,
        "repositories": Field(_rows(REPOSITORY_FIELDS), "a list of {url, is_official, framework, stars}"),
        "project_pages": TEXTS,
        "hf_models": TEXTS,
        "hf_datasets": TEXTS,
        "hf_spaces": TEXTS,
    },
    "benchmarks": {
        **_SLUGGED,
        "full_name": TEXT,
        "hf_url": TEXT,
        "aliases": TEXTS,
        "tasks": TEXTS,
        "metrics": Field(_rows({"name": REQUIRED, "direction": _DIRECTION}), "a list of {name, direction}"),
        "created_at": TEXT,
    },
    "evaluations": {
        "benchmark": REQUIRED,
        "task": REQUIRED,
        "model_name": REQUIRED,
        "metrics": Field(_metrics, "an object of names to numbers or texts", is_required=True),
        "paper": TEXT,
        "paper_title": TEXT,
        "paper_published": DATE,
        "harness": TEXT,
        "split": TEXT,
        "protocol": TEXT,
        "rank": WHOLE,
        "best_metric": TEXT,
        "is_open": FLAG,
        "num_parameters": WHOLE,
        "result_url": TEXT,
        "source_url": TEXT,
        "code_url": TEXT,
        "hf_model_url": TEXT,
        "updated_at": TEXT,
        "uses_additional_data": FLAG,
    },
    "lineage": {"predecessor": REQUIRED, "successor": REQUIRED},
}
"""Fields by file, in the order in which files are read: what others refer to comes first."""


_REQUIRED = {file: [name for name, field in fields.items() if field.is_required] for file, fields in FILES.items()}


def _faults(row: Mapping[str, Any], fields: Mapping[str, Field]) -> str | None:
    """The first fault of an object, less what it lacks."""
    for name, value in row.items():
        field = fields.get(name)
        if field is None:
            return f"unknown field `{name}`"
        if value is not None and not field.check(value):
            return f"`{name}` is not {field.expected}"
    return None


def check_row(file: str, row: Any) -> dict[str, Any]:
    """A row of one file, less its nulls; raises `InvalidInput` naming the first fault."""
    if not isinstance(row, dict):
        raise InvalidInput("the row is not an object")
    if fault := _faults(row, FILES[file]):
        raise InvalidInput(fault)
    for name in _REQUIRED[file]:
        if row.get(name) is None:
            raise InvalidInput(f"`{name}` is missing")
    return {name: value for name, value in row.items() if value is not None}
