"""Numbers, dates, ages and lists in each language."""

import pytest
from flask import Flask

from voteweb.web.i18n import formatting


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["21 Nov 2026, 02:00 UTC", "12,345", "1 day 2 h", "1 h", "0 s", "3 hours ago", "just now", "a, b"]),
        ("zh", ["2026年11月21日 02:00 UTC", "12,345", "1天2小时", "1小时", "0秒", "3小时前", "刚刚", "a、b"]),
    ],
)
def test_formats_are_those_of_the_language(language: str, texts: list[str], app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        assert [
            formatting.format_datetime(1_795_226_400),
            formatting.format_number(12_345),
            *map(formatting.duration, (26 * 3_600, 3_600, 0)),
            *map(formatting.relative_time, (3 * 3_600, 5)),
            formatting.join_names(["a", "b"]),
        ] == texts
        counts = ["1 vote", "2 votes"] if language == "en" else ["1票", "2票"]
        assert [formatting.vote_count(1), formatting.vote_count(2)] == counts


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (36, "1 day ago"),
        (29.9 * 24, "29 days ago"),
        (30 * 24, "1 month ago"),
        (700 * 24, "1 year ago"),
    ],
)
def test_ages_are_rounded_down_and_in_days_for_a_month(hours: float, text: str, app: Flask) -> None:
    with app.app_context():
        assert formatting.relative_time(hours * 3_600) == text
        assert formatting.relative_time(formatting.round_age(hours * 3_600)) == text
