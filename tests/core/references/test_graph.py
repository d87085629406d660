"""The walk over references: order, bounds, what is left out and what could not be read."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SourceUnreachable
from core.references.graph import CitingWork, Graph, GraphBounds, walk

pytestmark = pytest.mark.anyio


class Library:
    """Works by id; batches with an id of `failing` are not answered."""

    def __init__(self, references: Mapping[str, Sequence[str]], failing: Sequence[str] = ()) -> None:
        self._works = {id: CitingWork(id, tuple(cited), title=f"title of {id}") for id, cited in references.items()}
        self._failing = frozenset(failing)
        self.batches: list[tuple[str, ...]] = []

    async def fetch(self, ids: Sequence[str]) -> Mapping[str, CitingWork]:
        self.batches.append(tuple(ids))
        if self._failing & set(ids):
            raise SourceUnreachable("The source is down. Try again later.", source="openalex")
        return {id: self._works[id] for id in ids if id in self._works}

    async def walk(self, seed: str, bounds: GraphBounds | None = None) -> Graph:
        return await walk(self._works[seed], bounds or GraphBounds(), self.fetch)


def ids(graph: Graph) -> list[tuple[str, int]]:
    return [(node.id, node.depth) for node in graph.nodes]


def fan(count: int, prefix: str = "W") -> list[str]:
    return [f"{prefix}{n}" for n in range(count)]


def test_what_is_above_a_ceiling_acts_as_the_ceiling() -> None:
    # references A83
    assert GraphBounds(4, 500, 50) == GraphBounds(3, 100, 20) == GraphBounds()
    assert GraphBounds(0, 0, 0) == GraphBounds(depth=0, total=0, per_paper=0)


async def test_nodes_and_edges_come_as_they_are_discovered() -> None:
    library = Library({"S": ["A", "B"], "A": ["C"], "B": ["C", "D"], "C": [], "D": []})
    graph = await library.walk("S")
    assert ids(graph) == [("S", 0), ("A", 1), ("B", 1), ("C", 2), ("D", 2)]
    assert graph.edges == (("S", "A"), ("S", "B"), ("A", "C"), ("B", "C"), ("B", "D"))
    assert [node.work and node.work.title for node in graph.nodes] == [f"title of {id}" for id in "SABCD"]
    assert (graph.truncated, graph.failures) == (False, ())
    assert library.batches == [("A", "B"), ("C", "D")]


@pytest.mark.parametrize("bounds", [GraphBounds(depth=0), GraphBounds(total=0), GraphBounds(per_paper=0)])
@pytest.mark.parametrize(("references", "truncated"), [([], False), (["A"], True)])
async def test_a_bound_of_zero_gives_the_seed_alone(
    bounds: GraphBounds, references: list[str], truncated: bool
) -> None:
    # references A83
    library = Library({"S": references, "A": []})
    graph = await library.walk("S", bounds)
    assert (ids(graph), graph.edges, graph.truncated) == ([("S", 0)], (), truncated)
    assert library.batches == []


@pytest.mark.parametrize(("leaf", "truncated"), [([], False), (["B"], True)])
async def test_nodes_at_the_depth_are_described_and_their_references_left_out(leaf: list[str], truncated: bool) -> None:
    # references A83
    library = Library({"S": ["A"], "A": leaf, "B": []})
    graph = await library.walk("S", GraphBounds(depth=1))
    assert (ids(graph), graph.truncated) == ([("S", 0), ("A", 1)], truncated)
    assert graph.nodes[1].work == CitingWork("A", tuple(leaf), title="title of A")


async def test_references_beyond_those_of_one_paper_are_left_out() -> None:
    # references A83
    library = Library({"S": ["A", "A", "B", "A", "C"], "A": [], "B": [], "C": []})
    graph = await library.walk("S", GraphBounds(per_paper=2))
    assert (ids(graph), graph.truncated) == ([("S", 0), ("A", 1), ("B", 1)], True)
    # Distinct ones count.
    assert (await library.walk("S", GraphBounds(per_paper=3))).truncated is False


async def test_nodes_beyond_the_total_are_left_out_and_edges_to_known_ones_stay() -> None:
    library = Library({"S": ["A", "B", "C"], "A": ["C", "S", "B"], "B": [], "C": []})
    graph = await library.walk("S", GraphBounds(total=3))
    assert ids(graph) == [("S", 0), ("A", 1), ("B", 1)]
    assert graph.edges == (("S", "A"), ("S", "B"), ("A", "S"), ("A", "B"))
    assert graph.truncated is True


async def test_cycles_and_repeated_references_add_nothing_twice() -> None:
    # references A84
    library = Library({"S": ["A", "A", "S"], "A": ["S", "A", "S"]})
    graph = await library.walk("S")
    assert ids(graph) == [("S", 0), ("A", 1)]
    assert graph.edges == (("S", "A"), ("S", "S"), ("A", "S"), ("A", "A"))
    assert graph.truncated is False


async def test_an_id_that_the_source_does_not_return_is_a_node_without_a_description() -> None:
    # references A84
    graph = await Library({"S": ["A", "gone"], "A": []}).walk("S")
    assert ids(graph) == [("S", 0), ("A", 1), ("gone", 1)]
    assert graph.nodes[2].work is None
    assert (graph.truncated, graph.failures) == (True, ())


async def test_a_failed_batch_is_told_and_leaves_the_others_alone() -> None:
    # references A84
    first, second = fan(20, "A"), fan(20, "B")
    third = fan(20, "C")
    library = Library({"S": [*first], **dict.fromkeys([*first, *second, *third], ())}, failing=["A19"])
    graph = await library.walk("S")
    assert [failure.source for failure in graph.failures] == ["openalex"]
    assert (len(graph.nodes), graph.truncated) == (21, True)
    assert {node.work for node in graph.nodes[1:]} == {None}

    wide = {"S": first, **{id: [f"{id}-{n}" for n in range(4)] for id in first}}
    leaves = {leaf: () for id in first for leaf in wide[id]}
    library = Library({**wide, **leaves}, failing=["A0-0"])
    graph = await library.walk("S", GraphBounds(depth=2))
    assert [len(batch) for batch in library.batches] == [20, 50, 29]
    read = [node.work is not None for node in graph.nodes]
    assert read == [True] * 21 + [False] * 50 + [True] * 29
    assert (len(graph.failures), graph.truncated) == (1, True)


@settings(deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 20))
async def test_the_largest_graph_costs_at_most_six_requests(one: int, two: int, three: int) -> None:
    # references A84
    references = {"S": fan(one, "A")}
    for id in fan(one, "A"):
        references[id] = fan(two, f"{id}-")
        for deeper in references[id]:
            references[deeper] = fan(three, f"{deeper}-")
    library = Library(references)
    graph = await library.walk("S")
    assert len(graph.nodes) <= 100
    # One more was for the seed.
    assert len(library.batches) + 1 <= 6
    assert all(len(batch) <= 50 for batch in library.batches)


async def test_the_edge_after_the_last_is_left_out() -> None:
    # references A84
    everyone = [f"W{n}" for n in range(42)]

    def cites(count: int) -> dict[str, list[str]]:
        first, second = dict.fromkeys(everyone[:21], everyone[1:21]), dict.fromkeys(everyone[21:], everyone[:20])
        return {**first, **second, "W1": everyone[21:41], "W40": everyone[:count]}

    full = await Library(cites(0)).walk("W0", GraphBounds(depth=3))
    assert (len(full.nodes), len(full.edges)) == (41, 800)
    assert full.truncated is False
    over = await Library(cites(1)).walk("W0", GraphBounds(depth=3))
    assert over.edges == full.edges
    assert over.truncated is True


async def test_a_seed_without_references_is_a_whole_graph() -> None:
    # references A85
    graph = await Library({"S": []}).walk("S")
    assert (ids(graph), graph.edges, graph.truncated) == ([("S", 0)], (), False)


async def test_a_work_that_answers_under_another_id_keeps_the_one_it_was_cited_by() -> None:
    async def fetch(ids: Sequence[str]) -> Mapping[str, CitingWork]:
        return {id: CitingWork("merged", ("S",)) for id in ids}

    graph = await walk(CitingWork("S", ("old",)), GraphBounds(), fetch)
    assert (ids(graph), graph.edges) == ([("S", 0), ("old", 1)], (("S", "old"), ("old", "S")))


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("ABCDEF"), st.lists(st.sampled_from("ABCDEFGS"), max_size=8)),
    st.builds(GraphBounds, *[st.integers(0, 6)] * 3),
)
async def test_a_graph_that_is_not_truncated_is_closed(references: dict[str, list[str]], bounds: GraphBounds) -> None:
    library = Library({"S": ["A"], **references})
    graph = await library.walk("S", bounds)
    known = {node.id for node in graph.nodes}
    assert len(known) == len(graph.nodes) <= max(bounds.total, 1)
    assert len(set(graph.edges)) == len(graph.edges)
    assert {id for edge in graph.edges for id in edge} <= known
    if not graph.truncated:
        held = {"S": ["A"], **references}
        assert set(graph.edges) == {(id, cited) for id in known for cited in held[id]}
