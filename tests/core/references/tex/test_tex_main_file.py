"""Which file a source starts from, and how its bytes become text (references contract 8.2)."""

import json

import pytest

from core.references.tex.decoding import decode
from tests.core.references.tex.packs import PAPER, member, packed, read

CLASS = "\\documentclass{article}"


@pytest.mark.parametrize(
    ("files", "main_file"),
    [
        # an uncommented class before size, name and order
        ({"a.tex": "x" * 9000, "b.tex": CLASS}, "b.tex"),
        ({"a.tex": f"%{CLASS}" + "x" * 9000, "b.tex": CLASS}, "b.tex"),
        ({"a.tex": f"x % {CLASS}" + "x" * 9000, "b.tex": r"50\% \\% %" + "\n" + CLASS}, "b.tex"),
        ({"a.tex": f"\\\\%{CLASS}" + "x" * 9000, "b.tex": rf"\%{CLASS}"}, "b.tex"),
        ({"a.tex": "x" * 9000, "b.tex": r"\documentstyle[12pt]{article}"}, "b.tex"),
        ({"a.tex": "x" * 9000 + r"\documentclasses{x}", "b.tex": CLASS}, "b.tex"),
        # main.tex against a bigger file
        ({"big.tex": CLASS + "x" * 99_000, "main.tex": CLASS}, "main.tex"),
        ({"big.tex": CLASS + "x" * 101_000, "main.tex": CLASS}, "big.tex"),
        ({"big.tex": CLASS + "x" * 9000, "my-MAIN.TEX": CLASS}, "my-MAIN.TEX"),
        # included by another file
        ({"main.tex": CLASS + "x" * 9000, "paper.tex": CLASS + r"\input{main}"}, "paper.tex"),
        ({"a/main.tex": CLASS, "a/p.tex": CLASS + r"\input{main}"}, "a/p.tex"),
        ({"a/main.tex": CLASS, "p.tex": CLASS + r"\import{a/}{main}"}, "p.tex"),
        ({"main.tex": CLASS, "paper.tex": CLASS + r"%\input{main}"}, "main.tex"),
        ({"main.tex": CLASS + r"\input{main}", "paper.tex": CLASS}, "main.tex"),
        # parts with a class of their own
        ({"figure.tex": r"\documentclass[tikz]{standalone}" + "x" * 9000, "paper.tex": CLASS}, "paper.tex"),
        ({"ch.tex": r"\documentclass[p]{subfiles}" + "x" * 9000, "p.tex": CLASS}, "p.tex"),
        ({"figure.tex": r"\documentclass { standalone }", "notes.tex": "x" * 9000}, "figure.tex"),
        # without any class; empty files; other endings; ties
        ({"a.tex": "x", "b.tex": "xx"}, "b.tex"),
        ({"a.tex": " \n", "b.ltx": "x"}, "b.ltx"),
        ({"b.tex": CLASS, "a.tex": CLASS}, "a.tex"),
        ({"a.txt": CLASS, "b.TEX": "x"}, "b.TEX"),
        # 00README before all of that
        ({"00README.XXX": "x.tex ignore\np.tex toplevelfile\n", "main.tex": CLASS, "p.tex": "x"}, "p.tex"),
        ({"00readme.xxx": "P.tex  TOPLEVELFILE", "main.tex": CLASS, "p.tex": "x"}, "p.tex"),
        ({"00README.XXX": "gone.tex toplevelfile\np.tex toplevelfile", "main.tex": CLASS, "p.tex": "x"}, "p.tex"),
        ({"00README.XXX": "nostamp\np.tex\n", "main.tex": CLASS, "p.tex": "x"}, "main.tex"),
        (
            {
                "00README.json": json.dumps(
                    {
                        "sources": [
                            {"filename": "a.tex", "usage": "ignore"},
                            None,
                            {"usage": "toplevel", "filename": "./s/p.tex"},
                        ]
                    }
                ),
                "main.tex": CLASS,
                "s/p.tex": "x",
                "a.tex": "x",
            },
            "s/p.tex",
        ),
        ({"00README.json": "{", "main.tex": CLASS, "p.tex": "x"}, "main.tex"),
        ({"00README.json": '{"sources": "p.tex"}', "main.tex": CLASS, "p.tex": "x"}, "main.tex"),
        ({"00README.json": "[" * 90_000, "main.tex": CLASS, "p.tex": "x"}, "main.tex"),
        (
            {
                "00README.yaml": "process:\n  compiler: pdflatex\nsources:\n  - filename: a.tex\n    usage: ignore\n"
                "  - usage: toplevel  # this one\n    filename: 'p.tex'\n",
                "main.tex": CLASS,
                "p.tex": "x",
                "a.tex": "x",
            },
            "p.tex",
        ),
        ({"00README.yaml": "sources:\n- filename: p.tex\n  usage: toplevel", "main.tex": CLASS, "p.tex": "x"}, "p.tex"),
        (
            {
                "00README.yaml": "sources: [{filename: a.tex, usage: ignore}, {usage: toplevel, filename: p.tex}]",
                "main.tex": CLASS,
                "p.tex": "x",
                "a.tex": "x",
            },
            "p.tex",
        ),
        (
            {
                "00README.yaml": "other:\n- filename: p.tex\n  usage: toplevel\nsources: []",
                "main.tex": CLASS,
                "p.tex": "x",
            },
            "main.tex",
        ),
    ],
)
def test_main_file_is_the_one_that_tex_would_start_from(files: dict[str, str], main_file: str) -> None:
    # references A101
    assert read(packed(files)).main_file == main_file


