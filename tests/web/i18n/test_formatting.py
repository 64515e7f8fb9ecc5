"""Numbers, dates, ages and lists in each language."""

import time

import pytest
from flask import Flask

from voteweb.web.i18n import formatting


def test_english_formats(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert formatting.format_datetime(1_795_226_400) == "21 Nov 2026, 02:00 UTC"
        assert formatting.format_number(12_345) == "12,345"
        assert formatting.duration(26 * 3_600) == "1 day 2 h"
        assert formatting.duration(3_600) == "1 h"
        assert formatting.duration(0) == "0 s"
        assert formatting.relative_time(3 * 3_600) == "3 hours ago"
        assert formatting.relative_time(5) == "just now"
        assert formatting.join_names(["a", "b"]) == "a, b"
        assert formatting.vote_count(1) == "1 vote"
        assert formatting.vote_count(2) == "2 votes"


def test_chinese_formats(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "zh"}):
        assert formatting.format_datetime(1_795_226_400) == "2026年11月21日 02:00 UTC"
        assert formatting.format_number(12_345) == "12,345"
        assert formatting.duration(26 * 3_600) == "1天2小时"
        assert formatting.duration(3_600) == "1小时"
        assert formatting.duration(0) == "0秒"
        assert formatting.relative_time(3 * 3_600) == "3小时前"
        assert formatting.relative_time(5) == "刚刚"
        assert formatting.join_names(["a", "b"]) == "a、b"
        assert formatting.vote_count(1) == "1票"
        assert formatting.vote_count(2) == "2票"


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (1.9, "1 hour ago"),
        (36, "1 day ago"),
        (13.9 * 24, "13 days ago"),
        (29.9 * 24, "29 days ago"),
        (30 * 24, "1 month ago"),
        (364 * 24, "12 months ago"),
        (700 * 24, "1 year ago"),
    ],
)
def test_ages_are_rounded_down_and_told_in_days_for_a_month(hours: float, text: str, app: Flask) -> None:
    with app.app_context():
        assert formatting.relative_time(hours * 3_600) == text
        assert formatting.relative_time(formatting.round_age(hours * 3_600)) == text


def test_formats_outside_of_a_request_are_english(app: Flask) -> None:
    with app.app_context():
        assert formatting.vote_count(2) == "2 votes"
        assert formatting.format_datetime(time.time()).endswith(" UTC")
