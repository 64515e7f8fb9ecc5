"""Whatever is typed becomes a query: what was understood, and kind messages about the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.search.grammar import parse
from voteweb.search.models import Kind

#: Texts that are full of what has a meaning.
SIGNS = [*'"-:*^{}', "'", "OR ", "NEAR(", "AND ", "，", "“", "编程", "go", "c++", "http://", "a.com/", "\x00", "\ud800"]
FIELDS = ["title:", "group:", "domain:", "by:", "before:2016 ", "after:", "in:"]
TYPED = st.lists(st.sampled_from([*SIGNS, *FIELDS]) | st.text(max_size=5)).map("".join)


def shape(typed: str) -> list[str]:
    """Return what *typed* was understood as: alternatives with "|", tokens of a phrase with "_", fields and signs."""
    return [
        ("-" if part.is_excluded else "")
        + "|".join(f"{term.field}:{'_'.join(term.tokens)}{'*' * term.is_prefix}" for term in part.terms)
        for part in parse(typed).parts
    ]


#: What is typed, and what is understood.
SHAPES = [
    ('python "open source" -java', [":python", ":open_source", "-:java"]),
    ("编程 “开源” ｔｉｔｌｅ group：Ask", [":编程", ":开源", ":title", "group:#ask"]),
    ("a OR b OR -c", [":a|:b", "-:c"]),
    ("title:rust -by:@Bob site:www.Example.com", ["title:rust", "-by:@bob", "domain:/example.com"]),
    ("node.js c++ c# .net a&b", [":node_js|domain:/node.js", ":c++", ":c#", ":.net_net", ":a_b"]),
    ("prog* 编* OR", [":prog*", ":编"]),
    ("https://www.example.com/x", ["link:=1446f7c8fa|:example_com_x"]),
    ("http: in: -", [":http", ":in"]),
]
#: What is typed and not understood, and the message about it.
PROBLEMS = [
    ("-java", "Please add a word"),
    ("before:2016-13", "before:2016-13: this is no date"),
    ("go*", "go*: a star needs at least 3 letters"),
    ("alpha* beta* gamma* delta* omega*", "that of omega* was left out"),
    ("in:x", "in:x: please write in:articles or in:comments"),
    ("-in:comments", "this cannot be excluded"),
    ("a " * 13, "at most 12 words"),
    ("a" * 201, "at most 200 characters"),
]


def test_typed_words_are_understood_and_the_rest_has_a_message(subtests: pytest.Subtests) -> None:
    check_results(subtests, {shape: SHAPES})
    for typed, message in PROBLEMS:
        with subtests.test(typed):
            assert [str(problem) for problem in parse(typed).problems if message in str(problem)]


def test_dates_are_days_of_universal_time() -> None:
    query = parse("after:2016-02 before:2016/2/29 in:comment")
    assert (query.after, query.before, query.kind) == (1_454_284_800, 1_456_704_000, Kind.COMMENTS)
    assert not query.is_empty


def test_a_group_is_looked_for_by_another_name() -> None:
    query = parse("lua group:serpent -group:ask")
    assert query.group_names == ("serpent", "ask")
    query = query.with_groups({"serpent": "python"})
    assert query.text == "lua group:serpent -group:ask"
    assert (query.required, query.excluded) == (parse("lua group:python").required, parse("x -group:ask").excluded)


def test_links_can_narrow_and_widen_a_query() -> None:
    query = parse('"open source" group:ask -by:bob')
    assert query.with_term("group:show") == '"open source" -by:bob group:show'
    assert query.without_field("group") == '"open source" -by:bob'
    assert query.understood == ('"open source"', "group:ask", "-by:bob")


@given(TYPED)
def test_anything_can_be_typed(typed: str) -> None:
    query = parse(typed)
    again = parse(" ".join(query.understood))
    assert again.parts == query.parts or len(typed) > 200
    assert all(term.tokens and all(term.tokens) for part in query.parts for term in part.terms)
    assert query.is_empty <= bool(query.problems or not typed.strip() or query.kind)
