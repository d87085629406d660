"""What a TeX source is packed in, and what in it is never touched (references contract 8.2)."""

import gzip
import io
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.errors import NoFullText, NotFound, SourceMalformed
from core.references.tex.source import TexFile, TexSource
from tests.core.references.tex.packs import (
    END,
    PAPER,
    archive,
    header,
    member,
    packed,
    padded,
    pax,
    read,
    tar,
)

TEXT = PAPER.decode()


@pytest.mark.parametrize(
    "body", [PAPER, gzip.compress(PAPER, mtime=0), b"\xef\xbb\xbf" + PAPER.replace(b"\n", b"\r\n")]
)
def test_plain_file_is_the_source_without_a_main_file(body: bytes) -> None:
    # references A100
    assert read(body) == TexSource(None, TEXT, "utf-8")


@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"magic": b"ustar\x0000"},
        {"magic": b"ustar  \x00"},
        {"magic": b""},
        {"magic": b"", "kind": b"\x00"},
        {"magic": b"", "signed": True},
        {"kind": b"7"},
    ],
)
def test_tar_is_one_with_and_without_its_magic(options: dict[str, bytes], is_packed: bool) -> None:
    # references A100
    body = archive([member("p\xe4per.tex".encode("latin-1"), PAPER, **options)])
    source = read(gzip.compress(body, mtime=0) if is_packed else body)
    assert source == TexSource("päper.tex", TEXT, "utf-8", (TexFile("päper.tex", len(TEXT)),))


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_of_a_usual_tool_is_read_in_each_of_its_forms(form: int) -> None:
    names = ["main.tex", "sections/" + "long/" * 30 + "name.tex", "sections/ünïcode.tex", "a/" * 48 + "deep.tex"]
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as whole:
        folder = tarfile.TarInfo("sections")
        folder.type = tarfile.DIRTYPE
        whole.addfile(folder)
        for name in names:
            info = tarfile.TarInfo(f"./{name}" if form == tarfile.GNU_FORMAT else name)
            info.size = len(PAPER)
            whole.addfile(info, io.BytesIO(PAPER))
    assert [file.name for file in read(target.getvalue()).files] == names


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.5\n%binary",
        b"\xef\xbb\xbf \r\n%PDF-1.5",
        gzip.compress(b"%PDF-1.5", mtime=0),
        b"%!PS-Adobe-2.0",
        gzip.compress(b"PK\x03\x04word", mtime=0),
        b"<!DOCTYPE html>",
        packed({"paper.pdf": "%PDF-1.5", "figure.png": "x", "notes.txt": "text"}),
        packed(
            {
                "main.tex": "\\documentclass{article}\n\\usepackage{pdfpages}\n\\begin{document}\n"
                "\\includepdf[pages=-]{paper.pdf}\n\\end{document}\n",
                "paper.pdf": "%PDF-1.5",
            }
        ),
        packed({"main.tex": "% " + "comment " * 500 + "\n\\includepdf{a.pdf}\\includepdf*[x]{b.pdf}"}),
        END,
    ],
)
def test_paper_that_is_no_tex_has_no_source(body: bytes) -> None:
    # references A100
    for expand in (True, False):
        with pytest.raises(NoFullText):
            read(body, expand=expand)


