"""The papers of the test catalog: odd titles, odd identifiers, extremes of length, and many ordinary ones."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

Record = dict[str, Any]

AS_OF = "2025-06-30"
OLD_STYLE_ID = "math.GT/0309136"
LONG_TEXT_ID = "2401.90001"
SHORT_TEXT_ID = "2401.90002"
NO_TEXT_ID = "2401.90003"
CRLF_TEXT_ID = "2401.90004"
EXTERNAL_ID = "900001"
DOI_TEXT_DOI = "10.5555/harbour.2021.17"
SICI_DOI = "10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6"
TWIN_TITLE = "The Art of Measuring Fog"
TWIN_IDS = ("2402.90001", "2402.90002")
UNIQUE_SHORT_NAME = "QUILLFISH"
SHARED_SHORT_NAME = "BRAMBLE"
VERSION_TITLES = ("QUILLv7", "MOTHv2")
DASH_TITLE = "Slow\u2013Wave Attention \u2014 Don\u2019t Blink"
MANY_AUTHORS_ID = "2403.90001"
LONG_NAMES_ID = "2403.90002"
RETRACTED_ID = "2403.90003"
SUPERSEDED_ID = "900009"
NAMESAKE = "Ada Quill"
NAMESAKE_IDS = ("70001", "70002")
FILLER_PAPERS = 140
TOPICS = ("lantern", "harbour", "tide", "foghorn", "bramble", "otter", "kelp", "moth", "quarry", "heron", "thistle")
WAYS = ("sparse", "patient", "gated", "recurrent", "causal", "contrastive", "modular", "frozen", "layered")
AIMS = ("tracking", "reading", "retrieval", "forecasting", "segmentation", "translation", "planning")
LONG_URL = "https://example.org/" + "deep/" * 120


def papers() -> list[Record]:
    """Every paper of the test catalog."""
    return [*_named_papers(), *_extreme_papers(), *(_filler(number) for number in range(FILLER_PAPERS))]


def _named_papers() -> Iterable[Record]:
    """Papers whose titles and identifiers are odd; dates at every precision."""
    ada = {"authors": ["ada-1", "bo"], "tasks": ["busy"]}
    yield {
        "key": "old-style",
        "title": "Knots in Old Ropes",
        "arxiv_id": OLD_STYLE_ID,
        "published": "2003-09",
        "authors": ["li"],
    }
    yield {
        "key": "long-text",
        "title": "Lanterns at Length",
        "arxiv_id": LONG_TEXT_ID,
        "published": "2024-01-10",
        **ada,
    }
    yield {"key": "short-text", "title": "A Short Text", "arxiv_id": SHORT_TEXT_ID, "published": "2024-01-11", **ada}
    yield {
        "key": "no-text",
        "title": "A Paper Without Text",
        "arxiv_id": NO_TEXT_ID,
        "published": "2024",
        "authors": ["ada-2"],
    }
    yield {"key": "crlf", "title": "Lines From Elsewhere", "arxiv_id": CRLF_TEXT_ID, "citation_count": 0}
    yield {
        "key": "external",
        "title": "Held Nowhere Else",
        "id": int(EXTERNAL_ID),
        "published": "2019",
        "citation_count": 12,
    }
    yield {
        "key": "by-doi",
        "title": "Harbour Notes",
        "doi": DOI_TEXT_DOI,
        "published": "2021-03-05",
        "venue": "Journal of Fog",
    }
    yield {
        "key": "sici",
        "title": "Nerve Fibres of the Harbour Seal",
        "doi": SICI_DOI,
        "identifiers": {"pmid": "8923456", "pmcid": "PMC3531190", "openalex": "W2741809807", "s2": "a" * 40},
        "published": "1996-01-29",
        "authors": [{"name": "Eel, J."}, {"name": NAMESAKE}],
    }
    for key, arxiv_id in zip(("twin-1", "twin-2"), TWIN_IDS, strict=True):
        yield {"key": key, "title": TWIN_TITLE, "arxiv_id": arxiv_id, "published": "2024-02-01", "authors": ["ada-2"]}
    yield {
        "key": "unique-name",
        "title": f"{UNIQUE_SHORT_NAME}: Writing Networks Under Water",
        "arxiv_id": "1905.90001",
        "slug": "quillfish",
        "published": "2019-05-01",
        "abstract": "A network that writes. It is significant (P<0.001) and naïve; see 灯籠.",
        "authors": ["ada-1", "bo", {"name": "Cy Moth"}],
        "conference": "fog-2021",
        "citation_count": 900,
        "velocity": 3.5,
        "tasks": ["busy", "reading"],
        "methods": ["quill"],
        "organizations": ["lighthouse"],
        "frameworks": ["framework-0"],
        "repositories": [
            {"url": f"https://example.org/code/{n}", "is_official": n == 5, "framework": "framework-0", "stars": n}
            for n in range(12)
        ],
        "project_pages": ["https://example.org/quillfish"],
        "hf_models": [f"quill/model-{n}" for n in range(7)],
        "hf_datasets": ["quill/ink"],
        "hf_spaces": ["quill/desk"],
        "url": "https://example.org/quillfish/abs",
        "pdf_url": "https://example.org/quillfish.pdf",
    }
    for number, rest in enumerate(("Hedges for Robots", "Berries in the Wild"), 1):
        yield {
            "key": f"shared-name-{number}",
            "title": f"{SHARED_SHORT_NAME}: {rest}",
            "arxiv_id": f"2404.9000{number}",
        }
    # A title that equals the short name of another paper: the exact title must win.
    yield {"key": "title-not-name", "title": "Heron", "arxiv_id": "2404.90003", "published": "2024-04-03"}
    yield {"key": "name-not-title", "title": "Heron: A Bird of Patience", "arxiv_id": "2404.90004"}
    for number, title in enumerate(VERSION_TITLES, 5):
        yield {"key": title, "title": title, "arxiv_id": f"2404.9000{number}", "published": "2024-04"}
    yield {"key": "dash", "title": DASH_TITLE, "arxiv_id": "2404.90007", "published": "2024-04-07", "methods": ["dash"]}
    yield {
        "key": "rtl",
        "title": "قراءة الفوانيس 🏮 e\u0301tude",
        "arxiv_id": "2404.90008",
        "authors": [{"name": "نور"}],
    }
    yield {"key": "query-like", "title": "a AND b:c*( — -foo", "arxiv_id": "2404.90009", "published": "2024-04-09"}


def _extreme_papers() -> Iterable[Record]:
    """Papers that meet the caps on texts and lists, and the states that a list must tell apart."""
    yield {
        "key": "many-authors",
        "title": "A Crowd Looks at One Lantern",
        "arxiv_id": MANY_AUTHORS_ID,
        "published": "2024-03-01",
        "authors": [{"name": f"Crowd Member {number:04}"} for number in range(1_300)],
    }
    yield {
        "key": "long-names",
        "title": "Long " + "and longer " * 60,
        "arxiv_id": LONG_NAMES_ID,
        "published": "2024-03-02",
        "abstract": "Every word is needed, 灯. " * 500,
        "authors": ["long-author"],
        "url": LONG_URL,
        "tasks": [f"child-{number}" for number in range(30)] + ["long-name"],
        "methods": [f"method-{number}" for number in range(30)],
        "organizations": [f"org-{number}" for number in range(30)] + ["long-org"],
    }
    yield {
        "key": "retracted",
        "title": "Cold Light",
        "arxiv_id": RETRACTED_ID,
        "published": "2024-03-03",
        "is_retracted": True,
    }
    yield {
        "key": "superseded",
        "title": "Lanterns at Length (draft)",
        "id": int(SUPERSEDED_ID),
        "published": "2023-12-01",
        "version": "1",
        "is_latest": False,
    }
    yield {"key": "undated", "title": "Nobody Knows When", "arxiv_id": "2403.90004", "citation_count": 5}
    yield {"key": "uncited", "title": "Nobody Counted", "arxiv_id": "2403.90005", "published": "2024-03-05"}


def _filler(number: int) -> Record:
    """One of many ordinary papers, spread over the years before the as-of date."""
    topic, way, aim = TOPICS[number % 11], WAYS[number % 9], AIMS[number % 7]
    published = date.fromisoformat(AS_OF) - timedelta(days=number * 11)
    record: Record = {
        "key": f"filler-{number}",
        "title": f"{way.title()} {topic.title()} {aim.title()} No. {number}",
        "arxiv_id": f"{published:%y%m}.9{number:04}",
        "abstract": f"We study {way} models of {topic} for {aim}. Paper {number} of a series on {topic} {aim}.",
        "published": published.isoformat(),
        "authors": ["bo" if number % 3 else "ada-2", {"name": f"Author {number % 17}"}],
        "tasks": ["busy" if number % 2 else "reading", "speech"],
        "methods": [f"method-{number % 40}", f"method-{(number * 7 + 1) % 40}"],
        "organizations": [f"org-{number % 35}"],
    }
    if number % 4:
        record["citation_count"] = number * 3 % 101
    if number % 5 == 0:
        record["velocity"] = number % 8 / 4
    if number % 6 == 0:
        record["repositories"] = [{"url": f"https://example.org/repo/{number}", "is_official": number % 12 == 0}]
        record["frameworks"] = [f"framework-{number % 32}"]
    if number % 10 == 0:
        record["conference"] = f"fog-{2021 + number // 10 % 3}"
    return record
