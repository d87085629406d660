"""What every catalog backend promises of papers, names, results and texts (catalog contract 8, 9, 11, 12 and 13.1)."""

import hashlib
from datetime import date

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.models import (
    NO_AREA,
    Benchmark,
    BenchmarkFilters,
    BenchmarkOrder,
    Direction,
    EntityKind,
    EvaluationRow,
    EvaluationRows,
    Link,
    MatchLevel,
    Repository,
    TitleMatches,
)
from core.errors import ContentChanged, InvalidInput, NoFullText, NotFound
from core.folds import plain_fold
from core.identifiers import parse
from tests.odd_boards import (
    BIG_BENCHMARK,
    BIG_BENCHMARK_ROWS,
    BUSY_TASK_BENCHMARKS,
    NUMBER_BENCHMARK,
    SPELLING_BENCHMARK,
)
from tests.odd_catalog import AMBIGUOUS_TASK, AMBIGUOUS_TASK_IDS, BUSY_TASK, long_text, short_text
from tests.odd_papers import (
    AS_OF,
    CRLF_TEXT_ID,
    DASH_TITLE,
    DOI_TEXT_DOI,
    EXTERNAL_ID,
    LONG_TEXT_ID,
    MANY_AUTHORS_ID,
    NAMESAKE,
    NAMESAKE_IDS,
    NO_TEXT_ID,
    OLD_STYLE_ID,
    RETRACTED_ID,
    SHORT_TEXT_ID,
    SICI_DOI,
    TWIN_IDS,
    TWIN_TITLE,
    papers,
)

QUILLFISH_ID = "1905.90001"
ANY = BenchmarkFilters()


async def test_capabilities_name_the_content(backend: CatalogBackend) -> None:
    capabilities = backend.capabilities()
    assert (capabilities.kind, capabilities.has_vectors, capabilities.as_of) == ("file", True, AS_OF)
    assert capabilities.counts["papers"] == len(papers())
    assert len(capabilities.content_id or "") == 64
    await backend.ping()


async def test_a_record_is_whole(backend: CatalogBackend) -> None:
    record = await backend.paper(QUILLFISH_ID)
    assert (record.row.title, record.row.slug, record.row.published) == (
        "QUILLFISH: Writing Networks Under Water",
        "quillfish",
        "2019-05-01",
    )
    assert (record.row.citation_count, record.row.has_official_implementation) == (900, True)
    assert record.row.code_repository_count == 12
    assert record.authors == record.row.authors == (NAMESAKE, "Bo Härön", "Cy Moth")
    assert record.abstract == "A network that writes. It is significant (P<0.001) and naïve; see 灯籠."
    assert [task.name for task in record.tasks] == [BUSY_TASK, "Reading Comprehension"]
    assert [method.name for method in record.methods] == ["QuillNet"]
    assert [each.name for each in record.organizations] == ["Lighthouse Institute"]
    assert record.conference is not None
    assert (record.conference.name, record.conference.slug) == ("Fog and Harbour", "fog-2021")
    assert record.repositories[0] == Repository("https://example.org/code/5", True, "framework-0")
    assert [each.url[-2:] for each in record.repositories[1:]] == [
        f"/{n}" if n < 10 else str(n) for n in range(12) if n != 5
    ]
    assert record.project_pages == ("https://example.org/quillfish",)
    assert record.hf_models == tuple(f"quill/model-{number}" for number in range(7))
    assert (record.hf_datasets, record.hf_spaces) == (("quill/ink",), ("quill/desk",))
    assert (record.row.url_abs, record.url_pdf) == (
        "https://example.org/quillfish/abs",
        "https://example.org/quillfish.pdf",
    )
    assert ("arxiv", QUILLFISH_ID) in record.identifiers
    assert (record.source, record.has_markdown) == ("arxiv", False)


async def test_lineage_is_ordered_by_date_with_missing_ones_last(backend: CatalogBackend) -> None:
    record = await backend.paper(QUILLFISH_ID)
    assert [each.reference for each in record.predecessors] == [OLD_STYLE_ID, EXTERNAL_ID]
    assert len(record.successors) == 61
    published = [each.published or "9999" for each in record.successors]
    assert published == sorted(published)


