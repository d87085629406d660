"""Works of every kind for the tests of exports, with what is awkward in each."""

from typing import Any

from core.records import Author, PartialDate, UpdateNotice, Work
from core.works.types import WORK_TYPES


def work(number: int = 1, **values: Any) -> Work:
    """A journal article, unless told otherwise."""
    doi = f"10.1000/w_{number}"
    usual: dict[str, Any] = {
        "key": f"doi:{doi}",
        "doi": doi,
        "title": "Deep learning",
        "authors": (Author("Yann LeCun", "LeCun", "Yann"), Author("Yoshua Bengio", "Bengio", "Yoshua")),
        "published": PartialDate(2015, 5, 28),
        "type": "journal-article",
        "venue": "Nature",
        "publisher": "Springer Science and Business Media LLC",
        "volume": "521",
        "issue": "7553",
        "pages": "436-444",
        "issn": ("0028-0836", "1476-4687"),
    }
    return Work(**{**usual, **values})


def every_type() -> list[Work]:
    """One work of each type, and of none."""
    return [work(number, type=kind) for number, kind in enumerate((*WORK_TYPES, None))]


AWKWARD = [
    work(101, title="Q&A: 100% of $x_1$ {in} C# _now_"),
    work(102, title=r"BERT, mRNA & R-CNN: a 3D study of ~ ^ \ and $\bar{T}$ at $5 and $6"),
    work(
        103,
        title="Über Erdős, Łukasiewicz und den Straßenbau",
        authors=(
            Author("Jörg Müller", "Müller", "Jörg"),
            Author("Paul Erdős"),
            Author("Jan Łukasiewicz"),
            Author("Jan van der Berg"),
            Author("Amos B. Smith III"),
            Author("Plato"),
            Author("ATLAS and CMS Collaborations", group=True),
            Author("Smith and Sons Ltd"),
        ),
    ),
    work(104, title="深度学习", authors=(Author("王 小明", "王", "小明"),)),
    work(105, authors=tuple(Author(f"A{n} B{n}", f"B{n}", f"A{n}") for n in range(101)), author_count=3000),
    work(106, updates=(UpdateNotice("retraction", "10.1126/science_1112286"),)),
    Work(
        "arxiv:math/0309136",
        arxiv_id="math.GT/0309136",
        title="Homology and $S^1$",
        authors=(Author("Mikhail Khovanov"),),
        year=2003,
        url="https://arxiv.org/abs/math/0309136",
    ),
    Work("doi:10.1000/bare", doi="10.1000/bare"),
]
