"""Validation of names, passwords, group titles and form tokens."""

from collections.abc import Callable

import pytest

from voteweb.core import validation
from voteweb.core.errors import Invalid

RLO, ZWJ = "\u202e", "\u200d"
LENGTH = "A group's name must have 1 to 30 characters."
LETTERS = "A group's name can only contain letters, digits, - and _."
COMMON = "Passwords such as this one are guessed first"
REASON = "Please give a reason. It is shown in the public log."
#: Texts that are accepted, and what is stored of each.
CLEANED = {
    validation.group_name: [
        ("python", "python"),
        (" Python ", "python"),
        ("编程", "编程"),
        ("c-_9", "c-_9"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "café"),
        ("हिन्दी", "हिन्दी"),
        ("İstanbul", "i\u0307stanbul"),
        ("٣", "٣"),
        ("g" * 30, "g" * 30),
    ],
    validation.group_title: [("  The  Go\nlanguage ", "The Go language"), ("编", "编"), ("x" * 60, "x" * 60)],
    validation.group_description: [("", ""), (" a\n b ", "a b"), ("x" * 300, "x" * 300)],
    validation.reason: [(" Off\ntopic. ", "Off topic."), ("编", "编"), ("x" * 300, "x" * 300)],
    validation.note: [(f" {RLO} ", "")],
    validation.password: [(typed, typed) for typed in ("83749201", " spaces stay ", "密码密码密码密码", "x" * 256)],
}
#: Messages, and the texts that are refused with each.
REFUSED = {
    validation.group_name: {
        LENGTH: ["", "  ", "g" * 31, "g" + "\u0323\u0301" * 75_000, "ß" * 16],  # casefolded to 32
        LETTERS: [
            *("a b", "a+b", "a:b", "a/b", "a*", "a.b", "c#", "😀", "<b>", "\u0301a", f"a{RLO}b", f"a{ZWJ}b", "a\x00"),
            *("²", "½"),
        ],
    },
    validation.group_title: {"A group's title must have 1 to 60 characters": ["", "  ", RLO, "x" * 61]},
    validation.group_description: {"A description can have at most 300 characters": ["x" * 301]},
    validation.reason: {REASON: ["", "  ", RLO], "Please use at most 300 characters.": ["x" * 301]},
    validation.note: {"Please use at most 300 characters.": ["x" * 301]},
    validation.password: {
        COMMON: ["password", "Password1", "12345678", "iloveyou1", "qwertyuiop", "TRUSTNO1"],
        "A password must have 8 to 256 characters": ["", "1234567", "x" * 257],
    },
}


@pytest.mark.parametrize("clean", CLEANED)
def test_typed_text_is_cleaned(clean: Callable[[str], str]) -> None:
    for typed, expected in CLEANED[clean]:
        assert clean(typed) == expected, typed[:40]


@pytest.mark.parametrize("clean", REFUSED)
def test_typed_text_is_refused(clean: Callable[[str], str]) -> None:
    cases = [(message, typed) for message, texts in REFUSED[clean].items() for typed in texts]
    assert [(message, typed[:40]) for message, typed in cases if message not in refusal(clean, typed)] == []


def refusal(clean: Callable[[str], str], typed: str) -> str:
    """Return the message about a text, "" if it is accepted."""
    try:
        clean(typed)
    except Invalid as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["café", "ǰ", "ΐ"])
def test_group_name_is_normalized_again_unchanged(name: str) -> None:
    once = validation.group_name(name)
    assert validation.group_name(once) == once


@pytest.mark.parametrize("name", ["python\u3164", "\u3164", "g" + "\u0336" * 7])
def test_new_group_cannot_look_like_another_but_old_ones_stay(name: str) -> None:
    with pytest.raises(Invalid, match="can only contain letters"):
        validation.new_group_name(name)
    assert validation.group_name(name) == name


@pytest.mark.parametrize("typed", ["2026-Samantha!", "Our Site 1"])
def test_password_made_of_a_name_is_refused(typed: str) -> None:
    assert validation.password(typed) == typed
    with pytest.raises(Invalid, match="A password cannot be your user name or the name of this site"):
        validation.password(typed, "samantha", "Our Site")


def test_password_with_more_than_a_name_is_accepted() -> None:
    for typed in ("samantha sings", "83749201", "--------"):
        assert validation.password(typed, "samantha", "123", "--") == typed


def test_new_form_tokens_are_valid_and_unique() -> None:
    tokens = {validation.new_submission_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(validation.is_submission_token(token) for token in tokens)


@pytest.mark.parametrize("typed", ["", "short", "x" * 65, "with:colon", "with blank", "naïve-token", "form-0001\n"])
def test_text_that_could_break_a_key_is_no_form_token(typed: str) -> None:
    assert not validation.is_submission_token(typed)