async def test_a_paper_is_found_by_canonical_and_by_catalog_id(backend: CatalogBackend) -> None:
    record = await backend.paper(OLD_STYLE_ID)
    assert (record.row.canonical_id, record.row.published) == (OLD_STYLE_ID, "2003-09")
    assert await backend.paper(record.row.id) == record
    assert await backend.paper("math/0309136") == record
    external = await backend.paper(EXTERNAL_ID)
    assert (external.row.id, external.row.canonical_id, external.row.arxiv_id, external.source) == (
        EXTERNAL_ID,
        EXTERNAL_ID,
        None,
        "external",
    )
    assert (await backend.paper(RETRACTED_ID)).is_retracted is True
    assert record.is_retracted is None
    assert len((await backend.paper(MANY_AUTHORS_ID)).authors) == 1300


@pytest.mark.parametrize("unknown", ["1", "2401.00000", "9" * 20, "0" + EXTERNAL_ID, "", "hep-th/9901001", "٣"])
async def test_an_unknown_id_is_not_found(backend: CatalogBackend, unknown: str) -> None:
    with pytest.raises(NotFound):
        await backend.paper(unknown)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("arXiv:1905.90001v3", "QUILLFISH: Writing Networks Under Water"),
        ("https://arxiv.org/abs/math/0309136v1", "Knots in Old Ropes"),
        (DOI_TEXT_DOI.upper(), "Harbour Notes"),
        (f"https://doi.org/{SICI_DOI}", "Nerve Fibres of the Harbour Seal"),
        ("PMID:8923456", "Nerve Fibres of the Harbour Seal"),
        ("PMC3531190", "Nerve Fibres of the Harbour Seal"),
        ("W2741809807", "Nerve Fibres of the Harbour Seal"),
        ("a" * 40, "Nerve Fibres of the Harbour Seal"),
        (EXTERNAL_ID, "Held Nowhere Else"),
        ("https://paperswithcode.com/paper/quillfish", "QUILLFISH: Writing Networks Under Water"),
    ],
)
async def test_every_kind_of_identifier_finds_its_paper(backend: CatalogBackend, text: str, title: str) -> None:
    row = await backend.find(parse(text, titles=False, bare_digits="catalog"))
    assert row is not None
    assert row == (await backend.paper(row.canonical_id)).row
    assert row.title == title


@pytest.mark.parametrize(
    "text", ["10.1234/nothing", "PMID:1", "W1234567", "2401.00000", "7", "paperswithcode.com/paper/no"]
)
async def test_an_unknown_identifier_finds_nothing(backend: CatalogBackend, text: str) -> None:
    assert await backend.find(parse(text, titles=False, bare_digits="catalog")) is None


# catalog A24, A28, A29, A30
@pytest.mark.parametrize(
    ("text", "level", "ids"),
    [
        (TWIN_TITLE, MatchLevel.TITLE, list(TWIN_IDS)),
        ("  the ART of\tmeasuring fog ", MatchLevel.TITLE, list(TWIN_IDS)),
        ("Slow-Wave Attention - Dont Blink", MatchLevel.NORMALIZED_TITLE, ["2404.90007"]),
        (DASH_TITLE, MatchLevel.TITLE, ["2404.90007"]),
        ("QuillFish", MatchLevel.SHORT_NAME, [QUILLFISH_ID]),
        ("Heron", MatchLevel.TITLE, ["2404.90003"]),
        ("QUILLv7", MatchLevel.TITLE, ["2404.90005"]),
        ("Bramble", MatchLevel.SHORT_NAME, ["2404.90001", "2404.90002"]),
    ],
)
async def test_titles_match_on_the_first_level_with_a_hit(
    backend: CatalogBackend, text: str, level: MatchLevel, ids: list[str]
) -> None:
    found = await backend.find_titles(text)
    assert found.level is level
    # Equal dates are told apart by catalog id, which says nothing about the arXiv id.
    assert sorted(row.canonical_id for row in found.rows) == ids
    days = [(row.published or "", -int(row.id)) for row in found.rows]
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize("text", ["A Title of No Paper", "???", "QUILLFISH: Writing", ""])
async def test_a_text_that_is_no_title_matches_nothing(backend: CatalogBackend, text: str) -> None:
    assert await backend.find_titles(text) == TitleMatches(None, ())


