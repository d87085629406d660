"""A scan's requests in time: never more than its share under way, and the groups' gaps between them."""

from itertools import pairwise
from typing import Any

from tests.core.scan.searching.desk import ARXIV, OPENALEX, S2, arxiv, literature_of, openalex, query, s2
from tests.source_world import Asked


# scan A76
async def test_gaps_between_requests_of_one_source_hold() -> None:
    async with literature_of(("openalex", "s2", "arxiv")) as on:
        starts: dict[str, list[float]] = {OPENALEX: [], f"{S2}/search": [], ARXIV: []}

        def timed(asked: Asked) -> Any:
            place = f"{asked.host}{asked.path}"
            starts[place].append(on.desk.time.clock.monotonic_s())
            return {OPENALEX: openalex(), f"{S2}/search": s2(), ARXIV: arxiv()}[place]

        on.world.otherwise = timed
        await on.retrieve(*(query(f"Q{number}", f"w{number}") for number in range(4)))
        least_s = {OPENALEX: 0.2, f"{S2}/search": 3.0, ARXIV: 3.0}
        for place, times in starts.items():
            gaps = [after - before for before, after in pairwise(times)]
            assert len(gaps) == 3
            assert min(gaps) >= least_s[place] - 0.01
