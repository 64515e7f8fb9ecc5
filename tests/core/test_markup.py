"""User text becomes safe HTML and well-formed XML text."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rows import check_results
from tests.web.dom import parse
from voteweb.core.markup import render, render_plain, xml_text

ALLOWED = set("a blockquote br code em h2 h3 h4 hr li ol p pre s strong table tbody td th thead tr ul".split())
MARK = "\u0336"
REL = "nofollow ugc noopener"


class TagCollector(HTMLParser):
    """Collects the tags of a piece of HTML with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def assert_safe(html: str) -> None:
    for tag, attributes in TagCollector(html).tags:
        assert tag in ALLOWED
        if tag == "a":
            assert set(attributes) <= {"href", "rel"}
            assert attributes["rel"] == REL
            assert re.match(r"https?:", attributes.get("href") or "https:", re.IGNORECASE)
        elif tag == "ol":
            assert set(attributes) <= {"start"}
        elif tag == "pre":
            assert attributes == {"tabindex": "0", "role": "group", "aria-labelledby": "code-label"}
        else:
            assert not attributes


DANGEROUS = [
    "<script>alert(1)</script>",
    "</p><script src=//evil.example></script>",
    "[x](javascript:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](<javascript:alert(1)>)",
    "<javascript:alert(1)>",
    "[x](data:text/html,<script>)",
    "[x](//evil.example)",
    "[x](mailto:ann@example.com)",
    "ftp://example.com/",
    '[x](http://a.example "onmouseover=alert(1)")',
    '[x](http://a.example" onmouseover="alert(1))',
    "![x](http://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "```js onload=alert(1)\n</code><script>\n```",
    "|a|b|\n|:-|-:|\n|<script>|x|",
    "<!-- <script> -->",
    "<![CDATA[<script>]]>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
]


def html_of(source: str) -> str:
    """Return the HTML of a text, as a page has it."""
    return render(source).__html__()


def test_dangerous_markup_is_removed(subtests: pytest.Subtests) -> None:
    for source in DANGEROUS:
        with subtests.test(source):
            assert_safe(html_of(source))


PIECES = st.sampled_from(
    [*DANGEROUS, "<", ">", '"', "'", "](", "[", "!", "`", "\n", "\n\n", "> ", "* ", "# ", "\\", "&", "\x00", "http://"]
)


@given(st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=12).map("".join)))
@example("[a](http://b.example)")
def test_any_text_becomes_safe_html(source: str) -> None:
    assert_safe(html_of(source))


#: Texts as Markdown, and as HTML.
RENDERED = [
    ("", ""),
    ("one\n\ntwo", "<p>one</p>\n<p>two</p>\n"),
    ("    code", '<pre tabindex="0" role="group" aria-labelledby="code-label"><code>code\n</code></pre>\n'),
    ("*a* **b** `c` ~~d~~", "<p><em>a</em> <strong>b</strong> <code>c</code> <s>d</s></p>\n"),
    ("# top", "<h2>top</h2>\n"),
    ("###### sixth", "<h4>sixth</h4>\n"),
    ("* a\n* b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
    ("7. seventh", '<ol start="7">\n<li>seventh</li>\n</ol>\n'),
    ("> said", "<blockquote>\n<p>said</p>\n</blockquote>\n"),
    ("2 < 3 & 4 > 1", "<p>2 &lt; 3 &amp; 4 &gt; 1</p>\n"),
    ("https://b.example", f'<p><a href="https://b.example" rel="{REL}">https://b.example</a></p>\n'),
    # Characters that turn the text, however they are named, and marks that are piled up.
    *((f"a{named}b", "<p>ab</p>\n") for named in ("&#8238;", "&#8294;", "\u202e", "\u2066", "&rlm;")),
    (f"a{MARK * 50}b{'&#822;' * 50}", f"<p>a{MARK * 6}b{MARK * 6}</p>\n"),
]


def test_markdown_becomes_html(subtests: pytest.Subtests) -> None:
    check_results(subtests, {html_of: RENDERED})


@pytest.mark.parametrize(
    "address",
    ["https://google.com@evil.example", "http://u:p@evil.example/", "https:///google.com@evil.example",
     "https://google.com%40@evil.example", "HTTPS://a@b.example",
     "https://1.2.3.4.5/", "https:account/delete", "https:/log"],
)  # fmt: skip
def test_address_that_leads_elsewhere_or_nowhere_is_no_link(address: str) -> None:
    for source in (f"[x]({address})", f"<{address}>", address):
        assert "href" not in html_of(source)
    assert "href" in html_of("https://example.com/@ann/1?a@b#c@d")


#: Sentences with plain addresses, and the addresses.
SENTENCES = [
    *((f"看 https://a.example/b{end}谢谢", ["https://a.example/b"]) for end in "。，；：！？…～（「《〈【”｣"),
    ("见https://a.example/x、https://b.example/y。", ["https://a.example/x", "https://b.example/y"]),
    (
        "（https://a.example/wiki/中国）和‘https://b.example/’——好",
        ["https://a.example/wiki/中国", "https://b.example/"],
    ),
    ("https://a.example/レオナルド・ダ・ヴィンチ　です", ["https://a.example/レオナルド・ダ・ヴィンチ"]),
    ("한국어「https://a.example/위키/한국어」를", ["https://a.example/위키/한국어"]),
    ("It’s https://a.example/it’s, “https://b.example/c”", ["https://a.example/it’s", "https://b.example/c"]),
    ("https：//a.example https:。 https:/、x http://，", []),
]
#: Addresses as they were typed, and as they are shown.
SHOWN = [
    *((address, address) for address in ("https://a.example/%7Ea?q=%E4%B8%AD#%20", "HTTPS://A.Example/%C3%BC?ü=é")),
    ("https://www.xn--bcher-kva.example:80/xn--x", "https://www.bücher.example:80/xn--x"),
    ("http://例え.jp/道", "http://例え.jp/道"),
    ("https://ü@b.example/", "https://ü@b.example/"),
]


@pytest.mark.parametrize(("sentence", "addresses"), SENTENCES)
def test_address_ends_at_full_width_punctuation(sentence: str, addresses: list[str]) -> None:
    html = html_of(sentence)
    assert parse(html).texts("a") == addresses
    assert re.sub("<.*?>", "", html) == f"{sentence}\n"


@pytest.mark.parametrize(("typed", "shown"), SHOWN)
def test_address_is_shown_as_typed_with_its_readable_host(typed: str, shown: str) -> None:
    assert parse(html_of(typed)).text == parse(html_of(f"<{typed}>")).text == shown


def test_plain_text_is_escaped_and_stays_as_it_was_typed() -> None:
    assert render_plain("*a*\u202e <b>").__html__() == "<p>*a* &lt;b&gt;</p>\n"


def test_xml_text_drops_only_characters_that_xml_forbids() -> None:
    all_characters = "".join(chr(code) for code in range(0x110000))
    text = xml_text(all_characters)
    allowed = [*range(0x20, 0xD800), *range(0xE000, 0xFFFE), *range(0x10000, 0x110000)]
    assert text == "\t\n\r" + "".join(map(chr, allowed))
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    assert ElementTree.fromstring(f"<a>{escaped}</a>".encode()).text == text