async def test_near_titles_forgive_a_wrong_letter_and_come_best_first(backend: CatalogBackend) -> None:
    near = await backend.near_titles("Knotts in Old Rope", 3)
    assert near[0].canonical_id == OLD_STYLE_ID
    assert len(await backend.near_titles("lantern tracking", 3)) == 3
    assert await backend.near_titles("zzzzzz qqqqqq", 3) == ()


# catalog A34
@pytest.mark.parametrize(
    ("kind", "text", "level", "names"),
    [
        (EntityKind.TASK, "lantern-tracking", MatchLevel.SLUG, [BUSY_TASK]),
        (EntityKind.TASK, " LANTERN  tracking ", MatchLevel.NAME, [BUSY_TASK]),
        (EntityKind.TASK, "Lantern: Tracking!", MatchLevel.FOLDED, [BUSY_TASK]),
        (EntityKind.TASK, "lt", MatchLevel.ALIAS, [BUSY_TASK]),
        (EntityKind.TASK, AMBIGUOUS_TASK, MatchLevel.NAME, [AMBIGUOUS_TASK, AMBIGUOUS_TASK]),
        (EntityKind.TASK, AMBIGUOUS_TASK_IDS[1], MatchLevel.ID, [AMBIGUOUS_TASK]),
        (EntityKind.METHOD, "quill network", MatchLevel.FULL_NAME, ["QuillNet"]),
        (EntityKind.METHOD, "self heron attention", MatchLevel.FOLDED, ["Self\u2011Heron Attention"]),
        (EntityKind.METHOD, "tide", MatchLevel.SLUG, ["TIDE"]),
        (EntityKind.METHOD, "Tidal Decoder", MatchLevel.FULL_NAME, ["TIDE"]),
        (EntityKind.CONFERENCE, "Fog and Harbour", MatchLevel.NAME, ["Fog and Harbour"] * 3),
        (EntityKind.CONFERENCE, "FOG-2022", MatchLevel.SLUG, ["Fog and Harbour"]),
        (EntityKind.AREA, "computer vision", MatchLevel.NAME, ["Computer Vision"]),
        (EntityKind.BENCHMARK, NUMBER_BENCHMARK, MatchLevel.SLUG, [NUMBER_BENCHMARK]),
        (EntityKind.BENCHMARK, "Lantern-RC", MatchLevel.ALIAS, [BIG_BENCHMARK]),
    ],
)
async def test_names_match_on_the_first_level_with_a_hit(
    backend: CatalogBackend, kind: EntityKind, text: str, level: MatchLevel, names: list[str]
) -> None:
    found = await backend.find_entity(kind, text)
    if kind is EntityKind.AREA:  # an area's slug folds as its name does
        assert found.level in (MatchLevel.SLUG, level)
    else:
        assert found.level is level
    assert [entity.name for entity in found.entities] == names
    assert {entity.kind for entity in found.entities} == {kind}
    assert len({entity.id for entity in found.entities}) == len(names)
    if len(names) > 1:
        assert len({entity.note for entity in found.entities}) == len(names), "a note tells equal names apart"


# catalog A46
async def test_an_unknown_name_matches_nothing_and_has_near_ones(backend: CatalogBackend) -> None:
    found = await backend.find_entity(EntityKind.TASK, "Speach Recogniton")
    assert (found.level, found.entities) == (None, ())
    near = await backend.near_entities(EntityKind.TASK, "Speach Recogniton", 3)
    assert near[0].name == "Speech Recognition"
    assert len(near) <= 3
    assert (await backend.find_entity(EntityKind.TASK, "  ")).entities == ()
    assert await backend.near_entities(EntityKind.TASK, "", 3) == ()
    by_full_name = await backend.near_entities(EntityKind.METHOD, "tidal image encodr", 1)
    assert [entity.name for entity in by_full_name] == ["TIDE"]


@pytest.mark.parametrize("kind", EntityKind)
async def test_entities_come_by_name_then_id(backend: CatalogBackend, kind: EntityKind) -> None:
    entities = await backend.entities(kind)
    assert entities
    assert list(entities) == sorted(entities, key=lambda each: (plain_fold(each.name), each.name, int(each.id)))


