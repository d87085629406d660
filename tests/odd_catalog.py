"""The input of the test catalog: invented records in paperdesk's own format that hold every odd case at least once.

`write_odd_catalog` writes the JSON-lines files and a folder `fulltext` of Markdown; the same bytes every time. The
constants here, in `odd_papers` and in `odd_boards` name the records that tests ask for.
"""

import json
from pathlib import Path
from urllib.parse import quote

from tests.odd_boards import benchmarks, evaluations
from tests.odd_papers import (
    AIMS,
    CRLF_TEXT_ID,
    DOI_TEXT_DOI,
    EXTERNAL_ID,
    LONG_TEXT_ID,
    NAMESAKE,
    NAMESAKE_IDS,
    OLD_STYLE_ID,
    SHORT_TEXT_ID,
    TOPICS,
    Record,
    papers,
)

BUSY_TASK = "Lantern Tracking"
AMBIGUOUS_TASK = "Segmentation"
AMBIGUOUS_TASK_IDS = ("81", "82")


def write_odd_catalog(folder: Path) -> None:
    """Writes the folder that `paperdesk catalog build paperdesk:FOLDER markdown:FOLDER/fulltext` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "areas": _areas(),
        "tasks": _tasks(),
        "methods": _methods(),
        "conferences": _conferences(),
        "organizations": _organizations(),
        "frameworks": _frameworks(),
        "authors": _authors(),
        "papers": papers(),
        "benchmarks": benchmarks(),
        "evaluations": evaluations(),
        "lineage": _lineage(),
    }
    for name, records in files.items():
        lines = [json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in records]
        (folder / f"{name}.jsonl").write_bytes("".join(lines).encode())
    texts = folder / "fulltext"
    texts.mkdir(exist_ok=True)
    for file_name, text in _texts().items():
        (texts / file_name).write_bytes(text.encode())


def long_text() -> str:
    """Over 200 KiB with characters of one to four bytes, paragraphs of uneven length and one without any blank."""
    parts = ["# Lanterns at length\n"]
    for number in range(700):
        sentence = (
            f"Lantern {number} drifts — naïvely, 灯籠流し, 🏮 — past {TOPICS[number % 11]} and {AIMS[number % 7]}. "
        )
        parts.append(sentence * (1 + number % 5) + ("\n" if number % 9 else "\n\n## Section " + str(number) + "\n"))
    parts.append("€" * 15_000 + "\n")
    return "\n".join(parts)


def short_text() -> str:
    """Well under 32 KiB."""
    return "# Short\n\nA short text: P<0.001, café, 漢字, 🦦.\n"


def _areas() -> list[Record]:
    names = {
        "vision": "Computer Vision",
        "language": "Natural Language Processing",
        "speech": "Speech",
        "games": "Games",
    }
    return [{"key": key, "name": name, "id": number} for number, (key, name) in enumerate(names.items(), 11)]


def _tasks() -> list[Record]:
    tasks: list[Record] = [
        {
            "key": "busy",
            "name": BUSY_TASK,
            "area": "vision",
            "description": "Following lanterns. " * 300,
            "aliases": ["LT", "Paper-Lantern Tracking"],
            "created_at": "2020-01-01",
            "research_trends": ["smaller lanterns"],
            "recommended_frameworks": [
                {"name": f"kit-{n}", "owner": "lantern", "url": f"https://example.org/kit-{n}", "num_stars": 100 - n}
                for n in range(12)
            ],
        },
        {"key": "reading", "name": "Reading Comprehension", "area": "language", "aliases": ["RC"]},
        {"key": "answering", "name": "Question Answering", "area": "language", "parents": ["reading"]},
        {"key": "speech", "name": "Speech Recognition", "area": "speech", "aliases": ["ASR"]},
        {"key": "puzzles", "name": "Tile Puzzles", "area": "games"},
        {"key": "seg-vision", "name": AMBIGUOUS_TASK, "area": "vision", "id": 81, "slug": "segmentation-vision"},
        {"key": "seg-speech", "name": AMBIGUOUS_TASK, "area": "speech", "id": 82, "slug": "segmentation-speech"},
        {"key": "hidden", "name": "Unseen Task", "area": "games", "visible": False},
        {"key": "no-area", "name": "Überraschung—未分類", "description": "P<0.001 & more"},
        {"key": "long-name", "name": "Task of a very long name " + "indeed " * 25, "area": "vision"},
    ]
    for number in range(30):
        child = {"key": f"child-{number}", "name": f"Lantern Tracking, Part {number}", "area": "vision"}
        tasks.append(child | {"parents": ["busy"], "created_at": f"2021-01-{number + 1:02}"})
    tasks.append({"key": "grandchild", "name": "Lantern Tracking at Dusk", "area": "vision", "parents": ["child-0"]})
    return tasks


def _methods() -> list[Record]:
    methods: list[Record] = [
        {
            "key": "quill",
            "name": "QuillNet",
            "full_name": "Quill Network",
            "area": "vision",
            "introduced_year": 2019,
            "description": "Writes. " * 700,
            "source_paper": "unique-name",
            "source_url": "/paper/quillfish",
            "source_title": "QUILLFISH",
            "created_at": "2019-05-01",
        },
        {"key": "tide-vision", "name": "TIDE", "id": 601, "full_name": "Tidal Image Encoder", "area": "vision"},
        {"key": "tide-speech", "name": "TIDE", "id": 602, "full_name": "Tidal Decoder", "area": "speech"},
        {"key": "dash", "name": "Self\u2011Heron Attention", "slug": "self-heron", "introduced_year": 2021},
    ]
    methods += [
        {"key": f"method-{n}", "name": f"Method {n:02}", "area": "language", "introduced_year": 2000 + n % 20}
        for n in range(40)
    ]
    return methods


def _conferences() -> list[Record]:
    return [
        {
            "key": f"fog-{year}",
            "name": "Fog and Harbour",
            "slug": f"fog-{year}",
            "year": year,
            "location": "Skagen",
            "start_date": f"{year}-06-01",
            "end_date": f"{year}-06-04",
            "venue": "Lighthouse",
            "tier": "A",
            "url": "https://example.org/fog",
        }
        for year in (2021, 2022, 2023)
    ] + [{"key": "undated", "name": "Undated Gathering"}]


def _organizations() -> list[Record]:
    organizations: list[Record] = [
        {
            "key": "lighthouse",
            "name": "Lighthouse Institute",
            "is_featured": True,
            "trending_rank": 1,
            "description": "Keeps the light.",
            "website_url": "https://example.org/lighthouse",
        },
        {"key": "long-org", "name": "Organization of " + "many words " * 18, "is_featured": False},
    ]
    return organizations + [{"key": f"org-{n}", "name": f"Harbour Lab {n:02}"} for n in range(35)]


def _frameworks() -> list[Record]:
    domains = (("vision-kits", "Vision Kits"), ("speech-kits", "Speech Kits"))
    categories = (("training", "Training"), ("serving", "Serving"), ("data", "Data"))
    frameworks = []
    for number in range(32):
        domain, category = domains[number % 2], categories[number % 3]
        frameworks.append(
            {
                "key": f"framework-{number}",
                "name": f"Framework {number:02}",
                "platforms": ["linux", "macos"] if number % 4 else ["Web"],
                "domain": {"slug": domain[0], "name": domain[1]},
                "category": {"slug": category[0], "name": category[1]},
                "github_url": f"https://example.org/framework-{number}",
                "when_to_use": "Whenever it fits.",
                **({"organization": "lighthouse", "introducing_paper": "unique-name"} if number == 0 else {}),
            }
        )
    return frameworks


def _authors() -> list[Record]:
    return [
        {"key": "ada-1", "name": NAMESAKE, "id": int(NAMESAKE_IDS[0]), "hf_username": "AdaQ"},
        {"key": "ada-2", "name": NAMESAKE, "id": int(NAMESAKE_IDS[1])},
        {"key": "bo", "name": "Bo Härön", "hf_username": "boheron", "orcid": "0000-0001-0000-0009"},
        {"key": "li", "name": "李 灯"},
        {"key": "long-author", "name": "Author " + "von der Laterne " * 15},
    ]


def _lineage() -> list[Record]:
    links = [("old-style", "unique-name"), ("external", "unique-name"), ("unique-name", "long-text")]
    links += [("unique-name", f"filler-{number}") for number in range(60)]
    return [{"predecessor": predecessor, "successor": successor} for predecessor, successor in links]


def _texts() -> dict[str, str]:
    """File names of every form: by arXiv id, old-style id, catalog id, DOI, and by a front-matter line."""
    return {
        f"{LONG_TEXT_ID}.md": long_text(),
        f"{OLD_STYLE_ID.replace('/', '_')}.md": "# Knots\n\n" + "Ropes — and knots.\n\n" * 4_000,
        f"{EXTERNAL_ID}.md": "# Held nowhere else\n\nA text of an external paper.\n",
        f"doi_{quote(DOI_TEXT_DOI, safe='')}.md": "# Harbour notes\n\nNamed by its DOI.\n",
        "named-inside.md": f"---\npaper: arXiv:{SHORT_TEXT_ID}\n---\n{short_text()}",
        f"{CRLF_TEXT_ID}.md": "# Lines\r\n\r\nfrom elsewhere\r\n",
    }
