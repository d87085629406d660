"""The input of a small catalog for searching by meaning and for reading: 35 papers, four full texts."""

from typing import Any

ASCII_ID, EURO_ID, WIDE_ID, LONG_TITLE_ID = "2301.80001", "2301.80002", "2301.80003", "2301.80004"
LONG_TITLE = "灯籠流しを五百字" * 62 + "灯籠流し"
OFFICIAL_ID = "2302.80006"
UNDATED_TITLE = "Nobody Wrote the Year"

ASCII_TEXT = "# Plain\n\n" + "".join(
    f"Line {number} of a plain text that goes on." + ("\n" if number % 7 else "\n\n") for number in range(3_000)
)
EURO_TEXT = "€" * 30_000
WIDE_TEXT = "🏮" * 9_000 + "\n\n" + "🦦 otter " * 4_000

_TOPICS = ("harbour seals", "river otters", "lantern light", "fog horns", "tide tables")
_WAYS = ("counting", "drawing", "naming", "tracking", "singing", "mapping")


def _papers() -> list[dict[str, Any]]:
    papers: list[dict[str, Any]] = [
        {"key": "ascii", "title": "Plain Words", "arxiv_id": ASCII_ID, "published": "2023-01-01"},
        {"key": "euro", "title": "Currency Signs", "arxiv_id": EURO_ID, "published": "2023-01-02"},
        {"key": "wide", "title": "Wide Signs", "arxiv_id": WIDE_ID, "published": "2023-01-03"},
        {"key": "long-title", "title": LONG_TITLE, "arxiv_id": LONG_TITLE_ID, "published": "2023-01-04"},
        {"key": "undated", "title": UNDATED_TITLE, "doi": "10.5555/undated.1"},
    ]
    for number in range(30):
        way, topic = _WAYS[number % 6], _TOPICS[number // 6]
        paper = {
            "key": f"paper-{number}",
            "title": f"{way.title()} {topic.title()}",
            "arxiv_id": f"2302.8{number:04}",
            "abstract": f"On {way} {topic} by the water." + " Seals and seals." * (number % 3),
            "published": f"2023-02-{number % 28 + 1:02}",
        }
        if number % 6 == 0:
            paper["repositories"] = [{"url": f"https://example.org/{number}", "is_official": number % 12 == 6}]
        papers.append(paper)
    return papers


PAPERS = _papers()
TEXTS = {f"{ASCII_ID}.md": ASCII_TEXT, f"{EURO_ID}.md": EURO_TEXT, f"{WIDE_ID}.md": WIDE_TEXT,
         f"{LONG_TITLE_ID}.md": "Ends.\n\n" + "x" * 40_000}  # fmt: skip
