"""The work of rendering a text is bounded by its length, whatever it contains."""

import re
import sys
from typing import Any

import pytest
from markdown_it.rules_inline import linkify as linkify_rule

from voteweb.core import markdown

#: Pieces that are repeated.
PIECES = [
    "[a\n", "[", "[[a]", "![", "[a](", "](", "://", "http://", "http://a.b/(", "|www.a.b", "a@b.c", "* * a\n", "> ",
    "- ", "  - a\n", "*a", "_*", "`a", "<a ", "&a", "|a|\n|-|\n", "[a]: b\n[a]\n", "a\n", "~~~\n", "\\[",
    "**中：", "中**：**", "@a_", "_@a", f"{16 * '>'}\na\n", ">>>#\na\n",
]  # fmt: skip
WIDE_TABLE = f"|{'a|' * 200}\n|{'-|' * 200}\n" + "|\n" * 2_000
#: Calls of Python functions for each character.
MAX_CALLS = 250
#: Characters of each text: enough to tell work that grows with the square of the length.
LENGTH = 5_000


def repeated(piece: str) -> str:
    return (piece * LENGTH)[:LENGTH]


@pytest.mark.parametrize("source", [*map(repeated, PIECES), WIDE_TABLE], ids=[*map(repr, PIECES), "wide table"])
def test_parser_takes_few_steps_for_each_character(source: str) -> None:
    calls = 0

    def count(_frame: Any, _event: str, _argument: Any) -> None:
        nonlocal calls
        calls += 1
        assert calls < MAX_CALLS * LENGTH

    sys.setprofile(count)
    try:
        markdown.to_html(source)
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("piece", ["://", "http://", "http://a", "a://"])
def test_plain_links_read_little_of_what_is_before_them(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    class Pattern:
        def search(self, text: str) -> re.Match[str] | None:
            nonlocal read
            read += len(text)
            return scheme.search(text)

    scheme = sys.modules[linkify_rule.__module__].SCHEME_RE
    monkeypatch.setattr(sys.modules[linkify_rule.__module__], "SCHEME_RE", Pattern())
    markdown.to_html(repeated(piece))
    assert read <= 50 * LENGTH


def test_address_used_by_many_links_does_not_make_a_huge_page() -> None:
    address = f"http://{'x' * 10_000}"
    assert len(markdown.to_html(f"[x]: {address}\n" + "\n[x]" * 2_400)[0]) < 80 * LENGTH


@pytest.mark.parametrize("link", ["[a](http://b.c) ", "<http://b.c> ", "http://b.c ", "[r] "])
def test_text_has_50_links_and_the_rest_stays_plain(link: str) -> None:
    html, _ = markdown.to_html(f"[r]: http://d.e\n\n{link * 60}*a*")
    assert html.count("<a href=") == 50
    assert "<em>a</em>" in html


@pytest.mark.parametrize("mark", ["*", "__", "~~"])
def test_text_has_500_marks_of_emphasis_and_the_rest_stays_plain(mark: str) -> None:
    html, _ = markdown.to_html(f"{mark}a{mark} " * 300 + "[b](http://c.d)")
    assert html.count("</") - len(["</a>", "</p>"]) == 250 // len(mark)
    assert html.count(mark) == 600 - 2 * (250 // len(mark))
    assert "<a href=" in html


def test_usual_text_keeps_all_its_markup() -> None:
    text = "A *list* of [links](http://example.com/page):\n\n- `one` of them\n- **two**: http://example.com/other\n\n"
    html, _ = markdown.to_html(text * 25)
    assert [html.count(tag) for tag in ("<em>", "<strong>", "<code>", "<li>", "<a ")] == [25, 25, 25, 50, 50]


def test_steps_tell_how_much_markup_a_text_has() -> None:
    steps = [
        markdown.to_html(repeated(piece))[1] for piece in ("usual words ", "*usual* words\n\n", "*a*\n\n", "a\n\n")
    ]
    assert steps == sorted(steps)
    assert steps[0] < LENGTH / 500
    assert steps[-1] == steps[-2] == 2_500 + LENGTH / 10, "all that a text may take"
