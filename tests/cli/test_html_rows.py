"""Rows of dumps in HTML: as their authors typed them, in Markdown, in a time that grows with their length only."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.dom import parse
from voteweb.cli.html_rows import decoded, html_in, to_markdown
from voteweb.core import markup

#: Long texts of tags that never end, or that are inside each other.
HOSTILE = [
    "<a href=x ",
    "<i>",
    "<i> </i>",
    "<pre>",
    "<p><a href='",
    "</i>",
    "<",
    '<a href="https://a.example"><i>',
    "&",
    "_*",
]

#: HTML as dumps have it, and the Markdown of it.
TEXTS = [
    ("First<p>Second <i>it</i> &amp; more", "First\n\nSecond *it* & more"),
    ("<p>One</p>\n<p>Two<br>Three</p>", "One\n\nTwo\n\nThree"),
    ("&gt; quoted<p>I&#x27;m &quot;here&quot;", '> quoted\n\nI\'m "here"'),
    ("see <i> this </i>now, <i></i>not <em>that</em>", "see  *this* now, not *that*"),
    ("<i>one<p>two</i> <i>three</i>", "one\n\ntwo *three*"),
    ("<i><i>deep</i></i> <b>bold</b> <script>alert(1)</script>", "*deep* bold alert(1)"),
    ("</i></a>loose <i>open <a href='https://a.example/'>both", "loose open both"),
    ("<a href='https://a.example/'><i>label</i> <b>b</b></a>", "[*label* b](<https://a.example/>)"),
    (
        '<a href="https:&#x2F;&#x2F;a.example&#x2F;b_c_d?e=1&amp;f=2" rel="nofollow">https:&#x2F;&#x2F;a.example...'
        "</a>",
        "<https://a.example/b_c_d?e=1&f=2>",
    ),
    ('<a href="https://a.example/(x y)&gt;">a [label]</a>', "[a \\[label\\]](<https://a.example/(x%20y)%3E>)"),
    ('<a href="javascript:alert(1)">label</a>', "label"),
    ("<a>label</a> &lt;a href=&quot;x&quot;&gt;", 'label \\<a href="x">'),
    ("<pre><code>  if a &lt; b:\n    *c*\n</code></pre>after", "```\n  if a < b:\n    *c*\n```\n\nafter"),
    ("<pre>```\n&amp;lt;<p>x</pre>", "````\n```\n&lt;x\n````"),
    (
        "<p># one *two* __three__ a_b `c` &amp;amp; [1]: x",
        "\\# one \\*two\\* \\_\\_three\\_\\_ a_b \\`c\\` \\&amp; \\[1\\]: x",
    ),
    ("https://a.example/_b_ ~~d~~", "https://a.example/_b_ \\~\\~d\\~\\~"),
    ("3 < 4 <3 <!-- x --> done", "3 < 4 <3  done"),
    ("", ""),
]


@pytest.mark.parametrize(("html", "markdown"), TEXTS)
def test_html_becomes_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@given(st.text("ab*_[]`\\\\<>&;~#!() 1.-amplt"))
def test_markdown_shows_what_the_html_showed(typed: str) -> None:
    shown = parse(markup.render(to_markdown(f"x {escape(typed)}<p>end")).html.decode()).text
    assert shown == " ".join(f"x {typed} end".split())


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_html_takes_time_by_its_length_only(part: str) -> None:
    assert len(to_markdown(part * 50_000)) <= 3 * len(part) * 50_000


def test_row_is_decoded_but_for_its_other_fields() -> None:
    row = {"title": "Tom &amp; Jerry&#x27;s", "link": "https://a.example/?a=1&amp;b=2", "text": "<i>x</i>", "votes": 3}
    assert decoded(row | {"poster": "a&amp;b"}) == {
        "title": "Tom & Jerry's", "link": "https://a.example/?a=1&b=2", "text": "*x*", "votes": 3, "poster": "a&amp;b",
    }  # fmt: skip
    assert decoded({"title": 7, "link": None}) == {"title": 7, "link": None}


@pytest.mark.parametrize(
    ("row", "example"),
    [
        ({"title": "AT&amp;T"}, "&amp;"),
        ({"title": "x", "text": "a<p>b"}, "<p>"),
        ({"text": "I&#x27;m"}, "&#x27;"),
        ({"link": "https://a.example/?a=1&b=2", "title": "<b> & R&D; <p", "text": None}, ""),
    ],
)
def test_row_that_looks_like_html_is_found(row: dict[str, str], example: str) -> None:
    assert html_in(row) == example
