"""Validation of the title, the link and the text of an article, and of the text of a comment."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voteweb.core import validation
from voteweb.core.config import MAX_COMMENT_LENGTH
from voteweb.core.errors import Invalid

RLO, ZWSP, ZWJ, NUL = "\u202e", "\u200b", "\u200d", "\x00"
READABLE = "A title needs at least 3 characters, with a letter or digit among them."
SCHEME = "A link must begin with http:// or https://."
NOWHERE = "This link has no valid host name."
UNREADABLE = "This link is not a valid web address."
LOGIN = "A link cannot contain a user name or a password."
BLANKS = "A link cannot contain spaces, backslashes or invisible characters."
PRIVATE = "This link leads to a private network or a single computer, where others cannot follow it."
EMPTY = "Please write something: this comment is empty."
#: Texts that are accepted, and what is stored of each.
CLEANED = {
    validation.title: [
        ("  much \t air\r\n here ", "much air here"),
        ("zero\x00\x07 width\u200b and\ufeff all", "zero width and all"),
        (f"photo{RLO}gpj.exe", "photogpj.exe"),
        ("line\u2028separator\u2029here", "line separator here"),
        ("Cafe\u0301 au lait", "Café au lait"),
        ("😀 go", "😀 go"),
        (f"a family 👩{ZWJ}👧", f"a family 👩{ZWJ}👧"),
        ("abc", "abc"),
        ("x" * 200, "x" * 200),
        ("\u3000编程语言\u3000", "编程语言"),
        ("in\u3164visible", "invisible"),
        ("t" + "\u0336" * 50 + "op", "t" + "\u0336" * 6 + "op"),
        ("หน้าที่ ཀྵྨླྺྃ हिन्दी", "หน้าที่ ཀྵྨླྺྃ हिन्दी"),
    ],
    validation.text: [
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree"),
        ("\n\n  indented\n", "  indented"),
        ("tab\tstays  \nhere", "tab\tstays\nhere"),
        (f"no{NUL}thing \x1b[31mred{RLO}", "nothing [31mred"),
        ("  \n\t\n ", ""),
        ("x" * 20_000, "x" * 20_000),
    ],
    validation.typed_link: [
        ("example.com", "https://example.com"),
        (" example.com:8080/x?y#z ", "https://example.com:8080/x?y#z"),
        ("bücher.example/ü", "https://bücher.example/ü"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        ("", ""),
    ],
    validation.comment: [
        ("\r\n\r\nfirst  \r\nsecond\r\r", "first\nsecond"),
        ("    code\n", "    code"),
        ("ri\u202eght-to-\u200bleft\x00", "right-to-left"),
        ("?", "?"),
        ("😀" * MAX_COMMENT_LENGTH, "😀" * MAX_COMMENT_LENGTH),
        ("a\r\n" * (MAX_COMMENT_LENGTH // 2), ("a\n" * (MAX_COMMENT_LENGTH // 2)).strip()),
    ],
}
#: Texts that are refused, and the messages about them.
REFUSED = {
    validation.title: [
        ("", READABLE),
        ("\u3000\u00a0\u2003", READABLE),
        ("ab", READABLE),
        (f"a{NUL}{NUL}b", READABLE),
        (ZWJ * 5, READABLE),
        ("\x07\x08\x1b", READABLE),
        ("\u3164" * 5, READABLE),
        ("\u115f\u1160\uffa0\u17b4", READABLE),
        ("😀😀😀😀", READABLE),
        ("\ud800\ud800abc"[:2], READABLE),
        ("x" * 201, "A title can have at most 200 characters; this one has 201."),
        ("a" + "\u0323\u0301" * 75_000, "A title can have at most 200 characters; this one has 150001."),
    ],
    validation.link: [
        ("javascript:alert(1)", SCHEME),
        ("JavaScript://example.com/%0aalert(1)", SCHEME),
        ("java\nscript:alert(1)", BLANKS),
        ("//example.com/", SCHEME),
        ("example.com", SCHEME),
        ("/a/7", SCHEME),
        ("http:example.com", NOWHERE),
        ("http://", NOWHERE),
        ("https:///path", NOWHERE),
        ("http://a..b/", NOWHERE),
        ("http://exa<mple.com/", NOWHERE),
        ("http://" + "x" * 64 + ".com/", NOWHERE),
        ("http://example.com:port/", UNREADABLE),
        ("http://example.com:99999/", UNREADABLE),
        ("http://[::1/", UNREADABLE),
        ("https://ann:secret@example.com/", LOGIN),
        ("https://@example.com/", LOGIN),
        ("https://example.com/a b", BLANKS),
        ("https://example.com/\x00", BLANKS),
        (f"https://example.com/{RLO}", BLANKS),
        (f"https://exam{ZWSP}ple.com/", BLANKS),
        ("https:\\\\example.com", BLANKS),
        ("https://example.com\\@evil.example/", BLANKS),
        ("https://example.com/" + "x" * 1_981, "A link can have at most 2000 characters; this one has 2001."),
    ],
    validation.typed_link: [
        *((f"http://{host}/", PRIVATE) for host in (
            "localhost", "localhost:8000", "LOCALHOST.", "intranet", "nas.local", "db.internal", "router.home.arpa",
            "127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "10.0.0.1", "192.168.1.1", "169.254.169.254",
            "100.64.0.1", "0.0.0.0", "[::1]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
            "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]", "１２７.0.0.1",
        )),
        ("no link", BLANKS),
        ("word", SCHEME),
        ("localhost:8000", SCHEME),
        ("mailto:ann@example.com", SCHEME),
    ],
    validation.text: [("x" * 20_001, "A text can have at most 20000 characters; this one has 20001.")],
    validation.comment: [
        *(
            (character * length, f"A comment can have at most 10000 characters; this one has {length}.")
            for character in ("x", "😀")
            for length in (MAX_COMMENT_LENGTH + 1, 5_000_000)
        ),
        *((typed, EMPTY) for typed in ("", " \t\r\n", "\u200b\ufeff", "\u200d\u200c", "\u3164", "\u0301", "\u3000")),
    ],
}  # fmt: skip

Clean = Callable[[str], str]


def shortened(value: object) -> str:
    """Return the id of a case: a function's name, or the beginning of a text."""
    return getattr(value, "__name__", ascii(value)[:40])


