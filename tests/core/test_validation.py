"""Validation of what people type: titles, links, texts and comments, names, passwords and tokens of forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_refusals, check_results
from voteweb.core import validation
from voteweb.core.config import MAX_COMMENT_LENGTH
from voteweb.core.errors import Invalid

RLO, ZWSP, ZWJ, ZWNJ, NUL = "\u202e", "\u200b", "\u200d", "\u200c", "\x00"
BLANKS = "A link cannot contain spaces, backslashes or invisible characters; one is at character"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
TAG = "\U000e0067"
SCHEME = "A link must begin with http:// or https://."
LETTERS = "A group's name can only contain letters, digits, - and _."
LONG_REASON = "Please use at most 300 characters."
#: What pastes add before and after a link.
PASTED = [
    *(
        ("\u200b", "\ufeff"),
        ("\u200e\u2066", "\u2069\u200f"),
        ("<", ">"),
        ("“", "”"),
        ('"', '"'),
        ("\xa0\u3000", "\u2028\xad"),
    ),
    *(("\x00", "\x7f"), ("< \u200b", "\u2060 >\n")),
]
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
        ("Go", "Go"),
        ("头条", "头条"),
        (f"{SCOTLAND} leaves{TAG}", f"{SCOTLAND} leaves"),
        (f"\U0001f3f4{TAG} black \U0001f3f4{TAG * 7}\U000e007f", "\U0001f3f4 black \U0001f3f4"),
        ("ශ්\u200dරී and می\u200cخواهم", "ශ්\u200dරී and می\u200cخواهم"),
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
        (f"a\t{SCOTLAND} flag{TAG}", f"a\t{SCOTLAND} flag"),
        (f"no{NUL}thing \x1b[31mred{RLO}", "nothing [31mred"),
        ("  \n\t\n ", ""),
        ("x" * 20_000, "x" * 20_000),
    ],
    validation.typed_link: [
        ("example.com", "https://example.com/"),
        (" example.com:8080/x?y#z ", "https://example.com:8080/x?y#z"),
        ("bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        *((f"{before}https://example.com/a'{after}", "https://example.com/a'") for before, after in PASTED),
        *((f"{quote}example.com{end} ", "https://example.com/") for quote, end in ("''", "‘’", "«»")),
        ("example.com/it's", "https://example.com/it's"),
        ("", ""),
        ("<\u200b>", ""),
    ],
    validation.comment: [
        ("\r\n\r\nfirst  \r\nsecond\r\r", "first\nsecond"),
        ("    code\n", "    code"),
        ("ri\u202eght-to-\u200bleft\x00", "right-to-left"),
        ("?", "?"),
        ("😀" * MAX_COMMENT_LENGTH, "😀" * MAX_COMMENT_LENGTH),
        ("a\r\n" * (MAX_COMMENT_LENGTH // 2), ("a\n" * (MAX_COMMENT_LENGTH // 2)).strip()),
    ],
    validation.link: [
        (f" {link}\n", link)
        for link in (
            "",
            "https://example.com/a?b=c&d=%20#e",
            "http://localhost/",
            "https://[2001:db8::1]:8443/path",
            "https://example.com./",
            "https://a_b.example.com/",
            "https://example.com/" + "x" * 1_980,
        )
    ]
    + [
        ("HTTPS://EXAMPLE.COM:443/a/../é?%d6#é", "https://example.com/%C3%A9?%d6#%C3%A9"),
        ("https://exam\u034fple.com", "https://example.com/"),
        (f"https://ශ්{ZWJ}රී.com/ن{ZWNJ}ا", "https://xn--10cl1a0b660p.com/%D9%86%E2%80%8C%D8%A7"),
        ("https:///path", "https://path/"),
    ],
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
    validation.password: [
        *((typed, typed) for typed in ("83749201", " spaces stay ", "密码密码密码密码", "x" * 256)),
        ("e\u0301" * 256, "é" * 256),
    ],
    validation.is_submission_token: [
        *((typed, False) for typed in ("", "short", "x" * 65, "with:colon", "with blank", "naïve-token", "form-0001\n"))
    ],
}
#: Messages, and the texts that are refused with each.
REFUSED = {
    validation.title: {
        "A title needs at least 2 characters, with a letter or digit among them.": [
            *("", "\u3000\u00a0\u2003", "a", f"a{NUL}{NUL}", f"a{ZWJ}", ZWJ * 5, "\x07\x08\x1b", "\u3164" * 5),
            *("\u115f\u1160\uffa0\u17b4", "😀😀😀😀", "\ud800\ud800"),
        ],
        "A title can have at most 200 characters; this one has 201.": ["x" * 201],
        "A title can have at most 200 characters; this one has 150001.": ["a" + "\u0323\u0301" * 75_000],
    },
    validation.link: {
        SCHEME: [
            *(
                "http:example.com",
                "javascript:alert(1)",
                "JavaScript://example.com/%0aalert(1)",
                "//example.com/",
                "example.com",
                "/a/7",
            ),
        ],
        "This link has no valid host name.": [
            *("http://a..b/", "http://" + "x" * 64 + ".com/"),
        ],
        "This link is not a valid web address.": [
            *("http://", "http://example.com:port/", "http://example.com:99999/", "http://[::1/"),
        ],
        "A link cannot contain a user name or a password.": [
            "https://ann:secret@example.com/",
        ],
        "The host name of this link cannot contain “<” (character 11 of the link).": ["http://exa<mple.com/"],
        BLANKS: [
            *("java\nscript:alert(1)", "https://example.com/a b", "https://example.com/\x00", "https:\\\\example.com"),
            *(f"https://example.com/{RLO}", f"https://exam{ZWSP}ple.com/", "https://example.com\\@evil.example/"),
        ],
        "A link can have at most 2000 characters; this one has 2001.": ["https://example.com/" + "x" * 1_981],
    },
    validation.typed_link: {
        "This link leads to a private network or a single computer, where others cannot follow it.": [
            f"http://{host}/"
            for host in (
                *("localhost", "localhost:8000", "LOCALHOST.", "intranet", "nas.local", "router.home.arpa"),
                *("127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "10.0.0.1", "192.168.1.1", "169.254.169.254"),
                *("100.64.0.1", "0.0.0.0", "[::1]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]"),
                *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]", "１２７.0.0.1", "l\u034focalhost"),
            )
        ],
        BLANKS: ["no link"],
        f"{BLANKS} 13, after “https://exam”.": [f" <https://exam{ZWSP}ple.com/>"],
        f"{BLANKS} 51, after “{'x' * 30}”.": ["https://example.com/" + "x" * 30 + " b"],
        "This link begins with http:// or https:// twice.": [
            *("http://http://example.com/", "https:https://example.com", "HTTP:///https:"),
        ],
        SCHEME: ["word", "localhost:8000", "mailto:ann@example.com"],
    },
    validation.text: {"A text can have at most 20000 characters; this one has 20001.": ["x" * 20_001]},
    validation.comment: {
        "A comment can have at most 10000 characters; this one has 10001.": ["x" * 10_001, "😀" * 10_001],
        "A comment can have at most 10000 characters; this one has 5000000.": ["x" * 5_000_000],
        "Please write something: this comment is empty.": [
            *("", " \t\r\n", "\u200b\ufeff", "\u200d\u200c", "\u3164", "\u0301", "\u3000"),
        ],
    },
    validation.group_name: {
        "A group's name must have 1 to 30 characters.": [
            "",
            "  ",
            "g" * 31,
            "g" + "\u0323\u0301" * 75_000,
            "ß" * 16,
        ],  # casefolded to 32
        LETTERS: [
            *("a b", "a+b", "a:b", "a/b", "a*", "a.b", "c#", "😀", "<b>", "\u0301a", f"a{RLO}b", f"a{ZWJ}b", "a\x00"),
            *("²", "½"),
        ],
    },
    validation.group_title: {"A group's title must have 1 to 60 characters": ["", "  ", RLO, "x" * 61]},
    validation.group_description: {"A description can have at most 300 characters": ["x" * 301]},
    validation.reason: {
        "Please give a reason. It is shown in the public log.": ["", "  ", RLO],
        LONG_REASON: ["x" * 301],
    },
    validation.note: {LONG_REASON: ["x" * 301]},
    validation.password: {
        "Passwords such as this one are guessed first": [
            "password",
            "Password1",
            "12345678",
            "iloveyou1",
            "qwertyuiop",
            "TRUSTNO1",
        ],
        "A password must have 8 to 256 characters": ["", "1234567", "e\u0301" * 7, "x" * 257, "e\u0301" * 90_000],
    },
    validation.new_group_name: {LETTERS: ["python\u3164", "\u3164", "g" + "\u0336" * 7]},
    lambda typed: validation.password(typed, "samantha", "Our Site"): {
        "A password cannot be your user name or the name of this site": ["2026-Samantha!", "Our Site 1"]
    },
}


def test_typed_text_is_cleaned(subtests: pytest.Subtests) -> None:
    check_results(subtests, CLEANED)


def test_typed_text_is_refused(subtests: pytest.Subtests) -> None:
    check_refusals(subtests, Invalid, REFUSED)


@given(st.text(max_size=300))
def test_cleaned_text_is_cleaned_again_unchanged(typed: str) -> None:
    once, line = validation.text(typed), validation.clean_line(typed, 200)
    assert (validation.text(once), validation.clean_line(line, 200)) == (once, line)


@pytest.mark.parametrize("name", ["café", "ǰ", "ΐ", "\u3164"])
def test_group_name_is_normalized_again_unchanged(name: str) -> None:
    once = validation.group_name(name)
    assert validation.group_name(once) == once


def test_password_with_more_than_a_name_is_accepted() -> None:
    for typed in ("samantha sings", "83749201", "--------"):
        assert validation.password(typed, "samantha", "123", "--") == typed


def test_new_form_tokens_are_valid_and_unique() -> None:
    tokens = {validation.new_submission_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(validation.is_submission_token(token) for token in tokens)
