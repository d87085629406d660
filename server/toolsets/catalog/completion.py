"""What the arguments of prompts and the variables of resource templates complete with."""

from core.catalog.models import EntityKind
from core.catalog.service import Catalog
from server.registry import Completion


async def task_names(services: Catalog, typed: str) -> Completion:
    """Names of tasks, for prompts."""
    values, total = await services.completion.names(EntityKind.TASK, typed)
    return Completion(tuple(values), total)


async def task_slugs(services: Catalog, typed: str) -> Completion:
    """Slugs of tasks, for addresses."""
    values, total = await services.completion.slugs(EntityKind.TASK, typed)
    return Completion(tuple(values), total)


async def benchmark_names(services: Catalog, typed: str) -> Completion:
    """Names of benchmarks, for prompts."""
    values, total = await services.completion.names(EntityKind.BENCHMARK, typed)
    return Completion(tuple(values), total)


async def benchmark_slugs(services: Catalog, typed: str) -> Completion:
    """Slugs of benchmarks, for addresses."""
    values, total = await services.completion.slugs(EntityKind.BENCHMARK, typed)
    return Completion(tuple(values), total)