@pytest.mark.parametrize(
    ("clean", "typed", "expected"),
    [(clean, *row) for clean, rows in CLEANED.items() for row in rows],
    ids=shortened,
)
def test_typed_text_is_cleaned(clean: Clean, typed: str, expected: str) -> None:
    assert clean(typed) == expected


@pytest.mark.parametrize(
    ("clean", "typed", "message"),
    [(clean, *row) for clean, rows in REFUSED.items() for row in rows],
    ids=shortened,
)
def test_typed_text_is_refused(clean: Clean, typed: str, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        clean(typed)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "http://example.com",
        "https://example.com/a?b=c&d=%20#e",
        "HTTPS://EXAMPLE.COM/",
        "http://localhost/",
        "https://[2001:db8::1]:8443/path",
        "https://例え.jp/道",
        "https://example.com./",
        "https://a_b.example.com/",
        "https://example.com/" + "x" * 1_980,
    ],
)
def test_valid_link_is_kept_as_typed(typed: str) -> None:
    assert validation.link(f" {typed}\n") == typed


@given(st.text(max_size=300))
def test_valid_text_is_valid_again_unchanged(typed: str) -> None:
    once = validation.text(typed)
    assert validation.text(once) == once


@given(st.text(max_size=300))
def test_clean_line_is_cleaned_again_unchanged(typed: str) -> None:
    once = validation.clean_line(typed, 200)
    assert validation.clean_line(once, 200) == once
