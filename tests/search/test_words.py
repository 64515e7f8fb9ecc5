"""Texts and typed words become tokens, so that what is typed is found wherever it is part of a text."""

import unicodedata
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.search import files
from voteweb.search.words import located, tokens, typed_tokens

CHINESE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=12)
#: Texts of the kinds that divide differently, so that their borders are met often.
MIXED = st.lists(
    st.one_of(
        CHINESE, st.sampled_from(["c++", "C#", ".NET", " ", "-", "，", "½", "Ü", "e\u0301", "ภา", "a"]), st.text()
    )
).map("".join)


def contains(text: list[str], part: list[str]) -> bool:
    return any(text[at : at + len(part)] == part for at in range(len(text) + 1))


def test_a_text_is_divided_into_words_and_pairs(subtests: pytest.Subtests) -> None:
    rows = [
        ("Open-source, don't!", "open source don t"),
        ("C++17 and C#, A+", "c++ 17 and c# a+"),
        (".NET asp.net Google+ node.js", ".net net asp net google+ google node js"),
        ("C++语言，用.NET", "c++ 语 语言 言 用 .net net"),
        ("a+b #1 x.y snake_case", "a b 1 x y snake case"),
        ("Café STRASSE straße ＦＵＬＬ ё", "cafe strasse strasse full е"),
        ("编程语", "编 编程 程 程语 语"),
        ("हिन्दी", "हिन्दी"),
    ]
    check_results(subtests, {lambda text: " ".join(tokens(text)): rows})


@given(CHINESE, CHINESE, CHINESE)
def test_every_substring_of_chinese_characters_is_found(before: str, typed: str, after: str) -> None:
    assert contains(tokens(f"{before}{typed}{after}"), typed_tokens(typed))
    assert contains(tokens(f"{before}{typed} word"), typed_tokens(f"{typed} word"))


@given(MIXED)
def test_a_text_is_found_by_itself_and_its_other_forms(text: str) -> None:
    assert contains(tokens(text), typed_tokens(text))
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(unicodedata.normalize("NFC", text))


@given(MIXED)
def test_tokens_can_stand_in_a_query_as_they_are(text: str) -> None:
    assert all(token and token.isprintable() and not set(token) & set(' "') for token in tokens(text))


@given(MIXED)
def test_each_place_in_a_text_holds_its_token(text: str) -> None:
    for token, start, end in located(text):
        assert 0 <= start < end <= len(text)
        assert token in tokens(text[start:end])


def test_tokens_are_those_of_the_schema() -> None:
    """Raise ``SCHEMA`` with every change of the tokens: an index finds only words that were divided as searches are."""
    sample = "The C++ of .NET, Google+ & node.js: don't! Café straße 编程语言的C#入门，½ हिन्दी ภาษาไทย 한국어 ｶﾞ"
    digest = blake2b(" ".join(tokens(sample)).encode(), digest_size=4).hexdigest()
    assert (files.SCHEMA, digest) == (6, "4cb00c45")