# catalog A45
async def test_authors_are_found_by_name_id_and_user_name(backend: CatalogBackend) -> None:
    namesakes = await backend.find_authors(NAMESAKE.upper())
    assert [int(author.id) for author in namesakes] == sorted(int(author.id) for author in namesakes)
    assert set(NAMESAKE_IDS) <= {author.id for author in namesakes}
    by_user = await backend.find_authors("@adaQ")
    assert [(author.id, author.name, author.hf_username) for author in by_user] == [(NAMESAKE_IDS[0], NAMESAKE, "AdaQ")]
    assert await backend.find_authors(NAMESAKE_IDS[0]) == by_user
    for unknown in ("Nobody Here", "@nobody", "1", ""):
        assert await backend.find_authors(unknown) == ()


async def test_near_authors_forgive_a_wrong_letter(backend: CatalogBackend) -> None:
    near = await backend.near_authors("Ada Quil", 2)
    assert {author.name for author in near} == {NAMESAKE}
    assert len(near) == 2
    assert (await backend.near_authors("Crowd Membr 0007", 1))[0].name == "Crowd Member 0007"
    assert await backend.near_authors("zzzzzz", 3) == ()


async def test_texts_that_cannot_be_stored_match_nothing(backend: CatalogBackend) -> None:
    for odd in ("\ud800", "@\udfff", "x\x00y", "\ud83c lantern \udfee", "\U0010ffff" * 400):
        assert (await backend.find_titles(odd)).rows == ()
        assert (await backend.find_entity(EntityKind.TASK, odd)).entities == ()
        assert await backend.find_authors(odd) == ()
        assert await backend.near_entities(EntityKind.TASK, odd.replace("lantern", ""), 3) == ()
        with pytest.raises(NotFound):
            await backend.paper(odd)


async def benchmark_id(backend: CatalogBackend, name: str) -> str:
    (entity,) = (await backend.find_entity(EntityKind.BENCHMARK, name)).entities
    return entity.id


async def test_a_leaderboard_pages_through_its_raw_rows_by_rank(backend: CatalogBackend) -> None:
    board = await benchmark_id(backend, BIG_BENCHMARK)
    whole = await backend.leaderboard(board, 1, 5000)
    assert whole.count == len(whole.rows) == BIG_BENCHMARK_ROWS
    pages = [await backend.leaderboard(board, page, 50) for page in (1, 2, 3, 4)]
    assert [page.count for page in pages] == [BIG_BENCHMARK_ROWS] * 4
    assert tuple(row for page in pages for row in page.rows) == whole.rows
    ranks = [(row.best_rank is None, row.best_rank or 0, int(row.id)) for row in whole.rows]
    assert ranks == sorted(ranks)
    assert {row.benchmark.name for row in whole.rows} == {BIG_BENCHMARK}
    assert {row.is_open for row in whole.rows} == {True, False, None}


async def test_an_evaluation_row_is_whole(backend: CatalogBackend) -> None:
    board = await benchmark_id(backend, "Wide Board")
    row = (await backend.leaderboard(board, 1, 1)).rows[0]
    assert row == EvaluationRow(
        id=row.id,
        benchmark=Link(board, "Wide Board", "wide-board"),
        task=row.task,
        model_name=("Wide Load " + "and wider " * 25).strip(),
        metrics={f"Metric {number:02}": number + 0.5 for number in range(25)},
        paper_id=row.paper_id,
        paper_title=("Long " + "and longer " * 60).strip(),
        paper_arxiv_id="2403.90002",
        paper_published="2024-03-02",
        best_metric=row.best_metric,
        best_rank=1,
        methodology=row.methodology,
        source_url=row.source_url,
        code_url="https://example.org/code/wide",
        hf_model_url="https://huggingface.co/example/wide",
        updated_at="2025-01-02",
        uses_additional_data=True,
        is_open=row.is_open,
    )
    assert row.task is not None
    assert (row.task.name, row.task.slug) == ("Lantern Tracking, Part 0", "lantern-tracking-part-0")
    assert list(row.metrics) == sorted(row.metrics), "metrics keep the source's order"


