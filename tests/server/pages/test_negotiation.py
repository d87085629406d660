"""When a caller is shown the page."""

import pytest

from server.pages.negotiation import wants_page

CHROMIUM = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        (CHROMIUM, True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True),
        ("text/html", True),
        ("TEXT/HTML; Q=0.5", True),
        ("text/html;charset=utf-8;q=0.9, application/json;q=0.8", True),
        ("text/html;q=0.2, application/json;q=0.1, */*", True),
        ("application/json;q=0, text/html;q=0.001, */*", True),
        ("text/html;q=0.5, application/*;q=0.4, */*;q=0.9", True),
        ("text/html;q=0.3, text/html;q=0.9, */*;q=0.5", True),
        ("", False),
        ("*/*", False),
        ("text/*", False),
        ("application/json", False),
        ("application/json, text/html", False),
        ("text/html, */*", False),
        ("text/html;q=0.8, */*;q=0.8", False),
        ("text/html;q=0.4, application/*;q=0.5", False),
        ("text/html;q=0", False),
        ("text/html;q=x", False),
        ("text/html;q=2", False),
        ("text/html;q=-1, */*;q=0", False),
        ("application/xhtml+xml, */*;q=0.1", False),
        (";;,,q=1,=", False),
    ],
)
def test_a_page_is_for_who_names_it_above_json(accept: str, page: bool) -> None:
    # hosting A14
    assert wants_page([(b"accept", accept.encode())], b"") is page


def test_several_lines_of_accept_are_one_list() -> None:
    assert wants_page([(b"accept", b"text/html"), (b"accept", b"*/*;q=0.1")], b"")
    assert not wants_page([(b"accept", b"text/html"), (b"accept", b"application/json")], b"")
    assert not wants_page([], b"")


@pytest.mark.parametrize(
    ("query", "page"),
    [
        (b"format=html", True),
        (b"a=b&format=html", True),
        (b"format=json&format=html", True),
        (b"format=html&format=nope", True),
        (b"format=json", False),
        (b"format=html&format=json", False),
    ],
)
def test_the_query_decides_over_the_header(query: bytes, page: bool) -> None:
    # hosting A14
    for accept in (b"text/html", b"application/json"):
        assert wants_page([(b"accept", accept)], query) is page


@pytest.mark.parametrize("query", [b"", b"format=", b"format=xml", b"FORMAT=json", b"\xff\xfe=%zz&;"])
def test_any_other_query_leaves_the_header_to_decide(query: bytes) -> None:
    assert wants_page([(b"accept", b"text/html")], query)
    assert not wants_page([], query)
