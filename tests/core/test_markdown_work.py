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
    "**中：", "中**：**", "@a_", "_@a",
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
    assert len(markdown.to_html(f"[x]: {address}\n" + "\n[x]" * 2_400)) < 80 * LENGTH


def test_text_full_of_links_keeps_them_all() -> None:
    links = repeated("[a *b* c](http://example.com/page) http://example.com/other\n\n")
    assert markdown.to_html(links).count('href="http://example.com/') == links.count("/page)") + links.count("/other")
