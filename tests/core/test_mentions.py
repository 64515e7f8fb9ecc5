"""Names in texts, and quotations."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.core.config import MAX_MENTION_PLACES, MAX_MENTIONS
from voteweb.core.markdown import to_html
from voteweb.core.markup import render_comment
from voteweb.core.mentions import candidates, encode, quotation
from voteweb.core.names import is_in_one_script

NAMED = [
    ("Thanks @Alice!", "alice"),
    ("@alice, @BOB and @Alice again", "alice bob"),
    ("谢谢＠alice你好", "alice"),
    ("谢谢@alice你好@bob。", "alice bob"),
    ("Ask @alice. She knows (@bob too).", "alice bob"),
    ("@al-ice_2:", "al-ice_2"),
    ("**@alice** _@bob_ *@carl*", "alice bob carl"),
    ("@_bob_ and @__init__ or @a_b_c", "_bob_ __init__ a_b_c"),
    ("# @alice\n\n- @bob\n\n| a |\n|---|\n| @carl |", "alice bob carl"),
    ("`a`@alice", "alice"),
    ("@aliceé", "aliceé"),
    ("@ΝΊΚΟΣ και @Иван, @ИВАН", "νίκοσ иван"),
    ("谢谢＠李明，@田中さん！", "李明 田中さん"),
    ("@李明bob", "李明"),
]
UNNAMED = [
    "@",
    "@a",
    "@" + "a" * 21,
    "`@alice`",
    "    @alice",
    "```\n@alice\n```",
    "> @alice\ncontinues @bob",
    "- > @alice",
    "[@alice](https://example.com)",
    "https://example.com/@alice",
    "example.com/@alice",
    "me@alice",
    "josé@example.com",
    "@alice@social.example",
    "@@alice",
    "@alice.example",
    "a@alice@bob",
    "@jose\u0301",
]


def names(text: str) -> tuple[str, ...]:
    return tuple(found[0] for found in candidates(text))


def test_names_in_a_text(subtests: pytest.Subtests) -> None:
    check_results(subtests, {lambda text: " ".join(names(text)): [*NAMED, *((text, "") for text in UNNAMED)]})


def test_without_spaces_each_beginning_may_be_the_name() -> None:
    assert candidates("谢谢@李明请看。@bob你好") == (("李明请看", "李明请", "李明"), ("bob",))
    assert len(candidates("@" + "李" * 30)[0]) == 19


def links(text: str, members: str) -> list[str]:
    """Return the links of a comment that names some of these *members*, each with its text."""
    html = render_comment(text, encode(candidates(text), set(members.split()))).html.decode()
    return [f"{unquote(name)} {typed}" for name, typed in re.findall('<a href="/u/([^"]+)"[^>]*>([^<]+)</a>', html)]


#: Texts, the members among their names, and the links to these.
LINKED = [
    ("**@Alice**, @bob and @alice: [me](/u/bob)", "alice", ["alice @Alice", "alice @alice"]),
    ("@alice @bob @carl", "carl", ["carl @carl"]),
    ("> @alice\n\n`@alice` [@alice](https://a.example) @alice", "alice", ["alice @alice"]),
    ("谢谢＠李明请看，@李明。", "李明", ["李明 ＠李明", "李明 @李明"]),
    ("# @alice\n\n| a |\n|---|\n| &lt;@carl |", "alice carl", ["alice @alice", "carl @carl"]),
    (" ".join(f"@m{number}" for number in range(7)), "m4 m5", ["m4 @m4"]),  # beyond MAX_MENTIONS there are none
    ("@alice", "", []),
]


def test_names_of_members_are_links(subtests: pytest.Subtests) -> None:
    check_results(subtests, {links: LINKED})


def test_looking_ends_with_the_names_that_count() -> None:
    letters = "абвгдежзик"
    text = " ".join("@" + "".join(letters[int(digit)] for digit in f"{n:09}") for n in range(900))
    before = is_in_one_script.cache_info().misses
    assert len(names(text)) == MAX_MENTIONS
    assert is_in_one_script.cache_info().misses - before < 900


@pytest.mark.parametrize("piece", ["@alice ", "@alice\n", "@" + "李" * 40 + " ", "|@alice|\n|-|\n"])
def test_links_to_members_count_among_the_steps_of_a_page(piece: str) -> None:
    text = "@alice\n\n" + piece * 200
    letters = encode(candidates(text), {"alice", "李" * 19})
    plain, linked = render_comment(text), render_comment(text, letters)
    assert linked.steps > plain.steps, "a page renders only so many"
    assert linked.html.count(b'href="/u/') <= MAX_MENTION_PLACES


@given(st.text(st.sampled_from("@＠ab_-.*`>[]()é谢，\n"), max_size=60))
def test_any_text_names_well_formed_names(text: str) -> None:
    for name in names(text):
        assert f"@{name}" in text.replace("＠", "@").lower()


def test_quotation_quotes_every_line() -> None:
    quoted = quotation("One\n\n> Two\n```\nx\n")

    assert quoted == "> One\n>\n> > Two\n> ```\n> x\n\n"
    assert to_html(quoted + "Answer")[0].endswith("</blockquote>\n<p>Answer</p>\n")
    assert names(quotation("@alice")) == ()