async def test_a_row_without_a_known_paper_keeps_its_title(backend: CatalogBackend) -> None:
    rows = (await backend.leaderboard(await benchmark_id(backend, BIG_BENCHMARK), 1, 500)).rows
    (stray,) = [row for row in rows if row.model_name == "Stray"]
    assert (stray.paper_id, stray.paper_title, stray.metrics) == (
        None,
        "A Paper Held Nowhere",
        {"Accuracy": "n/a", "F1": "1,234.5"},
    )


async def test_an_unknown_benchmark_or_paper_has_no_rows(backend: CatalogBackend) -> None:
    for unknown in ("1", "no-id", "9" * 20):
        assert await backend.leaderboard(unknown, 1, 10) == EvaluationRows((), 0)
        assert await backend.evaluations_of_paper(unknown, 1, 10) == EvaluationRows((), 0)
        with pytest.raises(NotFound):
            await backend.benchmark(unknown)


async def test_results_of_a_paper_come_from_the_best_covered_benchmark_first(backend: CatalogBackend) -> None:
    (paper,) = (await backend.find_titles("Sparse Lantern Tracking No. 0")).rows
    whole = await backend.evaluations_of_paper(paper.canonical_id, 1, 1000)
    assert whole == await backend.evaluations_of_paper(paper.id, 1, 1000)
    assert whole.count == len(whole.rows) > 3
    pages = [await backend.evaluations_of_paper(paper.id, page, 2) for page in range(1, whole.count // 2 + 2)]
    assert tuple(row for page in pages for row in page.rows) == whole.rows
    papers_of = {
        board: (await backend.benchmark(board)).paper_count or 0 for board in {row.benchmark.id for row in whole.rows}
    }
    keys = [(-papers_of[row.benchmark.id], int(row.id)) for row in whole.rows]
    assert keys == sorted(keys)
    assert {row.paper_id for row in whole.rows} == {paper.id}


async def test_a_benchmark_tells_its_metrics_and_counts(backend: CatalogBackend) -> None:
    board = await backend.benchmark(await benchmark_id(backend, BIG_BENCHMARK))
    assert (board.name, board.full_name) == (BIG_BENCHMARK, "Lantern Reading Comprehension Suite")
    assert board.metrics[:3] == ("Accuracy", "F1", "Params (M)")
    assert board.metric_directions == {"Accuracy": "higher"}
    assert (board.evaluation_count, board.paper_count) == (BIG_BENCHMARK_ROWS, 60)
    assert board.hf_url == "https://huggingface.co/datasets/example/lantern-reading"
    assert (await backend.benchmark(await benchmark_id(backend, SPELLING_BENCHMARK))).metrics == (
        "WER",
        "wer",
        "Acc, top=1:x",
        "Frobnication",
    )


async def all_benchmarks(
    backend: CatalogBackend,
    filters: BenchmarkFilters = ANY,
    order: BenchmarkOrder = BenchmarkOrder.NAME,
    direction: Direction = Direction.ASC,
) -> list[Benchmark]:
    rows: list[Benchmark] = []
    while True:
        page = await backend.benchmarks(filters, order, direction, len(rows) // 25 + 1, 25)
        rows += page.rows
        if not page.rows or len(rows) % 25:
            assert page.count == len(rows) == len({row.id for row in rows})
            return rows


# catalog A52
async def test_all_benchmarks_of_a_busy_task_are_reached(backend: CatalogBackend) -> None:
    (task,) = (await backend.find_entity(EntityKind.TASK, BUSY_TASK)).entities
    boards = await all_benchmarks(backend, BenchmarkFilters(task_id=task.id))
    assert [board.name for board in boards] == [f"LanternTrack {number:02}" for number in range(BUSY_TASK_BENCHMARKS)]
    with_children = await all_benchmarks(backend, BenchmarkFilters(task_id=task.id, include_descendants=True))
    assert {board.name for board in with_children} - {board.name for board in boards} == {"Dusk Board", "Wide Board"}


@pytest.mark.parametrize("order", BenchmarkOrder)
@pytest.mark.parametrize("direction", Direction)
async def test_benchmarks_are_in_order_with_missing_values_last(
    backend: CatalogBackend, order: BenchmarkOrder, direction: Direction
) -> None:
    boards = await all_benchmarks(backend, ANY, order, direction)
    assert len(boards) == backend.capabilities().counts["benchmarks"]
    by_name = sorted(boards, key=lambda each: (plain_fold(each.name), each.name, int(each.id)))
    match order:
        case BenchmarkOrder.NAME:
            keys = {each.id: (plain_fold(each.name), each.name) for each in boards}
        case BenchmarkOrder.FULL_NAME:
            keys = {each.id: (plain_fold(each.full_name),) for each in boards if each.full_name}
        case BenchmarkOrder.PAPER_COUNT:
            keys = {each.id: (f"{each.paper_count:06}",) for each in boards}
        case BenchmarkOrder.CREATED_AT:
            assert [board.name for board in boards[-8:]] == [each.name for each in by_name if each in boards[-8:]]
            return
        case BenchmarkOrder.TRENDING:
            recent = [each.recent_paper_count or 0 for each in boards]
            assert recent == sorted(recent, reverse=True)
            assert boards == await all_benchmarks(backend, ANY, order)
            return
    known = sorted((each for each in by_name if each.id in keys), key=lambda each: keys[each.id])
    if direction is Direction.DESC:
        known = sorted((each for each in by_name if each.id in keys), key=lambda each: keys[each.id], reverse=True)
    assert boards == known + [each for each in by_name if each.id not in keys]


async def test_benchmark_filters_all_hold(backend: CatalogBackend) -> None:
    (vision,) = (await backend.find_entity(EntityKind.AREA, "Computer Vision")).entities
    (speech,) = (await backend.find_entity(EntityKind.AREA, "Speech")).entities
    assert {each.name for each in await all_benchmarks(backend, BenchmarkFilters(area_id=speech.id))} == {
        SPELLING_BENCHMARK,
        "Backwards Board",
        "Twin Board",
    }
    (task,) = (await backend.find_entity(EntityKind.TASK, BUSY_TASK)).entities
    assert await all_benchmarks(backend, BenchmarkFilters(area_id=speech.id, task_id=task.id)) == []
    several = BenchmarkFilters(
        area_id=vision.id, task_id=task.id, search="lantern", minimum_evaluations=3, is_open=True
    )
    found = await all_benchmarks(backend, several)
    assert [each.name for each in found] == [f"LanternTrack {number:02}" for number in range(2, 60, 6)]
    closed = await all_benchmarks(backend, BenchmarkFilters(is_open=False, search="lanterntrack"))
    assert [each.name for each in closed] == [f"LanternTrack {number:02}" for number in range(1, 60, 2)]
    assert {each.name for each in await all_benchmarks(backend, BenchmarkFilters(search="suite lantern"))} == {
        BIG_BENCHMARK
    }
    assert await all_benchmarks(backend, BenchmarkFilters(search="—")) == []
    assert {each.name for each in await all_benchmarks(backend, BenchmarkFilters(minimum_evaluations=100))} == {
        BIG_BENCHMARK
    }


async def test_grouped_benchmarks_show_the_first_of_each_task_under_its_area(backend: CatalogBackend) -> None:
    groups = await backend.grouped_benchmarks(ANY, BenchmarkOrder.TRENDING, Direction.ASC, 3)
    names = [group.area.name for group in groups]
    assert names == [*sorted(names[:-1]), NO_AREA.name]
    assert [(task.name, [each.name for each in task.benchmarks]) for task in groups[-1].tasks] == [
        ("Überraschung—未分類", ["Empty Board"])
    ]
    (vision,) = [group for group in groups if group.area.name == "Computer Vision"]
    task_names = [task.name for task in vision.tasks]
    assert task_names == sorted(task_names, key=plain_fold)
    (busy,) = [task for task in vision.tasks if task.name == BUSY_TASK]
    assert (len(busy.benchmarks), busy.slug) == (3, "lantern-tracking")
    trend = await all_benchmarks(backend, BenchmarkFilters(task_id=busy.id), BenchmarkOrder.TRENDING)
    assert list(busy.benchmarks) == trend[:3]
    twice = [
        task.name for group in groups for task in group.tasks for each in task.benchmarks if each.name == BIG_BENCHMARK
    ]
    assert sorted(twice) == ["Question Answering", "Reading Comprehension"]


# catalog A51
async def test_grouped_benchmarks_honour_every_filter(backend: CatalogBackend) -> None:
    filters = BenchmarkFilters(search="board", minimum_evaluations=1, is_open=None)
    groups = await backend.grouped_benchmarks(filters, BenchmarkOrder.NAME, Direction.ASC, 10)
    grouped = {each.id for group in groups for task in group.tasks for each in task.benchmarks}
    assert grouped == {each.id for each in await all_benchmarks(backend, filters)}
    assert NO_AREA.name not in {group.area.name for group in groups}


async def read_all(backend: CatalogBackend, paper_id: str, limit: int) -> tuple[bytes, list[int]]:
    body, sizes, offset, version = b"", [], 0, None
    while offset is not None:
        chunk = await backend.read(paper_id, offset, limit, version)
        assert (chunk.offset, version in (None, chunk.version)) == (offset, True)
        assert chunk.total_bytes is not None
        chunk.body.decode()
        body += chunk.body
        sizes.append(len(chunk.body))
        offset, version = chunk.next_offset, chunk.version
    assert len(body) == chunk.total_bytes
    assert hashlib.sha256(body).hexdigest() == version
    return body, sizes


# catalog A69
@pytest.mark.parametrize("limit", [1024, 32768, 65536])
async def test_chunks_join_to_the_stored_bytes(backend: CatalogBackend, limit: int) -> None:
    body, sizes = await read_all(backend, LONG_TEXT_ID, limit)
    assert body == long_text().encode()
    assert max(sizes) <= limit
    assert min(sizes) > 0


async def test_a_short_text_is_one_chunk_and_line_ends_are_one_byte(backend: CatalogBackend) -> None:
    assert await read_all(backend, SHORT_TEXT_ID, 32768) == (
        short_text().encode(),
        [len(short_text().encode())],
    )
    assert (await read_all(backend, CRLF_TEXT_ID, 1024))[0] == b"# Lines\n\nfrom elsewhere\n"
    assert (await read_all(backend, OLD_STYLE_ID, 65536))[0].startswith(b"# Knots\n")


# catalog A71
async def test_the_first_chunk_ends_after_a_blank_line(backend: CatalogBackend) -> None:
    chunk = await backend.read(OLD_STYLE_ID, 0, 32768, None)
    assert 16384 < len(chunk.body) <= 32768
    assert chunk.body.endswith(b"\n\n")
    assert (chunk.paper_id, chunk.title) == (OLD_STYLE_ID, "Knots in Old Ropes")


async def test_reading_at_the_end_gives_nothing_and_outside_is_refused(backend: CatalogBackend) -> None:
    size = len(short_text().encode())
    end = await backend.read(SHORT_TEXT_ID, size, 10, None)
    assert (end.body, end.next_offset, end.total_bytes) == (b"", None, size)
    inside = short_text().encode().index("é".encode()) + 1
    for offset, limit in ((size + 1, 10), (-1, 10), (inside, 10), (0, 0), (0, -5), (inside - 1, 1)):
        with pytest.raises(InvalidInput):
            await backend.read(SHORT_TEXT_ID, offset, limit, None)


# catalog A78
async def test_what_cannot_be_read_says_why(backend: CatalogBackend) -> None:
    with pytest.raises(NoFullText):
        await backend.read(NO_TEXT_ID, 0, 1024, None)
    with pytest.raises(NotFound):
        await backend.read("2401.00000", 0, 1024, None)
    with pytest.raises(ContentChanged):
        await backend.read(SHORT_TEXT_ID, 0, 1024, "0" * 64)


async def test_dates_are_as_precise_as_known(backend: CatalogBackend) -> None:
    published = {key: (await backend.paper(key)).row.published for key in (OLD_STYLE_ID, EXTERNAL_ID, NO_TEXT_ID)}
    assert published == {OLD_STYLE_ID: "2003-09", EXTERNAL_ID: "2019", NO_TEXT_ID: "2024"}
    assert date.fromisoformat((await backend.paper(QUILLFISH_ID)).row.published or "").year == 2019
