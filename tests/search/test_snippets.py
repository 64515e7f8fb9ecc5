"""Titles and texts of results show where the typed words are, and never as markup."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from tests.search.test_words import MIXED
from voteweb.search.grammar import parse
from voteweb.search.snippets import mark_snippet, mark_title
from voteweb.search.words import tokens


def test_the_words_of_a_query_are_marked_in_a_title(subtests: pytest.Subtests) -> None:
    rows = [
        ("rust", "Rust & <mark>", "<mark>Rust</mark> &amp; &lt;mark&gt;"),
        ('"open source" -x', "Open-Source, open", "<mark>Open-Source</mark>, open"),
        ("程语", "编程语言", "编<mark>程语</mark>言"),
        ("编程 程语", "编程语言", "<mark>编程语</mark>言"),
        ("prog* OR cafe", "Programs: a Café", "<mark>Programs</mark>: a <mark>Café</mark>"),
        ("title:c++ by:bob", "C++ by Bob", "<mark>C++</mark> by Bob"),
    ]
    check_results(subtests, {lambda typed, title: mark_title(parse(typed), title): rows})


@given(st.text(max_size=20) | MIXED, MIXED)
def test_a_marked_title_keeps_its_text_and_marks_only_terms(typed: str, title: str) -> None:
    query = parse(typed)
    html = mark_title(query, title)
    assert unescape(re.sub("</?mark>", "", html)) == title
    for marked in re.findall("<mark>(.*?)</mark>", html, re.DOTALL):
        found = " ".join(tokens(unescape(marked)))
        assert any(" ".join(term.tokens) in found for term in query.words)


def test_a_snippet_shows_the_first_found_words_without_markdown() -> None:
    text = (
        "# Intro\n\n"
        + "word " * 60
        + "\n> a [needle & thread](http://x) in **hay**, `code` and snake_case"
        + " end" * 60
    )
    html = mark_snippet(parse("needle hay"), text)
    assert html.startswith("… word ")
    assert "a <mark>needle</mark> &amp; thread in <mark>hay</mark>, code and snake_case end" in html
    assert html.endswith(" …")
    assert len(html) < 220


@given(MIXED, MIXED)
def test_a_snippet_is_short_whatever_the_text(typed: str, text: str) -> None:
    assert len(unescape(re.sub("</?mark>", "", mark_snippet(parse(typed), text * 30)))) <= 164


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert mark_snippet(parse("title:other"), "*One*, two.") == "One, two."
