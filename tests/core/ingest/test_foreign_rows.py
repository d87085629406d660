"""Whatever a foreign row holds, it is staged or refused with a reason; nothing else comes out of a reader."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.ingest.arxiv import ArxivReader
from core.ingest.facts import Precedence
from core.ingest.openalex import OpenAlexReader
from core.ingest.pwc_datasets import read_dataset
from core.ingest.pwc_evaluations import read_task
from core.ingest.pwc_links import read_link
from core.ingest.pwc_methods import read_method
from core.ingest.pwc_papers import read_paper
from core.ingest.report import FileReport
from core.ingest.staging import Input, Staging

READERS: dict[str, tuple[Callable[..., None], str]] = {
    "paper": (
        read_paper,
        "paper_url arxiv_id nips_id openreview_id title abstract url_abs url_pdf proceeding authors tasks date"
        " conference reproduces_paper methods",
    ),
    "link": (read_link, "paper_url paper_arxiv_id paper_title paper_url_abs repo_url is_official framework"),
    "method": (read_method, "url name full_name description paper introduced_year source_url collections"),
    "dataset": (read_dataset, "name full_name description variants tasks homepage introduced_date data_loaders"),
    "arxiv": (ArxivReader(frozenset()).read, "id authors authors_parsed title abstract journal-ref doi versions"),
    "work": (
        OpenAlexReader(topics_as_tasks=True).read,
        "id doi ids title display_name publication_date publication_year authorships abstract_inverted_index"
        " cited_by_count is_retracted primary_location locations best_oa_location topics",
    ),
}
INNER = (
    "name title url id area author display_name institutions source version created landing_page_url main_collection"
    " task metrics model_name rows dataset sota We"
)
SEEN_TEXTS = [
    *("", " ", "A Title", "1706.03762", "math.GT/0309136v2", "https://arxiv.org/abs/1706.03762v3", "10.1000/x"),
    *("https://openalex.org/W1234567", "https://paperswithcode.com/paper/a", "http://[broken", "<i>&#0;</i>"),
    *("none", "ICML 2019 6", "2019-02-30"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(SEEN_TEXTS) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER.split()), inner, max_size=4),
    max_leaves=8,
)


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[Input]:
    staging = Staging(tmp_path / "staging.sqlite")
    yield Input(staging, Precedence.ARCHIVE, "pwc", Counter())
    staging.flush()
    staging.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("shape", list(READERS))
@given(data=st.data())
def test_any_row_is_staged_or_refused_with_a_reason(sink: Input, shape: str, data: st.DataObject) -> None:
    read, names = READERS[shape]
    chosen = data.draw(st.lists(st.sampled_from(names.split()), unique=True))
    row = {name: data.draw(VALUES, label=name) for name in chosen}
    try:
        read(row, sink, 1)
    except InvalidInput as error:
        assert error.message


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dataset=VALUES, result=VALUES, metrics=VALUES, paper_url=VALUES, title=VALUES)
def test_any_table_is_accounted_for(
    sink: Input, tmp_path: Path, dataset: Any, result: Any, metrics: Any, paper_url: Any, title: Any
) -> None:
    file = FileReport("pwc", "tables.json", tmp_path / "tables.json")
    whole = {"model_name": "M", "metrics": metrics, "paper_url": paper_url, "paper_title": title, "code_links": result}
    table = {"dataset": "D", "sota": {"metrics": ["F1"], "rows": [result, whole]}, "subdatasets": [dataset]}
    read_task({"task": "T", "datasets": [table, dataset], "subtasks": [dataset]}, sink, file, "element 1")
    assert file.read == file.kept + file.skipped.total()
    json.dumps(file.as_json())