def test_paper_with_a_pdf_and_words_of_its_own_is_no_wrapper() -> None:
    body = {"main.tex": r"\documentclass{a}\input{body}\includepdf{a.pdf}", "body.tex": "word " * 500}
    assert read(packed(body)).main_file == "main.tex"
    assert read(packed({"main.tex": "word " * 500 + r"\includepdf{a.pdf}"})).main_file == "main.tex"
    assert read(packed({"main.tex": "\\documentclass{a}   % no \\includepdf\n\n"})).main_file == "main.tex"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" \n",
        b"\x00\x01binary",
        gzip.compress(b"", mtime=0),
        gzip.compress(PAPER, mtime=0)[:-12],
        gzip.compress(PAPER, mtime=0)[:-8] + b"\x00" * 8,
        gzip.compress(PAPER, mtime=0)[:20] + b"\xff" * 20,
        b"\x1f\x8b",
        tar({"a.tex": PAPER})[:530],
        tar({"a.tex": PAPER})[:-1024] + b"x" * 512,
        tar({"a.tex": PAPER})[:-1024] + b"x" * 5,
        member("a.tex", PAPER) + header(b"b.tex", 0)[:200],
        archive([header(b"a.tex", 0, size_field=b"\xff" * 12)]),
        archive([header(b"a.tex", 0, size_field=b"0x10".ljust(12))]),
        archive([header(b"a.tex", 0, size_field=b"-1".ljust(12))]),
        header(b"a.tex", 100) + b"short",
        b"x" * 257 + b"ustar" + b"x" * 300,
        packed({"a.tex": b"\x00\x01"}),
        packed({"a.tex": "", "b.tex": " \n"}),
    ],
)
def test_archive_that_is_broken_or_has_no_readable_tex_is_malformed(body: bytes) -> None:
    with pytest.raises(SourceMalformed) as failure:
        read(body)
    assert failure.value.source == "arxiv-src"


def test_padding_and_rubbish_after_the_end_do_not_matter() -> None:
    whole = tar({"a.tex": PAPER})
    assert read(gzip.compress(whole, mtime=0) + b"rubbish").main_file == "a.tex"
    assert read(whole + b"rubbish").main_file == "a.tex"
    assert read(whole[:-1024]).main_file == "a.tex"
    assert read(whole[: 512 + len(PAPER)]).main_file == "a.tex"
    assert read(gzip.compress(whole[:600], mtime=0) + gzip.compress(whole[600:], mtime=0)).main_file == "a.tex"


@contextmanager
def nothing_opened() -> Iterator[list[str]]:
    """Fails when a file is opened, or anything else is done to the disk, while it lasts."""
    seen: list[str] = []
    is_watching = [True]

    def hook(event: str, _: object) -> None:
        if is_watching[0] and (
            event in ("open", "socket.connect", "subprocess.Popen") or event.startswith(("os.", "shutil."))
        ):
            seen.append(event)

    sys.addaudithook(hook)
    try:
        yield seen
    finally:
        is_watching[0] = False


UNSAFE = [
    "../x.tex",
    "a/../../x.tex",
    "/etc/x.tex",
    "C:/x.tex",
    "C:x.tex",
    "\\x.tex",
    "..\\x.tex",
    "a/..",
    "a\nb.tex",
    "x.tex/",
    "",
    ".",
    "a" * 99 + "\x01",
]


@pytest.mark.parametrize("name", UNSAFE)
def test_member_with_an_unsafe_name_is_never_read(name: str) -> None:
    # references A100
    unsafe = [member(name, b"secret"), pax({"path": name}) + member("b.tex", b"secret")]
    unsafe += [member("x", name.encode() + b"\x00", b"L") + member("b.tex", b"secret")] if name else []
    with nothing_opened() as seen:
        source = read(archive([*unsafe, member("main.tex", PAPER + b"\\input{../x}\\input{/etc/x}\\input{x}")]))
    assert seen == []
    assert source.files == (TexFile("main.tex", len(source.text)),)
    assert "secret" not in source.text


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"5", b"6", b"S", b"V", b"M", b"D", b"\xff"])
def test_only_regular_files_are_read(kind: bytes) -> None:
    # references A100
    has_data = kind not in b"123456"
    odd = header(b"x.tex", 6 if has_data else 99, kind, link=b"/etc/passwd") + (padded(b"secret") if has_data else b"")
    source = read(archive([odd, member("main.tex", PAPER + b"\\input{x}")]))
    assert source.files == (TexFile("main.tex", len(source.text)),)
    assert source.unresolved == ("x",)


