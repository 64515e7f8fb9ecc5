"""Validation of the text of a comment."""

import pytest

from voteweb.core import validation
from voteweb.core.config import MAX_COMMENT_LENGTH
from voteweb.core.errors import Invalid


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Yes.", "Yes."),
        ("\r\n\r\nfirst  \r\nsecond\r\r", "first\nsecond"),
        ("    code\n", "    code"),
        ("ri\u202eght-to-\u200bleft\x00", "right-to-left"),
        ("</li></details>", "</li></details>"),
        ("?", "?"),
        ("👍", "👍"),
        ("编" * MAX_COMMENT_LENGTH, "编" * MAX_COMMENT_LENGTH),
        ("😀" * MAX_COMMENT_LENGTH, "😀" * MAX_COMMENT_LENGTH),
        ("a\r\n" * (MAX_COMMENT_LENGTH // 2), ("a\n" * (MAX_COMMENT_LENGTH // 2)).strip()),
        ("x" * MAX_COMMENT_LENGTH + " \n" * 100, "x" * MAX_COMMENT_LENGTH),
    ],
)
def test_a_comment_is_stored_as_clean_text(typed: str, stored: str) -> None:
    assert validation.comment(typed) == stored


@pytest.mark.parametrize("length", [MAX_COMMENT_LENGTH + 1, 5_000_000])
@pytest.mark.parametrize("character", ["x", "编", "😀"])
def test_too_long_a_comment_says_how_long_it_may_be(character: str, length: int) -> None:
    with pytest.raises(Invalid) as refusal:
        validation.comment(character * length)
    assert str(refusal.value) == f"A comment can have at most 10000 characters; this one has {length}."


@pytest.mark.parametrize("typed", ["", " \t\r\n", "\u200b\ufeff", "\u200d\u200c", "\u3164", "\u0301", "\u3000"])
def test_a_comment_that_shows_nothing_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="this comment is empty"):
        validation.comment(typed)
