"""Prompts: what a user may ask an assistant to do with the catalog, in so many words."""

from typing import Annotated

from pydantic import Field

from server.registry import Prompt
from server.toolsets.catalog.completion import benchmark_names, task_names

_Text = Annotated[str, Field(min_length=1, max_length=200)]


def find_papers(
    topic: Annotated[_Text, Field(description="What the papers should be about: words, a question or a task")],
) -> str:
    """Finds papers on a topic by meaning and cites them, saying also what was not found."""
    return (
        f"Find research papers on this topic: {_quoted(topic)}.\n\n"
        "1. Search the catalog by meaning with search_papers; try a second wording if the first finds little.\n"
        "2. Open the most relevant hits with get_paper_info, and with read_paper where the full text is stored and"
        " the abstract does not settle the matter.\n"
        "3. Answer from what you have read. Cite each paper with its title, year and canonical link (the `url` of its"
        " record), and mark which have an official implementation.\n"
        "4. Say what you looked for and did not find; the catalog does not hold every paper."
    )


def compare_leaderboard(
    benchmark: Annotated[_Text, Field(description="Benchmark: its name, slug or id")],
) -> str:
    """Compares the models of one benchmark, with each metric's direction and the conditions of each result."""
    return (
        f"Compare the results on this benchmark: {_quoted(benchmark)}.\n\n"
        "1. Read its leaderboard with get_benchmark; where the name is ambiguous or unknown, list_benchmarks finds it."
        " Follow next_page if the answer needs more rows.\n"
        "2. For each metric that you use, state its direction from `metric_directions`: whether higher or lower is"
        " better, or that the catalog does not know.\n"
        "3. For each result, state the split, the number of shots and the evaluation protocol where the catalog has"
        " them, and do not compare rows whose conditions differ as if they were alike.\n"
        "4. Keep ranks of different task scopes apart: a rank holds within one task (`rank_scopes`).\n"
        "5. Name the paper of each result, and say which values are missing."
    )


def survey_task(
    task: Annotated[_Text, Field(description="Research task: its name, slug or id")],
) -> str:
    """Surveys a research task: its best covered benchmarks, then papers and methods with references."""
    return (
        f"Survey this research task: {_quoted(task)}.\n\n"
        "1. Resolve the task with get_task; where its name is ambiguous or unknown, list_tasks finds it.\n"
        "2. Look at its best covered benchmarks with get_benchmark, those with the most evaluations first, and state"
        " each metric's direction.\n"
        "3. List its papers with list_papers, by trend and by citations, and open those that matter.\n"
        "4. Summarize the main lines of work and the methods in use, each with references: title, year and canonical"
        " link.\n"
        "5. Say what the catalog does not cover."
    )


PROMPTS = (
    Prompt(find_papers, title="Find papers", completers={"topic": task_names}),
    Prompt(compare_leaderboard, title="Compare a leaderboard", completers={"benchmark": benchmark_names}),
    Prompt(survey_task, title="Survey a research task", completers={"task": task_names}),
)


def _quoted(text: str) -> str:
    """A user's words on one line, told apart from ours."""
    return f'"{" ".join(text.split())}"'