def test_sparse_files_are_passed_over_with_all_their_maps() -> None:
    old = bytearray(header(b"x.tex", 6, b"S", magic=b"ustar  \x00"))
    old[482] = 1
    old[148:156] = b" " * 8
    old[148:156] = b"%06o\x00 " % sum(old)
    more, last = bytearray(512), bytearray(512)
    more[504] = 1
    new = pax({"GNU.sparse.major": "1", "GNU.sparse.name": "x.tex", "GNU.sparse.realsize": "99999999999"})
    body = [bytes(old), bytes(more), bytes(last), padded(b"secret"), new, member("y.tex", b"secret")]
    source = read(archive([*body, member("main.tex", PAPER)]))
    assert [file.name for file in source.files] == ["main.tex"]
    with pytest.raises(SourceMalformed):
        read(bytes(old) + bytes(more) * 5)


def test_extension_headers_name_and_size_the_member_after_them_alone() -> None:
    long = "sections/" + "x" * 200 + ".tex"
    body = [
        pax({"path": "globally/wrong.tex"}, b"g"),
        pax({"path": "näme.tex", "size": str(len(PAPER)), "mtime": "1.5"}) + header(b"old", 0) + padded(PAPER),
        member("@LongLink", b"ignored", b"K")
        + member("@LongLink", long.encode() + b"\x00", b"L")
        + member("old2", b"a"),
        member("plain.tex", b"b", prefix=b"folder"),
        member("gnu.tex", b"c", magic=b"ustar  \x00", prefix=b"times"),
    ]
    files = read(archive(body)).files
    assert [file.name for file in files] == ["näme.tex", long, "folder/plain.tex", "gnu.tex"]


@pytest.mark.parametrize(
    "records",
    [
        b"99 path=x\n",
        b"0 path=x\n",
        b"-5 path=x\n",
        b"path=x\n",
        b"10 pathxyz\n",
        b"11 path=xyz ",
        b"9" * 30 + b" a=b\n",
        b"12 size=1_0\n",
        b"11 size=-1\n",
        b"28 size=" + b"9" * 19 + b"\n",
        b"\xb2 a=b\n",
    ],
)
def test_broken_extension_header_is_malformed(records: bytes) -> None:
    with pytest.raises(SourceMalformed):
        read(archive([member("pax", records, b"x"), member("main.tex", PAPER)]))


def test_member_behind_an_endless_extension_header_has_no_known_name() -> None:
    source = read(archive([pax({"comment": "x" * 70_000}), member("x.tex", b"secret"), member("main.tex", PAPER)]))
    assert [file.name for file in source.files] == ["main.tex"]
    long = pax({"path": "a" * 1_100 + ".tex"}) + member("x.tex", b"secret")
    assert [file.name for file in read(archive([long, member("main.tex", PAPER)])).files] == ["main.tex"]
    with pytest.raises(SourceMalformed):
        read(archive([pax({"path": "a"}) * 9, member("main.tex", PAPER)]))


def test_of_two_members_of_one_name_the_later_is_the_file() -> None:
    assert read(archive([member("a.tex", b"old"), member("./a.tex", PAPER)])).text == TEXT


def test_listed_are_the_text_files_of_an_archive_two_hundred_at_most() -> None:
    files = {"main.tex": PAPER, "fig.PNG": b"x", "refs.bib": "ä@book", "data.dat": "1 2", "odd": b"\x00"}
    assert read(packed(files)).files == (TexFile("main.tex", len(TEXT)), TexFile("refs.bib", 6), TexFile("data.dat", 3))
    assert len(read(packed({f"{number}.tex": "x" for number in range(250)})).files) == 200


@pytest.mark.parametrize(
    "body",
    [
        b"%auto-ignore\nThis paper has been withdrawn by the author due to an error.",
        gzip.compress(b"%auto-ignore\r\n\r\n  This submission is WITHDRAWN.\n", mtime=0),
        packed({"paper.tex": "%auto-ignore\nwithdrawn"}),
    ],
)
def test_withdrawn_paper_is_not_found(body: bytes) -> None:
    for expand in (True, False):
        with pytest.raises(NotFound):
            read(body, expand=expand)


def test_paper_that_speaks_of_withdrawing_is_read() -> None:
    assert read(b"%auto-ignore\n" + b"x" * 2000 + b" withdrawn").main_file is None
    assert read(b"The offer was withdrawn.").text == "The offer was withdrawn."
