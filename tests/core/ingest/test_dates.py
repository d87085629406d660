import pytest

from core.ingest.dates import arxiv_month, first_day, mail_date, partial_date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2019", "2019"),
        ("2019-03", "2019-03"),
        ("2019-03-05", "2019-03-05"),
        ("2019-03-05T10:00:00Z", "2019-03-05"),
        ("2019-13", None),
        ("2019-02-29", None),
        ("20190305", None),
        ("05.03.2019", None),
        ("2019-03T10:00", None),
        ("", None),
    ],
)
def test_dates_keep_their_precision(text: str, date: str | None) -> None:
    assert partial_date(text) == date


def test_a_period_begins_on_its_first_day() -> None:
    assert [first_day(text) - first_day("2019") for text in ("2019", "2019-01", "2019-02", "2019-02-03")] == [
        0,
        0,
        31,
        33,
    ]


def test_mail_dates_are_days() -> None:
    assert mail_date("Mon, 2 Apr 2007 19:18:42 GMT") == "2007-04-02"
    assert mail_date("once upon a time") is None


def test_new_arxiv_ids_tell_their_month() -> None:
    assert [arxiv_month(i) for i in ("1706.03762", "0704.0001", "hep-th/9711200", "1713.00001")] == [
        "2017-06",
        "2007-04",
        None,
        None,
    ]
