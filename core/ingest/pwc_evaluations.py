"""Archive file evaluation-tables: tasks with datasets with tables of results, all recursive.

A result that carries an identifier of its paper (arXiv id, DOI, OpenReview id, ACL Anthology address, site address) and
the paper's title also stages a minimal record of that paper, in the lowest precedence: title, identifiers, date and
the task of the table. So a catalog built from tables alone has its papers. A result with a title only keeps the title;
it is linked later if exactly one paper of the archive's files has that title.
"""

from dataclasses import dataclass
from typing import Any

from core.catalog.models import EntityKind, MetricValue
from core.errors import InvalidInput
from core.ingest import fields
from core.ingest.facts import EvaluationFacts, PaperFacts, PaperRef, Precedence
from core.ingest.fields import Row, known
from core.ingest.identity import Identity, first_url, folded_url, is_site_url
from core.ingest.parameters import parameters_of
from core.ingest.pwc_papers import date_of, site_slug
from core.ingest.report import FileReport
from core.ingest.staging import Input

NO_MODEL = "neither a model name nor a paper title"
NO_METRIC = "no metric value"
_NOTHING = frozenset("-–—−*")


@dataclass(frozen=True, slots=True)
class _Table:
    """Where results stand: `label` leads to it in the file."""

    benchmark: str
    task: str
    label: str


class _Reader:
    """Walks one file's tasks; `line` numbers results in file order."""

    def __init__(self, sink: Input, file: FileReport) -> None:
        self._sink = sink
        self._file = file

    def task(self, row: Row, parent: str | None, label: str) -> None:
        name = fields.name(row, "task")
        if name is None:
            raise InvalidInput("a task without a name")
        label = f"{label} > {name}"
        natural = self._sink.mention(EntityKind.TASK, name)
        areas = [self._sink.mention(EntityKind.AREA, area) for area in fields.names(row, "categories")]
        facts = known(
            name=name,
            description=fields.prose(row, "description"),
            area=areas[0] if areas else None,
            aliases=fields.names(row, "synonyms"),
            parents=[parent] if parent else [],
        )
        self._sink.entity(EntityKind.TASK, natural, facts, line=self._file.read)
        for dataset in fields.items(row, "datasets"):
            self._guarded(label, lambda dataset=dataset: self._dataset(fields.as_row(dataset), None, natural, label))
        for subtask in fields.items(row, "subtasks"):
            self._guarded(label, lambda subtask=subtask: self.task(fields.as_row(subtask), natural, label))

    def _guarded(self, label: str, read: Any) -> None:
        try:
            read()
        except InvalidInput as error:
            self._file.read += 1
            self._file.skip(error.message, label, bad=True)

    def _dataset(self, row: Row, parent: str | None, task: str, label: str) -> None:
        own = fields.name(row, "subdataset") or fields.name(row, "dataset")
        if own is None:
            raise InvalidInput("a dataset without a name")
        name = f"{parent} {own}" if parent else own
        label = f"{label} > {name}"
        natural = self._sink.mention(EntityKind.BENCHMARK, name)
        facts = known(name=name, description=fields.prose(row, "description"), hf_url=_hub_url(row))
        self._sink.entity(EntityKind.BENCHMARK, natural, facts, line=self._file.read)
        table = fields.child(row, "sota") or {}
        metrics = fields.names(table, "metrics")
        results = fields.items(table, "rows")
        if metrics or results:
            self._sink.scope(natural, task, metrics, line=self._file.read)
        for number, result in enumerate(results, start=1):
            self._result(result, _Table(natural, task, label), number)
        for subdataset in fields.items(row, "subdatasets"):
            self._guarded(
                label, lambda subdataset=subdataset: self._dataset(fields.as_row(subdataset), name, task, label)
            )

    def _result(self, result: object, table: _Table, number: int) -> None:
        file = self._file
        file.read += 1
        position = f"{table.label} > row {number}"
        try:
            row = fields.as_row(result)
            paper = _paper(row, self._sink)
            facts = _result_facts(row, paper)
        except InvalidInput as error:
            file.skip(error.message, position, bad=True)
            return
        reason = NO_MODEL if not facts.get("model_name") else NO_METRIC if not facts["metrics"] else None
        if reason is not None:
            # Well-formed and empty: the archive is known to hold such rows, so they are no sign of a broken file.
            file.skip(reason, position, bad=False)
            return
        if paper.identity.idents and paper.title:
            self._sink.paper(paper.identity, paper.minimal(table.task), precedence=Precedence.EVALUATIONS)
        self._sink.evaluation(table.benchmark, table.task, facts, line=file.read)
        file.kept += 1


