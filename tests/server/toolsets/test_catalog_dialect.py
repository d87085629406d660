"""The catalog family's words: codes, messages, the size guard and the texts."""

from collections.abc import Iterator

import orjson
import pytest

from core import errors
from core.catalog.results import (
    BenchmarkPage,
    BenchmarkResult,
    BenchmarkSummary,
    Evaluation,
    EvaluationRankScope,
    PaperPage,
    PaperReadResult,
    PaperSummary,
)
from server.registry import Failure
from server.toolsets.catalog.dialect import DATA_MAX_BYTES, ERRORS, STRUCTURED_MAX_BYTES, CatalogDialect
from server.toolsets.catalog.text import TEXT_MAX_BYTES

DIALECT = CatalogDialect()
CODES = {
    "invalid_argument",
    "not_found",
    "ambiguous",
    "no_markdown",
    "cursor_invalid",
    "cursor_expired",
    "cursor_mismatch",
    "content_changed",
    "unavailable",
    "result_too_large",
    "rate_limited",
    "upstream_timeout",
    "upstream_error",
    "internal_error",
}


def tree(root: type[errors.PaperdeskError] = errors.PaperdeskError) -> Iterator[type[errors.PaperdeskError]]:
    yield root
    for child in root.__subclasses__():
        # Rooms have failures of their own, which they word themselves; whether they are loaded is chance.
        if child.__module__ == errors.__name__:
            yield from tree(child)


def instance(kind: type[errors.PaperdeskError]) -> errors.PaperdeskError:
    if issubclass(kind, errors.SourceError):
        return kind("It failed.", source="catalog")
    if issubclass(kind, errors.InvalidReference):
        return kind("It failed.", reason="empty")
    if issubclass(kind, errors.ArtifactCorrupt):
        return kind("It failed.", name="state")
    if issubclass(kind, errors.SettingsError):
        return kind(["It failed."])
    return kind("It failed.")


@pytest.mark.parametrize("kind", list(tree()), ids=lambda kind: kind.__name__)
def test_every_class_of_the_failure_tree_has_a_code(kind: type[errors.PaperdeskError]) -> None:  # catalog A17
    failure = DIALECT.failure(instance(kind))
    assert failure.code in CODES
    speaks_to_callers = not issubclass(kind, errors.OperatorError) and kind is not errors.PaperdeskError
    assert (failure.code == "internal_error") is not speaks_to_callers


def test_the_documented_errors_are_those_that_can_be_given() -> None:  # catalog A16, hosting A14 (part)
    given: dict[str, set[bool]] = {}
    for error in (*map(instance, tree()), RuntimeError("planted")):
        failure = DIALECT.failure(error)
        given.setdefault(failure.code, set()).add(failure.retryable)
    assert {error.code: error.retryable for error in ERRORS} == {code: any(found) for code, found in given.items()}
    assert len(ERRORS) == len(CODES) and set(given) == CODES


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (errors.NotFound("No such task."), Failure("not_found", "No such task.", False)),
        (
            errors.NotFound("No such task.", suggestions=[errors.Entry(id="image-classification", name="Image C")]),
            Failure(
                "not_found",
                "No such task. Near: image-classification (Image C).",
                False,
                {"suggestions": [{"id": "image-classification", "name": "Image C"}]},
            ),
        ),
        (
            errors.NotFound("No such area.", suggestions=[errors.Entry(id="nlp", name="NLP")], all_of="areas"),
            Failure(
                "not_found", "No such area. Areas: nlp (NLP).", False, {"suggestions": [{"id": "nlp", "name": "NLP"}]}
            ),
        ),
        (
            errors.InvalidInput("No.", suggestions=[errors.Entry(id=n) for n in "abcdefg"], all_of="metrics"),
            Failure(
                "invalid_argument",
                "No. Metrics: a, b, c, d, e and 2 more.",
                False,
                {"suggestions": [{"id": n} for n in "abcdefg"]},
            ),
        ),
        (
            errors.Ambiguous("Two.", candidates=[errors.Entry(id="1", title="A", year=2019), errors.Entry(id="2")]),
            Failure(
                "ambiguous",
                "Two. Candidates: 1 (A, 2019), 2.",
                False,
                {"candidates": [{"id": "1", "title": "A", "year": 2019}, {"id": "2"}]},
            ),
        ),
        (
            errors.SourceRateLimited("Slow down.", source="x", retry_after_s=7),
            Failure("rate_limited", "Slow down.", True, {"retry_after_s": 7}),
        ),
        (errors.SourceTimeout("Late.", source="x"), Failure("upstream_timeout", "Late.", True)),
        (errors.SourceUnreachable("Down.", source="x"), Failure("upstream_error", "Down.", True)),
        (errors.SourceMalformed("Odd.", source="x"), Failure("upstream_error", "Odd.", False)),
    ],
)
def test_a_failure_is_worded_whole(error: errors.PaperdeskError, failure: Failure) -> None:
    assert DIALECT.failure(error) == failure


