"""What a person may type into a field, and what becomes of it."""

import pytest

from voteweb.core import validation
from voteweb.core.errors import Invalid
from voteweb.core.models import Draft

RLO, LRI, BOM, ZWSP, ZWJ, NUL = "\u202e", "\u2066", "\ufeff", "\u200b", "\u200d", "\x00"
READABLE = "A title needs at least 3 characters that can be read."


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Redis in Action", "Redis in Action"),
        ("  much \t air\r\n here ", "much air here"),
        ("zero\x00\x07 width\u200b and\ufeff all", "zero width and all"),
        (f"photo{RLO}gpj.exe", "photogpj.exe"),
        (f"{LRI}isolated\u2069 text", "isolated text"),
        ("line\u2028separator\u2029here", "line separator here"),
        ("Cafe\u0301 au lait", "Café au lait"),
        ("我们的编程小组", "我们的编程小组"),
        ("😀 go", "😀 go"),
        (f"a family 👩{ZWJ}👧", f"a family 👩{ZWJ}👧"),
        ("<b>&amp;", "<b>&amp;"),
        ("%s %(name)s {0}", "%s %(name)s {0}"),
        ("abc", "abc"),
        ("x" * 200, "x" * 200),
        ("\u3000编程语言\u3000", "编程语言"),
        ("שלום עולם", "שלום עולם"),
    ],
)
def test_a_title_becomes_one_clean_line(typed: str, kept: str) -> None:
    assert validation.title(typed) == kept


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", READABLE),
        ("     ", READABLE),
        ("\u3000\u00a0\u2003", READABLE),
        ("ab", READABLE),
        (f"a{NUL}{NUL}b", READABLE),
        (RLO * 5, READABLE),
        (ZWJ * 5, READABLE),
        (ZWSP * 5, READABLE),
        ("\x07\x08\x1b", READABLE),
        ("...!?", READABLE),
        ("😀😀😀😀", READABLE),
        ("\ud800\ud800abc"[:2], READABLE),
        ("x" * 201, "A title has 200 characters at most; this one has 201."),
        ("编" * 10_000, "A title has 200 characters at most; this one has 10000."),
    ],
)
def test_a_title_nobody_could_read_is_refused(typed: str, says: str) -> None:
    with pytest.raises(Invalid) as refusal:
        validation.title(typed)
    assert str(refusal.value) == says


@pytest.mark.parametrize(
    "typed",
    [
        "http://example.com",
        "https://example.com/a?b=c&d=%20#e",
        "HTTPS://EXAMPLE.COM/",
        "http://example.com:8080/",
        "http://localhost/",
        "http://127.0.0.1:5000/x",
        "http://[::1]/",
        "https://[2001:db8::1]:8443/path",
        "https://bücher.example/ü",
        "https://例え.jp/道",
        "https://xn--bcher-kva.example/",
        "https://example.com./",
        "https://a_b.example.com/",
        "https://web.archive.org/web/2016/http://example.com/",
        "https://example.com/" + "x" * 1_980,
    ],
)
def test_a_web_address_is_kept_as_typed(typed: str) -> None:
    assert validation.link(f" {typed}\n") == typed


@pytest.mark.parametrize("typed", ["", "  ", "\n"])
def test_no_link_is_a_valid_link(typed: str) -> None:
    assert validation.link(typed) == ""


SCHEME = "A link begins with http:// or https://."
NOWHERE = "This link names no site."
UNREADABLE = "This link cannot be read as a web address."
LOGIN = "A link cannot carry a user name or a password."
BLANKS = "A link cannot hold blanks, backslashes or invisible characters."


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("javascript:alert(1)", SCHEME),
        ("JavaScript://example.com/%0aalert(1)", SCHEME),
        ("java\nscript:alert(1)", BLANKS),
        ("data:text/html,<script>alert(1)</script>", SCHEME),
        ("ftp://example.com/", SCHEME),
        ("file:///etc/passwd", SCHEME),
        ("//example.com/", SCHEME),
        ("example.com", SCHEME),
        ("/a/7", SCHEME),
        ("http:example.com", NOWHERE),
        ("http://", NOWHERE),
        ("https:///path", NOWHERE),
        ("http://:80/", NOWHERE),
        ("http://?q", NOWHERE),
        ("http://./", NOWHERE),
        ("http://a..b/", NOWHERE),
        ("http://exa<mple.com/", NOWHERE),
        ('http://exa"mple.com/', NOWHERE),
        ("http://" + "x" * 64 + ".com/", NOWHERE),
        ("http://example.com:port/", UNREADABLE),
        ("http://example.com:99999/", UNREADABLE),
        ("http://[::1/", UNREADABLE),
        ("http://[nonsense]/", UNREADABLE),
        ("https://ann@example.com/", LOGIN),
        ("https://ann:secret@example.com/", LOGIN),
        ("https://paypal.com@evil.example/", LOGIN),
        ("https://@example.com/", LOGIN),
        ("https://example.com/a b", BLANKS),
        ("https://example.com/\ta", BLANKS),
        ("https://example.com/\x00", BLANKS),
        (f"https://example.com/{RLO}", BLANKS),
        (f"https://exam{ZWSP}ple.com/", BLANKS),
        ("https:\\\\example.com", BLANKS),
        ("https://example.com\\@evil.example/", BLANKS),
        ("https://example.com/" + "x" * 4_980, "A link has 2000 characters at most; this one has 5000."),
        ("https://example.com/" + "x" * 1_981, "A link has 2000 characters at most; this one has 2001."),
    ],
)
def test_what_is_no_web_address_is_refused(typed: str, says: str) -> None:
    with pytest.raises(Invalid) as refusal:
        validation.link(typed)
    assert str(refusal.value) == says


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree"),
        ("\n\n  indented\n", "  indented"),
        ("tab\tstays  \nhere", "tab\tstays\nhere"),
        (f"no{NUL}thing \x1b[31mred{RLO}", "nothing [31mred"),
        ("  \n\t\n ", ""),
        ("编程\n\n😀", "编程\n\n😀"),
        ("x" * 20_000, "x" * 20_000),
    ],
)
def test_a_text_keeps_its_lines_and_loses_what_cannot_be_seen(typed: str, kept: str) -> None:
    assert validation.text(typed) == kept


