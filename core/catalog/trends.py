"""How much of late a benchmark is reported on, against all time (catalog contract 16.4)."""

RECENT_DAYS = 90
"""Papers of so many days up to the as-of date are recent."""

SUPPORT_PRIOR_PAPERS = 10
"""Added to all-time papers when recent papers are weighed against them."""


def trend_score(recent_papers: int, all_time_papers: int) -> float:
    """The share of recent papers."""
    return recent_papers / max(1, all_time_papers)


def support_weighted_score(recent_papers: int, all_time_papers: int) -> float:
    """The share of recent papers, held down where few papers support it."""
    return recent_papers / (all_time_papers + SUPPORT_PRIOR_PAPERS)
