"""Validation of names, passwords, group titles and form tokens."""

import pytest

from voteweb.core import validation
from voteweb.core.errors import Invalid

RLO, ZWJ = "\u202e", "\u200d"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("python", "python"),
        (" Python ", "python"),
        ("编程", "编程"),
        ("c-_9", "c-_9"),
        ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("Cafe\u0301", "café"),
        ("CAFÉ", "café"),
        ("हिन्दी", "हिन्दी"),
        ("İstanbul", "i\u0307stanbul"),
        ("٣", "٣"),
        ("g", "g"),
        ("g" * 30, "g" * 30),
    ],
)
def test_group_name_has_one_spelling(typed: str, expected: str) -> None:
    assert validation.group_name(typed) == expected


@pytest.mark.parametrize("name", ["python", "编程", "café", "strasse", "ǰ", "ΐ"])
def test_group_name_is_normalized_again_unchanged(name: str) -> None:
    once = validation.group_name(name)
    assert validation.group_name(once) == once


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "A group's name must have 1 to 30 characters."),
        ("  ", "A group's name must have 1 to 30 characters."),
        ("g" * 31, "A group's name must have 1 to 30 characters."),
        ("g" + "\u0323\u0301" * 75_000, "A group's name must have 1 to 30 characters."),
        ("ß" * 16, "A group's name must have 1 to 30 characters."),  # casefolded to 32
        *[
            (name, "A group's name can only contain letters, digits, - and _.")
            for name in (
                "a b",
                "a+b",
                "a:b",
                "a/b",
                "a*",
                "a.b",
                "c#",
                "😀",
                "<b>",
                "\u0301a",
                f"a{RLO}b",
                f"a{ZWJ}b",
                "a\x00",
                "²",
                "½",
            )
        ],
    ],
)
def test_invalid_group_name_is_refused(typed: str, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        validation.group_name(typed)
    assert str(refusal.value) == message


@pytest.mark.parametrize("name", ["python\u3164", "\u3164", "g" + "\u0336" * 7])
def test_new_group_cannot_look_like_another_but_old_ones_stay(name: str) -> None:
    with pytest.raises(Invalid, match="can only contain letters"):
        validation.new_group_name(name)
    assert validation.group_name(name) == name


@pytest.mark.parametrize("typed", ["83749201", " spaces stay ", "密码密码密码密码", "x" * 256])
def test_password_is_kept_as_typed(typed: str) -> None:
    assert validation.password(typed) == typed


@pytest.mark.parametrize("typed", ["password", "Password1", "12345678", "iloveyou1", "qwertyuiop", "TRUSTNO1"])
def test_common_password_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="Passwords such as this one are guessed first"):
        validation.password(typed)


@pytest.mark.parametrize("typed", ["samantha-99", "2026-Samantha!", "our-site", "Our Site 1"])
def test_password_made_of_a_name_is_refused(typed: str) -> None:
    assert validation.password(typed) == typed
    with pytest.raises(Invalid, match="A password cannot be your user name or the name of this site"):
        validation.password(typed, "samantha", "Our Site")


@pytest.mark.parametrize("typed", ["samantha sings", "83749201", "--------"])
def test_password_with_more_than_a_name_is_accepted(typed: str) -> None:
    assert validation.password(typed, "samantha", "123", "--") == typed


@pytest.mark.parametrize("typed", ["", "1234567", "x" * 257])
def test_password_too_short_or_too_long_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="A password must have 8 to 256 characters"):
        validation.password(typed)


@pytest.mark.parametrize(
    ("typed", "expected"), [("  The  Go\nlanguage ", "The Go language"), ("编", "编"), ("x" * 60, "x" * 60)]
)
def test_group_title_becomes_one_clean_line(typed: str, expected: str) -> None:
    assert validation.group_title(typed) == expected


@pytest.mark.parametrize("typed", ["", "  ", RLO, "x" * 61])
def test_invalid_group_title_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="A group's title must have 1 to 60 characters"):
        validation.group_title(typed)


@pytest.mark.parametrize(("typed", "expected"), [("", ""), (" a\n b ", "a b"), ("x" * 300, "x" * 300)])
def test_group_description_may_be_empty(typed: str, expected: str) -> None:
    assert validation.group_description(typed) == expected


def test_too_long_group_description_is_refused() -> None:
    with pytest.raises(Invalid, match="A description can have at most 300 characters"):
        validation.group_description("x" * 301)


def test_new_form_tokens_are_valid_and_unique() -> None:
    tokens = {validation.new_submission_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(validation.is_submission_token(token) for token in tokens)


@pytest.mark.parametrize("typed", ["", "short", "x" * 65, "with:colon", "with blank", "naïve-token", "form-0001\n"])
def test_text_that_could_break_a_key_is_no_form_token(typed: str) -> None:
    assert not validation.is_submission_token(typed)


@pytest.mark.parametrize(("typed", "expected"), [(" Off\ntopic. ", "Off topic."), ("编", "编"), ("x" * 300, "x" * 300)])
def test_reason_becomes_one_clean_line(typed: str, expected: str) -> None:
    assert validation.reason(typed) == expected


@pytest.mark.parametrize("typed", ["", "  ", RLO, "x" * 301])
def test_empty_or_too_long_reason_is_refused(typed: str) -> None:
    with pytest.raises(Invalid):
        validation.reason(typed)


def test_note_may_be_empty_but_not_too_long() -> None:
    assert validation.note(f" {RLO} ") == ""
    with pytest.raises(Invalid):
        validation.note("x" * 301)
