"""Files that TeX takes in, put into their places (references contract 8.2)."""

import pytest

from tests.core.references.tex.packs import packed, read

CLASS = "\\documentclass{article}\n"


def expanded(text: str, **files: str) -> tuple[str, tuple[str, ...]]:
    """What becomes of a main file, and what is not found; `__` in a name is a `/`."""
    others = {f"{name.replace('__', '/')}.tex": content for name, content in files.items()}
    source = read(packed({"main.tex": CLASS + text, **others}))
    assert source.main_file == "main.tex"
    return source.text.removeprefix(CLASS), source.unresolved


def shown(name: str, content: str) -> str:
    return f"% >>> {name}\n{content}\n% <<< {name}"


@pytest.mark.parametrize(
    "command",
    [
        r"\input{s/a}",
        r"\input{s/a.tex}",
        r"\input s/a",
        r"\input s/a.tex",
        r'\input{"s/a"}',
        r'\input "s/a"',
        r"\input {./s//a }",
        "\\input\n{s/a}",
        r"\include{s/a}",
        r"\subfile{s/a}",
        r"\import{s/}{a}",
        r"\import{s}{a.tex}",
        r"\subimport{./s}{a}",
        r"\import*{s/}{a}",
        r"\InputIfFileExists{s/a}",
        r"\input{S/A}",
        r"\input{s/../s/a}",
        r"\import{}{s/a}",
    ],
)
def test_command_is_replaced_by_its_file_between_marks(command: str) -> None:
    # references A102
    assert expanded(f"before\n{command}\nafter", s__a="inside\n") == (
        f"before\n{shown('s/a.tex', 'inside')}\nafter",
        (),
    )


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        (r"x \input{a} y", f"x \n{shown('a.tex', 'A')}\n y"),
        (r"\input{a}\input{a}", f"{shown('a.tex', 'A')}\n{shown('a.tex', 'A')}"),
        ("  \\input{a}\n", f"  {shown('a.tex', 'A')}\n"),
        (r"\InputIfFileExists{a}{yes}{no}", f"{shown('a.tex', 'A')}\n{{yes}}{{no}}"),
        ("\\input a\n", f"{shown('a.tex', 'A')}\n"),
        (r"{\input a}", f"{{\n{shown('a.tex', 'A')}\n}}"),
    ],
)
def test_marks_stand_on_lines_of_their_own(text: str, becomes: str) -> None:
    assert expanded(text, a="A") == (becomes, ())


@pytest.mark.parametrize(
    "text",
    [
        r"% \input{a}",
        r"x % y \input{a}",
        r"\\% \input{a}",
        r"\verb|\input{a}|",
        r"\verb*+\input{a}+",
        "\\begin{verbatim}\n\\input{a}\n\\end{verbatim}",
        "\\begin{lstlisting}[language=TeX]\n\\input{a}\n\\end{lstlisting}",
        "\\begin {comment}\n\\input{a}\\end{verbatim}\\input{a}\n\\end{comment}",
        r"\inputs{a} \includegraphics{a} \includeonly{a} \input@path{a} \includesvg{a}",
        r"\import{a}",
        r"\input",
        r"\input{}",
        r"\include a",
        r"\input{" + "a" * 400 + "}",
        r"\input " + "a" * 400,
    ],
)
def test_what_takes_in_nothing_is_left_alone(text: str) -> None:
    # references A102
    assert expanded(text, a="A") == (text, ())


@pytest.mark.parametrize(
    "text",
    [r"\% \input{a}", r"\\\% \input{a}", r"\verb|x| \input{a}", r"\begin{verbatim} \input{a}", "\\verb|x\n\\input{a}"],
)
def test_what_only_looks_like_a_comment_or_verbatim_hides_nothing(text: str) -> None:
    assert "% >>> a.tex" in expanded(text, a="A")[0]


def test_missing_files_are_listed_and_stay_as_written() -> None:
    # references A102
    text = r"\input{gone} \include{a} \input{gone} \import{x/}{gone} \input{\dir/a} \input{../a} \input{/a}"
    assert expanded(text, a=r"\input nowhere") == (
        text.replace(r" \include{a} ", " \n" + shown("a.tex", r"\input nowhere") + "\n "),
        ("gone", "nowhere", "x/gone", r"\dir/a", "../a", "/a"),
    )


def test_unresolved_files_are_listed_two_hundred_at_most() -> None:
    assert len(expanded("".join(f"\\input{{x{number}}}" for number in range(300)))[1]) == 200


def test_cycle_ends_where_it_closes() -> None:
    # references A102
    text, unresolved = expanded(r"\input{a}", a=r"1 \input{b}", b=r"2 \input{a} \input{b} \input{main}")
    inner = shown("b.tex", r"2 \input{a} \input{b} \input{main}")
    assert (text, unresolved) == (shown("a.tex", f"1 \n{inner}"), ())


def test_expansion_goes_ten_files_deep() -> None:
    files = {f"f{depth}": f"\\input{{f{depth + 1}}}" for depth in range(1, 14)}
    text, unresolved = expanded(r"\input{f1}", **files)
    assert (text.count("% >>> "), unresolved) == (10, ("f11",))
    assert "\n\\input{f11}\n" in text


def test_endinput_ends_its_file_and_not_those_around_it() -> None:
    assert expanded("\\input{a}\nB", a="A\n\\endinput\nnever \\input{b}") == (f"{shown('a.tex', 'A')}\nB", ())
    assert expanded("A \\endinput B", a="x") == ("A ", ())
    assert expanded("A % \\endinput\nB", a="x") == ("A % \\endinput\nB", ())


def test_names_inside_of_an_imported_file_are_seen_from_its_folder() -> None:
    # references A102
    files = {
        "s__a": r"\input{b}\input{c}\subimport{t/}{d}\import{t/}{e}",
        "s__b": "SB",
        "b": "B",
        "c": "C",
        "s__t__d": r"\input{f}",
        "s__t__f": "STF",
        "f": "F",
        "t__e": "TE",
    }
    text, unresolved = expanded(r"\import{s/}{a}\input{b}", **files)
    assert unresolved == ()
    assert [line.removeprefix("% >>> ") for line in text.splitlines() if line.startswith("% >>> ")] == [
        "s/a.tex",
        "s/b.tex",
        "c.tex",
        "s/t/d.tex",
        "s/t/f.tex",
        "t/e.tex",
        "b.tex",
    ]


def test_file_of_any_ending_is_found_and_tex_is_tried_first() -> None:
    source = read(
        packed({"main.tex": CLASS + r"\input{fig.pgf}\input{tab}", "fig.pgf": "P", "tab": "no", "tab.tex": "T"})
    )
    assert source.text == CLASS + shown("fig.pgf", "P") + "\n" + shown("tab.tex", "T")


def test_exact_case_is_preferred_to_any_other() -> None:
    assert expanded(r"\input{Part}", part="small", Part="large")[0] == shown("Part.tex", "large")
    assert expanded(r"\input{pArt}", part="small", Part="large")[0] == shown("Part.tex", "large")


def test_source_is_as_written_when_no_expansion_is_asked_for() -> None:
    files = {"main.tex": CLASS + r"\input{a}\input{gone}", "a.tex": "A"}
    source = read(packed(files), expand=False)
    assert (source.text, source.unresolved, [file.name for file in source.files]) == (
        files["main.tex"],
        (),
        ["main.tex", "a.tex"],
    )