def test_readme_that_is_too_long_to_be_one_names_nothing() -> None:
    files = {"00README.XXX": "p.tex toplevelfile\n" * 20_000, "main.tex": CLASS, "p.tex": "x"}
    assert read(packed(files)).main_file == "main.tex"


INPUTENC = b"\\usepackage[%s]{inputenc}\n"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("Zürich €".encode(), "Zürich €", "utf-8"),
        ("\ufeffZürich".encode(), "Zürich", "utf-8"),
        (b"Z\xfcrich \x80", "Zürich €", "windows-1252"),
        (b"Z\xfcrich \x81", "Zürich \ufffd", "windows-1252"),
        (INPUTENC % b"latin1" + b"Z\xfc\x80", "Zü\x80", "iso-8859-1"),
        (INPUTENC % b"T1,latin2" + b"\xb3", "ł", "iso-8859-2"),
        (INPUTENC % b" latin9 " + b"\xa4", "€", "iso-8859-15"),
        (INPUTENC % b"applemac" + b"\x9f", "ü", "mac-roman"),
        (INPUTENC % b"koi8-r" + b"\xcd", "м", "koi8-r"),
        (INPUTENC % b"cp1251" + b"\xec", "м", "windows-1251"),
        (b"%" + INPUTENC % b"latin2" + INPUTENC % b"latin9" + b"\xa4", "€", "iso-8859-15"),
        (b"\\usepackage[latin9]{fontenc,inputenc}\n\xa4", "€", "iso-8859-15"),
        (b"\\inputencoding{latin9}\n\xa4", "€", "iso-8859-15"),
        (INPUTENC % b"utf8" + b"\xfc", "ü", "windows-1252"),
        (INPUTENC % b"unicode_escape" + b"\xfc", "ü", "windows-1252"),
        (b"a\r\nb\rc\nd\xfc", "a\nb\nc\ndü", "windows-1252"),
    ],
)
def test_text_is_utf_8_or_what_the_file_declares_or_windows_1252(data: bytes, text: str, encoding: str) -> None:
    # references A101
    found = decode(data)
    assert (found.text.removeprefix("%").rpartition("}\n")[2], found.encoding) == (text, encoding)


def test_included_file_without_a_declaration_is_in_the_encoding_of_the_main_file() -> None:
    main = PAPER + INPUTENC % b"latin2" + b"\xb3 \\input{part} \\input{own}"
    body = member("main.tex", main) + member("part.tex", b"\xb3") + member("own.tex", INPUTENC % b"latin1" + b"\xb3")
    source = read(body)
    assert source.encoding == "iso-8859-2"
    assert source.text.endswith(
        "ł \n% >>> part.tex\nł\n% <<< part.tex\n % >>> own.tex\n\\usepackage[latin1]{inputenc}\n³\n% <<< own.tex"
    )
