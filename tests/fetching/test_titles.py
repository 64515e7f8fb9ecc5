"""The title of a page: where it is found in good and in broken HTML, and in which encoding."""

import pytest

from voteweb.fetching.titles import title_of


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<title>Redis in Action</title>", "Redis in Action"),
        ("<TITLE lang=en>\n  Redis \t in\r\n Action\n</TITLE >", "Redis in Action"),
        ("<title>AT&amp;T &lt;b&gt; &#8211; &eacute;</title>", "AT&T <b> – é"),
        ("<title>zero\u200b width \u202eturned\x00</title>", "zero width turned"),
        (f"<title>{'x' * 300}</title>", "x" * 200),
        ("<!-- <title>Old</title> --><script>'<title>No</title>'</script><title>True</title>", "True"),
        ("<svg><title>Icon</title></svg><title>True</title>", "True"),
        ("<title>First</title><title>Second</title>", "First"),
        ("<title>Cut off in the mid", "Cut off in the mid"),
        ("<title></title>", ""),
        ("<title>!?</title>", ""),
        ("<head></head><body><title>Too late</title>", ""),
        ("<meta property='og:title' content='Shared &amp; good'>", "Shared & good"),
        ("<title>Home</title><meta property='og:title' content='Another'>", "Home"),
        ("<title>The story | The Daily News</title><meta content='The story' property=og:title>", "The story"),
        ("<title>The Daily News: The story</title><meta name=og:title content='The story'>", "The story"),
        ("<title>Newspapers of the world</title><meta property=og:title content=News>", "Newspapers of the world"),
        ("no page at all", ""),
        ("", ""),
    ],
)
def test_title_is_found_in_the_head(page: str, expected: str) -> None:
    assert title_of(page.encode(), "") == expected


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        ("<title>编程之美</title>".encode("gb18030"), "gb2312", "编程之美"),
        (b"<title>caf\xe9 \x93au lait\x94</title>", "ISO-8859-1", "café “au lait”"),
        ('<meta charset="big5"><title>編程之美</title>'.encode("big5"), "", "編程之美"),
        (
            b'<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><title>\xf0\xd2\xc9\xc4</title>',
            "",
            "Прид",
        ),
        ("<title>编程之美</title>".encode("utf-16"), "", "编程之美"),
        ("<meta charset=utf-16><title>编程之美</title>".encode(), "", "编程之美"),
        (b"<title>caf\xe9 au lait</title>", "utf-8", "caf\ufffd au lait"),
        (b"<title>caf\xc3\xa9 au lait</title>", "no-such-charset", "café au lait"),
        (b"<title>caf\xc3\xa9 au lait</title>", "idna", "café au lait"),
        (b"<title>caf\xc3\xa9 au lait</title>", "zlib", "café au lait"),
        (b"<title>caf\xc3\xa9 au lait</title>", "utf\x008", "café au lait"),
    ],
)
def test_charset_is_the_headers_then_the_pages_then_utf_8(body: bytes, charset: str, expected: str) -> None:
    assert title_of(body, charset) == expected


@pytest.mark.parametrize(
    "piece", ["<meta ", "<meta a='", "<a ", "<!--", "<title>", "<script>", "<!", "&#x", "<meta a=<"]
)
def test_broken_page_of_half_a_megabyte_is_searched_once(piece: str) -> None:
    """html.parser takes minutes for some of them: this test would not end."""
    assert len(title_of((piece * 100_000)[:524_288].encode(), "")) <= 200