@dataclass(frozen=True, slots=True)
class _ResultPaper:
    """What a result says of its paper."""

    identity: Identity
    title: str | None
    url: str | None
    date: str | None
    ref: PaperRef

    def minimal(self, task: str) -> PaperFacts:
        facts = PaperFacts(title=self.title or "", tasks=[task])
        if self.identity.slug:
            facts["slug"] = self.identity.slug
        if self.url and not is_site_url(self.url):
            facts["url_abs"] = self.url
        if self.date:
            facts["published"] = self.date
        return facts


def _paper(row: Row, sink: Input) -> _ResultPaper:
    identity = Identity()
    url = fields.url(row, "paper_url")
    written = fields.raw_text(row, "paper_url")
    if url:
        identity.add_url(url)
    elif written and "/paper/" in written and (page := site_slug(written)):
        identity.slug = page
        identity.add("slug", page)
    title = fields.name(row, "paper_title")
    if title and first_url(title):
        title = None
    date = date_of(row, "paper_date", sink)
    idents = list(identity.idents)
    if url and not is_site_url(url) and (folded := folded_url(url)):
        idents.append(("address", folded))
    ref = PaperRef(idents=idents, title=title, set=sink.source_set)
    return _ResultPaper(identity, title, url, date, ref)


def _result_facts(row: Row, paper: _ResultPaper) -> EvaluationFacts:
    metrics = _metrics(row)
    code = [fields.url(link, "url") for link in fields.objects(row, "code_links")]
    models = [fields.url(link, "url") for link in fields.objects(row, "model_links")]
    code_url = next((link for link in code if link), None)
    facts = EvaluationFacts(model_name=fields.name(row, "model_name") or paper.title or "", metrics=metrics)
    facts["paper"] = paper.ref
    facts.update(
        known(
            paper_title=paper.title,
            paper_published=paper.date,
            is_open=True if code_url else None,
            num_parameters=parameters_of(metrics),
            source_url=paper.url if paper.url and not is_site_url(paper.url) else None,
            code_url=code_url,
            hf_model_url=next((link for link in models if link and _is_hub(link)), None),
            uses_additional_data=fields.flag(row, "uses_additional_data"),
        )  # type: ignore[typeddict-item]
    )
    return facts


def _metrics(row: Row) -> dict[str, MetricValue]:
    """The values as the source writes them, less surrounding blanks; empty ones and lone dashes are no values."""
    metrics: dict[str, MetricValue] = {}
    for name, value in (fields.child(row, "metrics") or {}).items():
        cleaned_name = fields.name({"metric": name}, "metric")
        if isinstance(value, str):
            value = fields.name({"value": value.replace("\ufeff", "")}, "value")
        if cleaned_name is None or value is None or (isinstance(value, str) and set(value) <= _NOTHING):
            continue
        if not isinstance(value, str) and not fields.is_number(value):
            raise InvalidInput("a metric value is neither number nor text")
        metrics[cleaned_name] = value
    return metrics


def _is_hub(link: str) -> bool:
    return (folded_url(link) or "").partition("/")[0] in {"huggingface.co", "hf.co"}


def _hub_url(row: Row) -> str | None:
    links = [fields.url(link, "url") for link in fields.objects(row, "dataset_links")]
    return next((link for link in links if link and _is_hub(link)), None)


def read_task(row: Row, sink: Input, file: FileReport, label: str) -> None:
    """Stages one task with all that hangs below it; every result counts as a row of the file."""
    reader = _Reader(sink, file)
    try:
        reader.task(row, None, label)
    except InvalidInput as error:
        file.read += 1
        file.skip(error.message, label, bad=True)
    except RecursionError:
        file.read += 1
        file.skip("tasks nested too deeply", label, bad=True)
