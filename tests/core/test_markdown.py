"""Markdown: work that is bounded by the length of a text, and emphasis beside Chinese, Japanese and Korean."""

import re
import sys
from typing import Any

import pytest
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import linkify as linkify_rule

from voteweb.core import markdown
from voteweb.core.markdown import InlineState

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


@pytest.mark.parametrize("piece", ["://", "http://a"])
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


def test_an_address_in_many_links_makes_no_huge_page() -> None:
    address = f"http://{'x' * 10_000}"
    assert len(markdown.to_html(f"[x]: {address}\n" + "\n[x]" * 2_400)[0]) < 80 * LENGTH


@pytest.mark.parametrize("link", ["[a](http://b.c) ", "<http://b.c> ", "http://b.c ", "[r] "])
def test_text_has_50_links_and_the_rest_stays_plain(link: str) -> None:
    html, _ = markdown.to_html(f"[r]: http://d.e\n\n{link * 60}*a*")
    assert html.count("<a href=") == 50
    assert "<em>a</em>" in html


@pytest.mark.parametrize("mark", ["*", "__", "~~"])
def test_text_has_500_emphasis_marks_and_the_rest_stays_plain(mark: str) -> None:
    html, _ = markdown.to_html(f"{mark}a{mark} " * 300 + "[b](http://c.d)")
    assert html.count("</") - len(["</a>", "</p>"]) == 250 // len(mark)
    assert html.count(mark) == 600 - 2 * (250 // len(mark))
    assert "<a href=" in html


def test_steps_tell_how_much_markup_a_text_has() -> None:
    steps = [
        markdown.to_html(repeated(piece))[1] for piece in ("usual words ", "*usual* words\n\n", "*a*\n\n", "a\n\n")
    ]
    assert steps == sorted(steps)
    assert steps[0] < LENGTH / 500
    assert steps[-1] == steps[-2] == 2_500 + LENGTH / 10, "all that a text may take"


#: Examples of the section about emphasis in CommonMark 0.31, and of strikethrough.
COMMONMARK = [
    "*foo bar*", "a * foo bar*", 'a*"foo"*', "*\u00a0a\u00a0*", "*$*alpha.", "*£*bravo.", "*€*charlie.", "foo*bar*",
    "5*6*78", "_foo bar_", "_ foo bar_", 'a_"foo"_', "foo_bar_", "5_6_78", "пристаням_стремятся_", 'aa_"bb"_cc',
    "foo-_(bar)_", "_foo*", "*foo bar *", "*(*foo)", "*(*foo*)*", "*foo*bar", "_foo_bar", "_foo_bar_baz_",
    "_(bar)_.", "**foo bar**", "** foo bar**", 'a**"foo"**', "foo**bar**", "__foo bar__", "foo-__(bar)__",
    "**foo bar **", "**(**foo)", "*(**foo**)*", '**foo "*bar*" foo**', "**foo**bar", "__foo__bar__baz__",
    "*foo **bar** baz*", "*foo**bar**baz*", "***foo** bar*", "*foo **bar***", "foo***bar***baz",
    "foo******bar*********baz", "*foo **bar *baz* bim** bop*", "** is not an empty emphasis", "foo *\\**", "foo **_**",
    "**foo*", "****foo*", "*foo**", "__foo_", "***foo***", "*foo _bar* baz_", "**foo **bar baz**", "*[bar*](/url)",
    "*a `*`*", "~~foo~~", "a ~~ b~~", "~~(~~a)~~", "foo~~bar~~",
]  # fmt: skip
BOLD = [
    ("**提示：**请", "<strong>提示：</strong>请"),
    ("请看**「提示」**。", "请看<strong>「提示」</strong>。"),
    ("**이것(bold)**은", "<strong>이것(bold)</strong>은"),
    ("见**[链接](https://a.example)**后", '见<strong><a href="https://a.example">链接</a></strong>后'),
    ("~~旧的。~~新", "<s>旧的。</s>新"),
    ("**重点**：", "<strong>重点</strong>："),
    ("中__文__字", "中__文__字"),
    ("**提示：请", "**提示：请"),
]


def unpatched(source: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InlineState, "scanDelims", StateInline.scanDelims)
        return markdown.to_html(source)[0]


def test_emphasis_beside_cjk_punctuation() -> None:
    assert [markdown.to_html(source)[0] for source, _ in BOLD] == [f"<p>{html}</p>\n" for _, html in BOLD]


def test_examples_of_commonmark_render_as_before() -> None:
    assert [markdown.to_html(source)[0] for source in COMMONMARK] == list(map(unpatched, COMMONMARK))