def test_an_unexpected_exception_says_nothing_of_itself() -> None:  # catalog A21
    failure = DIALECT.failure(RuntimeError("SECRET /srv/catalog.sqlite"))
    assert (failure.code, failure.retryable) == ("internal_error", True)
    assert "SECRET" not in failure.message


def test_the_meta_object_carries_code_retryable_and_details() -> None:  # catalog A16
    failure = DIALECT.failure(errors.NotFound("No.", suggestions=[errors.Entry(id="a", name="A")]))
    assert DIALECT.failure_meta(failure) == {
        "org.paperdesk/error": {"code": "not_found", "retryable": False, "suggestions": [{"id": "a", "name": "A"}]}
    }


def test_at_most_ten_candidates_are_given_and_five_are_named_in_the_message() -> None:
    failure = DIALECT.failure(errors.Ambiguous("Many.", candidates=[errors.Entry(id=str(n)) for n in range(12)]))
    assert len(failure.details["candidates"]) == 10
    assert failure.message == "Many. Candidates: 0, 1, 2, 3, 4."


def page(rows: int, **fields: object) -> PaperPage:
    items = [
        PaperSummary(id=str(n), title=f"Title {n}", authors=[], has_official_implementation=False) for n in range(rows)
    ]
    return PaperPage(items=items, count=rows, page=1, applied_filters={}, **fields)  # type: ignore[arg-type]


def test_missing_values_are_left_out_and_data_keeps_its_nulls() -> None:
    success = DIALECT.success("list_papers", page(1, data={"results": [{"id": "0", "doi": None}]}))
    assert success.structured == {
        "schema_version": "v1",
        "count": 1,
        "page": 1,
        "applied_filters": {},
        "items": [{"id": "0", "title": "Title 0", "authors": [], "has_official_implementation": False}],
        "data": {"results": [{"id": "0", "doi": None}]},
    }


def test_data_is_left_out_above_its_ceiling_and_the_answer_says_so() -> None:  # catalog A14
    success = DIALECT.success("list_papers", page(1, data="x" * DATA_MAX_BYTES))
    assert "data" not in success.structured
    assert success.structured["data_omitted"] == "size"


def leaderboard(rows: int, size: int) -> BenchmarkResult:
    scope = EvaluationRankScope(task_id="1", task_name="t" * 150, rank=1)
    evaluations = [
        Evaluation(
            id=str(n),
            model_name="m" * size,
            metrics={"Accuracy": float(n)},
            rank_scopes=[scope] * 5,
            evaluation_protocol="p" * 300,
            source_url="https://example.org/" + "s" * 400,
            code_url="https://example.org/" + "c" * 400,
            hf_model_url="https://example.org/" + "h" * 400,
        )
        for n in range(rows)
    ]
    return BenchmarkResult(
        benchmark=BenchmarkSummary(id="1", name="Bench"),
        evaluation_count=rows,
        merged_count=rows,
        matched_count=rows,
        complete=True,
        evaluations=evaluations,
        metric_directions={"Accuracy": "higher"},
        page=1,
        ranking_note="Ranks hold within a task.",
    )


def test_a_leaderboard_over_the_ceiling_loses_extras_of_all_rows_before_anything_else() -> None:  # catalog A11
    success = DIALECT.success("get_benchmark", leaderboard(25, 200))
    assert len(orjson.dumps(success.structured)) <= STRUCTURED_MAX_BYTES
    assert len(success.structured["evaluations"]) == 25
    assert {len(row["rank_scopes"]) for row in success.structured["evaluations"]} == {1}
    assert not any("evaluation_protocol" in row or "code_url" in row for row in success.structured["evaluations"])


def test_an_answer_over_the_ceiling_even_then_is_refused() -> None:
    with pytest.raises(errors.ResultTooLarge, match="smaller limit"):
        DIALECT.success("get_benchmark", leaderboard(25, 4_000))


def test_a_list_is_markdown_with_one_line_a_row_and_no_json() -> None:  # catalog A12
    (text,) = DIALECT.success("list_papers", page(2).model_copy(update={"next_page": 2, "count": 9})).texts
    assert text.splitlines() == [
        "9 papers. Page 1 of 5.",
        "- 0 — Title 0",
        "- 1 — Title 1",
        "Next page: page=2.",
    ]
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(text)


def test_a_title_with_line_breaks_and_control_characters_stays_on_one_line() -> None:
    result = page(1)
    odd = result.model_copy(update={"items": [result.items[0].model_copy(update={"title": "A\n- B\x1b[31m\u2028C"})]})
    (text,) = DIALECT.success("list_papers", odd).texts
    assert text.splitlines()[1] == "- 0 — A - B [31m C"


def test_an_empty_list_says_what_ran_and_what_to_loosen_first() -> None:
    empty = page(0).model_copy(update={"applied_filters": {"task": "Parsing", "search": "graphs"}})
    assert DIALECT.success("list_papers", empty).texts == (
        "0 papers (task Parsing; search graphs). Loosen search first.",
    )


