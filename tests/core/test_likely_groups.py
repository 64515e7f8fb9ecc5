"""Groups that are offered for an article."""

import pytest

from tests.rows import check_results
from voteweb.core.likely_groups import likely_groups

SIZES = {"python": 50, "rust": 40, "go": 30, "c": 20, "deep-learning": 10, "编程": 5}


def likeliest(title: str, of_domain: list[tuple[str, ...]], of_poster: list[tuple[str, ...]]) -> str:
    return likely_groups(title, of_domain, of_poster, SIZES, {"gophers": "go"}, 6)[0]


def test_likeliest_group(subtests: pytest.Subtests) -> None:
    rows = [
        ("Nothing in it", [], [], "python"),
        ("Rust, at last", [("go",)] * 5, [("c",)] * 10, "rust"),
        ("Trust the compiler", [], [], "python"),
        ("A deep learning primer", [], [], "deep-learning"),
        ("Gophers rejoice", [], [], "go"),
        ("学习编程的方法", [], [], "编程"),
        ("Of one domain", [("go",), ("go", "c")], [("c",)] * 2, "go"),
        ("Of one poster", [("go",)], [("c",)] * 3, "c"),
        ("Another's group", [("gone",)] * 10, [], "python"),
    ]
    check_results(subtests, {likeliest: rows})


def test_the_largest_follow_and_no_more_than_asked_for() -> None:
    assert likely_groups("On c", [], [], SIZES, {}, 3) == ("c", "python", "rust")
