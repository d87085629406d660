"""BibTeX and LaTeX themselves read what is exported (references contract 7.1)."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from core.records import Work
from core.references.exports.entries import bibtex_entries
from core.references.exports.keys import Exportable, KeyStyle
from tests.exported_works import AWKWARD, every_type
from tests.gates.tools import MISSING

pytestmark = pytest.mark.gate

KNOWN_WARNINGS = (
    "Warning--empty ",
    "Warning--can't use both volume and number fields in ",
    "Warning--to sort, need ",
    "Warning--all relevant fields are empty in ",
)
"""What records may lack, and what a style of 1988 does not print. Anything else is a fault of ours."""

DOCUMENT = r"""
\documentclass{article}
\usepackage[T1]{fontenc}
\begin{document}
\nocite{*}
\bibliographystyle{plain}
\bibliography{export}
\end{document}
"""


def works() -> list[Work]:
    return [*every_type(), *AWKWARD]


def run(folder: Path, *command: str) -> str:
    """What a program printed; it must be there and succeed."""
    program = shutil.which(command[0])
    assert program, MISSING.format(command[0])
    done = subprocess.run(
        [program, *command[1:]], cwd=folder, capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )
    printed = done.stdout.decode(errors="replace")
    assert done.returncode == 0, printed
    return printed


def export(folder: Path, exported: list[Work], *, ascii_only: bool, key_style: KeyStyle = "safekey") -> None:
    items = [Exportable(f"k{number}", work) for number, work in enumerate(exported)]
    entries = bibtex_entries(items, ascii_only=ascii_only, key_style=key_style)
    (folder / "export.bib").write_text("\n".join(entry for entry in entries if entry), encoding="utf-8")


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("style", ["plain", "alpha", "abbrv", "unsrt"])
def test_bibtex_reads_every_entry_without_complaint(tmp_path: Path, style: str, ascii_only: bool) -> None:
    # references A86
    export(tmp_path, works(), ascii_only=ascii_only)
    (tmp_path / "export.aux").write_text(
        rf"\relax \citation{{*}} \bibstyle{{{style}}} \bibdata{{export}}".replace(" \\", "\n\\")
    )
    printed = run(tmp_path, "bibtex", "export")
    complaints = [line for line in printed.splitlines() if line.startswith("Warning") or "rror" in line]
    assert [line for line in complaints if not line.startswith(KNOWN_WARNINGS)] == []
    # BibTeX counts bytes: where a style abbreviates a name it may leave half a letter.
    written = (tmp_path / "export.bbl").read_bytes().decode(errors="replace")
    assert len(re.findall(r"\\bibitem", written)) == len(works())


def test_bibtex_keeps_titles_names_and_pages(tmp_path: Path) -> None:
    # references A87, A88, A89
    export(tmp_path, works(), ascii_only=True)
    (tmp_path / "export.aux").write_text("\\relax\n\\citation{*}\n\\bibstyle{plain}\n\\bibdata{export}\n")
    run(tmp_path, "bibtex", "export")
    text = " ".join((tmp_path / "export.bbl").read_text(encoding="utf-8").split())
    for kept in (
        r"{Q\&A}: 100\% of $x_1$ in c\# \_now\_.",
        r"{BERT}, {mRNA} \& {R-CNN}: a {3D} study of \textasciitilde{} \textasciicircum{} \textbackslash{} and "
        r"$\bar{T}$ at \$5 and \$6.",
        r"J{\"o}rg M{\"u}ller, Paul Erd{\H{o}}s, Jan {\L}ukasiewicz, Jan van~der Berg, Amos B.~III Smith, Plato, "
        r"{ATLAS and CMS Collaborations}, and {Smith and Sons Ltd}.",
        "et~al.",
        "521(7553):436--444, 2015.",
        r"Retracted, see 10.1126/science\_1112286.",
    ):
        assert kept in text


def test_latex_typesets_every_entry(tmp_path: Path) -> None:
    # references A87, A89
    # Of scripts that no macro writes, the fonts here know nothing.
    export(tmp_path, [work for work in works() if work.title != "深度学习"], ascii_only=True, key_style="author-year")
    assert (tmp_path / "export.bib").read_text(encoding="utf-8").isascii()
    (tmp_path / "document.tex").write_text(DOCUMENT)
    latex = ("latex", "-interaction=batchmode", "-halt-on-error", "document")
    run(tmp_path, *latex)
    run(tmp_path, "bibtex", "document")
    run(tmp_path, *latex)
    log = (tmp_path / "document.log").read_text(encoding="latin-1")
    assert not re.search(r"^!|multiply defined|Missing character", log, flags=re.MULTILINE)
    assert "Output written on document.dvi" in log
