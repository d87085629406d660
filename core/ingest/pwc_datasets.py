"""Archive file datasets: one dataset a row, which enriches the benchmark of its name."""

from core.catalog.models import EntityKind
from core.errors import InvalidInput
from core.ingest import fields
from core.ingest.facts import natural_key
from core.ingest.fields import Row, known
from core.ingest.pwc_papers import date_of
from core.ingest.staging import Input


def read_dataset(row: Row, sink: Input, number: int) -> None:
    """Stages one dataset; whether its variants are aliases is decided when all benchmarks are known."""
    label = fields.name(row, "name")
    if label is None:
        raise InvalidInput("no name")
    tasks = [fields.name(task, "task") for task in fields.objects(row, "tasks")]
    facts = known(
        name=label,
        full_name=fields.name(row, "full_name"),
        description=fields.prose(row, "description") or fields.prose(row, "short_description"),
        hf_url=_hub_url(row),
        created_at=date_of(row, "introduced_date", sink),
        variants=fields.names(row, "variants"),
        tasks=[sink.mention(EntityKind.TASK, task) for task in tasks if task],
        is_dataset=True,
    )
    sink.entity(EntityKind.BENCHMARK, natural_key(EntityKind.BENCHMARK, label), facts, line=number)


def _hub_url(row: Row) -> str | None:
    addresses = [fields.url(row, "homepage")]
    addresses += [fields.url(loader, "url") for loader in fields.objects(row, "data_loaders")]
    for address in addresses:
        if address and address.partition("://")[2].startswith(("huggingface.co/datasets/", "hf.co/datasets/")):
            return address
    return None