def test_a_text_of_more_than_twenty_thousand_characters_is_refused() -> None:
    with pytest.raises(Invalid, match="20000 characters at most; this one has 20001"):
        validation.text("x" * 20_001)


def test_a_draft_holds_the_checked_fields() -> None:
    made = validation.draft(" A  title ", " https://example.com/ ", "text\r\n", ("go",))
    assert made == Draft("A title", "https://example.com/", "text", ("go",))


@pytest.mark.parametrize("text", ["", " \n ", RLO])
def test_a_draft_needs_a_link_or_a_text(text: str) -> None:
    with pytest.raises(Invalid, match="An article needs a link or a text"):
        validation.draft("A title", "", text)


@pytest.mark.parametrize(
    ("typed", "name"),
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
def test_a_group_has_one_spelling(typed: str, name: str) -> None:
    assert validation.group_name(typed) == name


@pytest.mark.parametrize("name", ["python", "编程", "café", "strasse", "ǰ", "ΐ"])
def test_the_spelling_of_a_group_is_its_own_spelling(name: str) -> None:
    once = validation.group_name(name)
    assert validation.group_name(once) == once


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "A group's name has 1 to 30 characters."),
        ("  ", "A group's name has 1 to 30 characters."),
        ("g" * 31, "A group's name has 1 to 30 characters."),
        ("ß" * 16, "A group's name has 1 to 30 characters."),  # casefolded to 32
        *[
            (name, "A group's name is made of letters, digits, - and _.")
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
def test_what_cannot_name_a_group_is_refused(typed: str, says: str) -> None:
    with pytest.raises(Invalid) as refusal:
        validation.group_name(typed)
    assert str(refusal.value) == says


@pytest.mark.parametrize("name", ["ab", "Ann", "a-b_9", "x" * 20, "007"])
def test_a_user_name_keeps_its_case(name: str) -> None:
    assert validation.user_name(f" {name} ") == name


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "a",
        "x" * 21,
        "an n",
        "ann!",
        "änn",
        "аnn",
        "编程",
        "a:b",
        "a+b",
        "a/b",
        "..",
        "a\x00b",
        "a\nb",
        "１２",
        f"an{RLO}n",
    ],
)
def test_what_cannot_name_a_member_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="A user name has 2 to 20 letters"):
        validation.user_name(typed)


@pytest.mark.parametrize("name", ["admin", "Admin", "ROOT", "voteweb", "me", "api", "www"])
def test_a_reserved_name_is_nobodys_but_well_formed(name: str) -> None:
    with pytest.raises(Invalid, match=f"The name {name} is reserved"):
        validation.user_name(name)
    assert validation.member_name(name) == name


@pytest.mark.parametrize("typed", ["12345678", " spaces stay ", "密码密码密码密码", "x" * 256])
def test_a_password_is_taken_as_typed(typed: str) -> None:
    assert validation.password(typed) == typed


@pytest.mark.parametrize("typed", ["", "1234567", "x" * 257])
def test_a_password_too_short_or_too_long_is_refused(typed: str) -> None:
    with pytest.raises(Invalid, match="A password has 8 to 256 characters"):
        validation.password(typed)


@pytest.mark.parametrize(
    ("typed", "kept"), [("  The  Go\nlanguage ", "The Go language"), ("编", "编"), ("x" * 60, "x" * 60)]
)
def test_a_group_has_a_title_of_one_clean_line(typed: str, kept: str) -> None:
    assert validation.group_title(typed) == kept


@pytest.mark.parametrize("typed", ["", "  ", RLO, "x" * 61])
def test_a_group_needs_a_title(typed: str) -> None:
    with pytest.raises(Invalid, match="A group's title has 1 to 60 characters"):
        validation.group_title(typed)


@pytest.mark.parametrize(("typed", "kept"), [("", ""), (" a\n b ", "a b"), ("x" * 300, "x" * 300)])
def test_a_group_may_have_a_description(typed: str, kept: str) -> None:
    assert validation.group_description(typed) == kept


def test_a_long_description_is_refused() -> None:
    with pytest.raises(Invalid, match="A description has 300 characters at most"):
        validation.group_description("x" * 301)


def test_a_fresh_token_is_a_token_and_no_other() -> None:
    tokens = {validation.new_form_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(validation.is_form_token(token) for token in tokens)


@pytest.mark.parametrize("typed", ["", "short", "x" * 65, "with:colon", "with blank", "naïve-token", "form-0001\n"])
def test_what_could_break_a_key_is_no_token(typed: str) -> None:
    assert not validation.is_form_token(typed)
