"""The title of a page: where it is found in good and in broken HTML, and in which encoding."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.core import config
from voteweb.fetching.titles import title_of

#: Pieces of which hostile pages are made, and charsets that their servers name.
PIECES = [
    b"<", b"<a ", b"<b<", b"<m", b"<s", b"<!", b"</", b">", b"=", b'"', b"'", b"/", b" ", b"a", b"&#x", b"&amp;",
    b"\xff", b"\x81", b"\x00\xd8", b"<!--", b"-->", b"<title>", b"</title>", b"<script>", b"</script", b"<svg></svg>",
    b"<meta", b"<meta ", b"<meta a='", b"<meta charset=", b"<meta http-equiv=content-type content=charset", b"<?xml ",
    b"<meta name=twitter:title content='" + b"Just a moment" * 100 + b"'>", b" charset=",
    b"<title>checking your " + b"a " * 2_000, b"<meta" * 30 + b" charset=" + b" " * 3_900,
    b"<meta property=og:title ", b"name=" + b" " * 3_900, b"<meta property='og:title'" + b" a" * 1_900 + b">",
    b"<meta name='og:title' content='" + b"&amp;" * 790 + b"'>",
    b"<title>" + "\u0315\u0300".encode() * 2_000,
]  # fmt: skip
CHARSETS = ["", "utf-8", "utf-16", "gb18030", "cp1258", "euc_jisx0213"]


#: Pages in UTF-8, and their titles.
TITLES = [
    ("<TITLE lang=en>\n  Redis \t in\r\n Action\n</TITLE >", "Redis in Action"),
    ("<title>AT&amp;T &lt;b&gt; &#8211; &eacute;</title>", "AT&T <b> – é"),
    ("<title>zero\u200b width \u202eturned\x00</title>", "zero width turned"),
    (f"<title>{'x' * 300}</title>", "x" * 200),
    ("<!-- <title>Old</title> --><script>'<title>No</title>'</script><title>True</title>", "True"),
    ("<svg><title>Icon</title></svg><title>True</title>", "True"),
    ("<title>First</title><title>Second</title>", "First"),
    ("<title>Cut off in the mid", "Cut off in the mid"),
    ("<title>!?</title>", ""),
    ("<head></head><body><title>Too late</title>", ""),
    ("<meta property='og:title' content='Shared &amp; good'>", "Shared & good"),
    ("<title>Hello</title><meta property='og:title' content='Another'>", "Hello"),
    ("<title> </title><meta name='twitter:title' content='Shared'>", "Shared"),
    (
        "<title>Quanta Magazine</title><meta property=og:site_name content='Quanta magazine'>"
        "<meta property=og:title content='The story'>",
        "The story",
    ),
    ("<title>Quanta Magazine</title><meta property=og:site_name content='Quanta Magazine'>", "Quanta Magazine"),
    *(
        (f"<title>{title}</title><meta property=og:title content='The story'>", "The story")
        for title in ("Home", "- YouTube", "http://t.co/x", "403 Forbidden", "Just a moment...", "caf\ufffd")
    ),
    *(
        (f"<title>{title}</title>", "")
        for title in (
            "Just a moment...",
            "Attention Required! | Cloudflare",
            "Access denied | a.example used Cloudflare",
            "- YouTube",
            "Before you continue to YouTube",
            "https://t.co/x",
            "404 Not Found",
            "502 - Bad Gateway",
            "Untitled Document",
            "Loading…",
            "caf\ufffd au lait",
        )
    ),
    *(
        (f"<title>{title}</title>", title)
        for title in (
            "Just a moment of silence",
            "Loading modules in Rust",
            "404 things to see",
            "Home: a film",
            "Index funds",
            "The https://example.com story",
        )
    ),
    ("<title>The story | The Daily News</title><meta content='The story' property=og:title>", "The story"),
    ("<title>The Daily News: The story</title><meta name=og:title content='The story'>", "The story"),
    ("<title>Newspapers of the world</title><meta property=og:title content=News>", "Newspapers of the world"),
    ("no page at all", ""),
]
#: Pages, the charsets that their servers name, and their titles.
CHARSETS_OF_PAGES = [
    ("<title>编程之美</title>".encode("gb18030"), "gb2312", "编程之美"),
    (b"<title>caf\xe9 \x93au lait\x94</title>", "ISO-8859-1", "café “au lait”"),
    ("<title>编程之美</title>".encode("utf-16"), "", "编程之美"),
    ("<title>编程之美</title>".encode("utf-8-sig"), "latin-1", "编程之美"),
    ("<meta charset=latin-1><title>编程之美</title>".encode(), "", "编程之美"),
    (b"<title>caf\xe9 au lait</title>", "utf-8", ""),
    (b"<title>caf\x80 au lait</title>", "gbk", ""),
    (b"<title>a \xd6\xd0\x81\x39\xef\x30</title>", "gb2312", "a 中㐁"),
    (b"<title>secret</title>", "iso-2022-kr", ""),
    *(
        (f"<title>{text}</title>".encode(codec), label, text)
        for label, codec, text in [
            ("windows-874", "cp874", "ภาษาไทย"),
            ("x-sjis", "cp932", "日本語"),
            ("ms_kanji", "cp932", "日本語"),
            ("x-euc-jp", "euc_jp", "日本語"),
            ("csiso2022jp", "iso2022_jp", "日本語"),
            ("ks_c_5601-1987", "cp949", "한국어"),
            ("x-gbk", "gbk", "中文网"),
            ("big5-hkscs", "big5hkscs", "中文網"),
            ("x-cp1251", "cp1251", "Русский"),
            ("cp866", "cp866", "Русский"),
            ("dos-874", "cp874", "ภาษาไทย"),
            ("logical", "iso8859_8", "עברית"),
            ("unicode11utf8", "utf-8", "Русский"),
            (" UTF8 ", "utf-8", "Русский"),
            ("l9", "iso8859_15", "€uro"),
            ("unicodefffe", "utf-16-be", "Русский"),
            ("x-mac-ukrainian", "mac_cyrillic", "Русский"),
        ]
    ),
    # What pages name themselves, where their servers name nothing, or nothing that is known.
    *(
        (f"{named}<title>Русский</title>".encode("cp1251"), charset, "Русский")
        for charset in ("", "no-such-charset")
        for named in (
            "<meta charset=windows-1251>",
            "<META CharSet = ' windows-1251 '>",
            "<meta name=a charset='x-cp1251'/>",
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
            "<meta content='text/html;charset = \"windows-1251\"' http-equiv='content-type'>",
            "<?xml version='1.0' encoding='windows-1251'?>",
            "<meta charset=nonsense><meta charset=windows-1251>",
            "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
            "<meta name='>' charset=windows-1251>",
            "<meta content='charset=koi8-r'><meta charset=windows-1251>",
            " " * 900 + "<meta charset=windows-1251>",
        )
    ),
    ("<meta charset=utf-16><title>Русский</title>".encode(), "", "Русский"),
    (b"<meta charset=x-user-defined><title>caf\xe9</title>", "", "café"),
    ("<meta charset=windows-1251><title>Русский</title>".encode(), "utf-8", "Русский"),
    ("\ufeff<meta charset=windows-1251><title>Русский</title>".encode(), "windows-1251", "Русский"),
    ((" " * 1_024 + "<meta charset=windows-1251><title>Русский</title>").encode(), "", "Русский"),
    (b"<title>caf\xc3\xa9 au lait</title>", "no-such-charset", "café au lait"),
    (b"<title>caf\xc3\xa9 au lait</title>", "zlib", "café au lait"),
    (b"<title>caf\xc3\xa9 au lait</title>", "utf\x008", "café au lait"),
]


def test_title_is_found_in_the_head_by_its_charset(subtests: pytest.Subtests) -> None:
    check_results(subtests, {lambda page: title_of(page.encode(), ""): TITLES, title_of: CHARSETS_OF_PAGES})


def is_fast(piece: bytes, charset: str) -> bool:
    """Tell whether the title of a page full of *piece* is found in 50 ms of processor time, in one of three tries."""
    size = config.MAX_FETCHED_BYTES
    page = (piece * (size // len(piece) + 1))[:size]

    def seconds() -> float:
        started = thread_time()
        assert len(title_of(page, charset)) <= config.MAX_TITLE_LENGTH
        return thread_time() - started

    return any(seconds() < 0.05 for _ in range(3))


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_page_takes_at_most_50_milliseconds(piece: bytes) -> None:
    assert [charset for charset in CHARSETS if not is_fast(piece, charset)] == []


@given(
    st.lists(st.sampled_from(PIECES) | st.binary(min_size=1, max_size=5), min_size=1, max_size=20),
    st.sampled_from(CHARSETS),
)
def test_page_of_any_pieces_takes_at_most_50_milliseconds(pieces: list[bytes], charset: str) -> None:
    assert is_fast(b"".join(pieces), charset)