def test_a_text_over_its_ceiling_counts_the_rows_that_it_leaves_out() -> None:  # catalog A11
    rows = [BenchmarkSummary(id=str(n), name="é" * 150, slug=f"s-{n}") for n in range(60)]
    (text,) = DIALECT.success("list_benchmarks", BenchmarkPage(items=rows, count=60, page=1)).texts
    lines = text.splitlines()
    assert len(text.encode()) <= TEXT_MAX_BYTES
    shown = sum(line.startswith("- s-") for line in lines)
    assert lines[-1] == f"… and {60 - shown} more lines; the structured part has all of them."


def test_a_leaderboard_is_a_table_with_directions_and_the_best_value_marked() -> None:
    board = leaderboard(2, 1).model_copy(update={"metric_directions": {"Accuracy": "lower"}})
    (text,) = DIALECT.success("get_benchmark", board).texts
    assert text.splitlines() == [
        "Bench (1): 2 rows.",
        "",
        "| rank | model | Accuracy ↓ | paper |",
        "| --- | --- | --- | --- |",
        "|  | m | **0.0** |  |",
        "|  | m | 1.0 |  |",
        "",
        "Ranks hold within a task.",
    ]


def board_of(*rows: tuple[str | None, int | None, dict[str, float]], directions: list[str]) -> BenchmarkResult:
    """A leaderboard page of (task, rank, metrics) rows; each best rank is of that row's own task."""
    evaluations = [
        Evaluation(
            id=str(at),
            model_name=f"M{at}",
            metrics=dict(metrics),
            task=task,
            best_rank=rank,
            rank_scopes=[EvaluationRankScope(task_id=task, task_name=task, rank=rank)] if task else [],
        )
        for at, (task, rank, metrics) in enumerate(rows)
    ]
    return leaderboard(len(rows), 1).model_copy(
        update={"evaluations": evaluations, "metric_directions": dict.fromkeys(directions, "higher")}
    )


def test_the_metrics_with_most_values_here_are_the_columns_in_leaderboard_order() -> None:
    names = [f"A{n}" for n in range(9)]
    rows = [dict.fromkeys(names[4:], 1.0), dict.fromkeys(names[3:8], 2.0), dict.fromkeys(["A3", "A5"], 3.0)]
    board = board_of(*(("T", rank, metrics) for rank, metrics in enumerate(rows, 1)), directions=names)
    lines = DIALECT.success("get_benchmark", board).texts[0].splitlines()
    assert lines[2] == "| rank | model | A3 ↑ | A4 ↑ | A5 ↑ | A6 ↑ | A7 ↑ | paper |"
    assert lines[4] == "| 1 | M0 |  | 1.0 | 1.0 | 1.0 | 1.0 |  |"
    assert "5 of 9 metrics shown, those with the most values here; metric_directions names all." in lines


def test_a_metric_of_the_call_is_a_column_even_where_many_have_as_many_values() -> None:
    names = [f"A{n}" for n in range(7)]
    named_first = dict.fromkeys(["A6", *names], 1.0)
    lines = DIALECT.success("get_benchmark", board_of(("T", 1, named_first), directions=names)).texts[0].splitlines()
    assert lines[2] == "| rank | model | A0 ↑ | A1 ↑ | A2 ↑ | A3 ↑ | A6 ↑ | paper |"


def test_ranks_of_several_tasks_stand_beside_their_tasks() -> None:
    one = {"A": 1.0}
    board = board_of(("Parsing", 1, one), ("Q|A", 1, one), (None, None, one), directions=["A"])
    lines = DIALECT.success("get_benchmark", board).texts[0].splitlines()
    assert lines[2:7] == [
        "| rank | task | model | A ↑ | paper |",
        "| --- | --- | --- | --- | --- |",
        "| 1 | Parsing | M0 | **1.0** |  |",
        "| 1 | Q\\|A | M1 | **1.0** |  |",
        "|  |  | M2 | **1.0** |  |",
    ]
    same = board_of(("Parsing", 1, one), ("Parsing", 2, one), (None, None, one), directions=["A"])
    assert DIALECT.success("get_benchmark", same).texts[0].splitlines()[2] == "| rank | model | A ↑ | paper |"


def test_a_list_longer_than_can_be_paged_counts_the_pages_that_can() -> None:
    long = page(2).model_copy(update={"next_page": 2, "count": 1534})
    assert DIALECT.success("list_papers", long).texts[0].splitlines()[0] == "1534 papers. Page 1 of 100."
    last = page(2).model_copy(update={"page": 100, "count": 1534})
    assert DIALECT.success("list_papers", last).texts[0].splitlines()[0] == "1534 papers. Page 100 of 100."


def test_a_chunk_is_its_markdown_and_a_line_on_how_to_go_on() -> None:  # catalog A72
    chunk = PaperReadResult(
        paper="x", markdown="# Text\n", truncated=True, next_cursor="abc", canonical="1", offset=0, bytes=7,
        total_bytes=20, content_version="0" * 64,
    )  # fmt: skip
    assert DIALECT.success("read_paper", chunk).texts == ("# Text\n", "Bytes 0 to 7 of 20. To continue: cursor=abc")
    last = chunk.model_copy(update={"truncated": False, "next_cursor": None})
    assert DIALECT.success("read_paper", last).texts == ("# Text\n",)
