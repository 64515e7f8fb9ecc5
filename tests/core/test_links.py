"""Links: which of them are the same story, the host of one, and its address for browsers."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.core import links, validation
from voteweb.core.errors import Invalid
from voteweb.core.links import domain, host_of, misplaced, readable_domain, respelled, web_address

PLAIN = "https://example.com/story"

SAME = [
    ("scheme", "http://example.com/story", PLAIN),
    ("www.", "https://www.example.com/story", PLAIN),
    ("default port of https", "https://example.com:443/story", PLAIN),
    ("default port of http", "http://example.com:80/story", PLAIN),
    ("trailing slash", "https://example.com/story/", PLAIN),
    ("index.html", "https://example.com/story/index.html", PLAIN),
    ("fragment", "https://example.com/story#part-2", PLAIN),
    ("case of the host", "https://EXAMPLE.com/story", PLAIN),
    ("mark that browsers drop", "https://ex\u034fample.com/story", PLAIN),
    ("percent code in the host", "https://ex%61mple.com/story", PLAIN),
    ("final dot of the host", "https://example.com./story", PLAIN),
    ("punycode", "https://xn--bcher-kva.example/a", "https://bücher.example/a"),
    ("dots in the path", "https://example.com/./a/../story", PLAIN),
    ("percent code of a letter", "https://example.com/st%6fry%7E", "https://example.com/story~"),
    ("case of percent codes", "https://example.com/caf%c3%a9?q=%e7", "https://example.com/café?q=%E7"),
    ("utm_source", f"{PLAIN}?utm_source=feed", PLAIN),
    ("any utm_", f"{PLAIN}?utm_medium=a&UTM_Campaign=b", PLAIN),
    ("ref with a word", f"{PLAIN}?ref=hn", PLAIN),
    ("ref with a host", f"{PLAIN}?ref=news.ycombinator.com", PLAIN),
    ("ref with a URL", f"{PLAIN}?referrer=https%3A%2F%2Flobste.rs%2F", PLAIN),
    ("order of the query", f"{PLAIN}?b=2&a=1", f"{PLAIN}?a=1&b=2"),
    ("blank in the query", f"{PLAIN}?a=b%20c", f"{PLAIN}?a=b+c"),
    ("tracking among the query", f"{PLAIN}?utm_source=x&a=1", f"{PLAIN}?a=1"),
    *((f"tracker {name}", f"{PLAIN}?{name.replace('*', 'x')}=1", PLAIN) for name in links.TRACKERS),
]
#: Spellings of pages, and those that they stand for.
SPELLINGS = [
    ("https://youtu.be/dQw4-w_9?t=42", "https://www.youtube.com/watch?v=dQw4-w_9"),
    ("https://m.youtube.com/shorts/dQw4", "https://www.youtube.com/watch?v=dQw4"),
    ("https://www.youtube-nocookie.com/embed/dQw4", "https://www.youtube.com/watch?v=dQw4"),
    ("https://music.youtube.com/watch?feature=share&v=dQw4&list=PL1&si=x", "https://www.youtube.com/watch?v=dQw4"),
    ("https://m.youtube.com/playlist?list=PL1&si=x", "https://www.youtube.com/playlist?list=PL1"),
    ("https://m.youtube.com/@channel", "https://www.youtube.com/@channel"),
    ("https://arxiv.org/pdf/1706.03762v7.pdf", "https://arxiv.org/abs/1706.03762"),
    ("https://export.arxiv.org/abs/hep-th/9901001v2", "https://arxiv.org/pdf/hep-th/9901001"),
    ("https://it.m.wikipedia.org/wiki/Gatto", "https://it.wikipedia.org/wiki/Gatto"),
    ("https://zh.m.wiktionary.org/wiki/%e7%8c%ab", "https://zh.wiktionary.org/wiki/猫"),
    ("https://x.com/ann/status/12?s=20", "https://mobile.twitter.com/i/web/status/12/photo/1"),
    ("https://x.com/ann", "https://twitter.com/ann"),
    ("https://old.reddit.com/r/go/comments/abc1/a_title/?share_id=x", "https://redd.it/abc1"),
    ("https://np.reddit.com/r/go/", "https://www.reddit.com/r/go"),
    ("https://datatracker.ietf.org/doc/html/rfc9110", "https://www.rfc-editor.org/rfc/rfc9110.html"),
    ("https://tools.ietf.org/html/rfc9110", "https://www.ietf.org/rfc/rfc9110.txt"),
    ("https://stackoverflow.com/q/11227809", "https://stackoverflow.com/questions/11227809/why-is-it-faster"),
    ("https://github.com/redis/redis.git", "https://github.com/redis/redis?tab=readme-ov-file"),
    ("https://dx.doi.org/10.1145/3292500", "https://doi.org/10.1145/3292500"),
    ("https://dl.acm.org/doi/pdf/10.1145/3292500", "https://dl.acm.org/doi/10.1145/3292500"),
    ("https://openreview.net/pdf?id=abc", "https://openreview.net/forum?id=abc&noteId=x"),
    ("https://open.spotify.com/intl-de/episode/4r?si=x", "https://open.spotify.com/episode/4r"),
    ("https://www.amazon.co.uk/A-Title/dp/0262510871/ref=sr_1_1", "https://amazon.co.uk/gp/product/0262510871?tag=x"),
    ("https://m.medium.com/@ann/a-story?source=rss", "https://medium.com/@ann/a-story"),
    ("https://m.imdb.com/title/tt1", "https://www.imdb.com/title/tt1"),
]

DIFFERENT = [
    ("path", "https://example.com/other"),
    ("case of the path", "https://example.com/Story"),
    ("host", "https://example.org/story"),
    ("port", "https://example.com:8080/story"),
    ("query", f"{PLAIN}?page=2"),
    ("a name that only ends in a tracking one", f"{PLAIN}?pref=1"),
    ("an empty value is a value", f"{PLAIN}?draft="),
    ("a source that selects", f"{PLAIN}?si=abc"),
]
#: Two pages that differ in what can select them.
TWO_PAGES = [
    ("https://x.computer/a", "https://twitter.computer/a"),
    ("https://medium.community/post?id=1", "https://medium.community/post?id=2"),
    ("https://old.reddit.community/a", "https://reddit.community/a"),
    ("https://m.facebook.company/a", "https://facebook.company/a"),
    ("https://medium.com/search?q=a", "https://medium.com/search?q=b"),
    ("https://open.spotify.com/search?q=a", "https://open.spotify.com/search?q=b"),
    ("https://github.com/trending/python?since=daily", "https://github.com/trending/python?since=weekly"),
    ("https://youtube.com/embed/videoseries?list=a", "https://youtube.com/embed/videoseries?list=b"),
    ("http://[2606:4700::1:8080]/", "http://[2606:4700::1]:8080/"),
    ("https://example.com/forum/#!topic/dev/AAA", "https://example.com/forum/#!topic/dev/BBB"),
    ("https://matrix.to/#/#a:x.example", "https://matrix.to/#/#b:x.example"),
    ("https://example.com/#/post/1", "https://example.com/#/post/2"),
    ("https://example.com/s?wd=%D6%D0", "https://example.com/s?wd=%CE%C4"),
    ("https://github.com/a/b/blob/f?ref=main", "https://github.com/a/b/blob/f?ref=release"),
    ("https://example.com/?ref=v1.2", "https://example.com/?ref=v1.3"),
    ("https://example.com/?x=1&x=2", "https://example.com/?x=2&x=1"),
    ("https://example.com/a%2Fb", "https://example.com/a/b"),
    ("http://example.com:443/", "http://example.com/"),
    ("https://example.com:80/", "http://example.com/"),
    ("https://stackoverflow.com/questions/1/a/2", "https://stackoverflow.com/questions/1/a/3"),
    ("https://www.youtube.com/watch?v=a", "https://www.youtube.com/watch?v=b"),
    ("https://github.com/a/b/issues?page=1", "https://github.com/a/b/issues?page=2"),
]


#: Functions, their arguments and what they return.
RESULTS = {
    host_of: [
        ("https://EXAMPLE.com./", "example.com."),
        ("http://xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("http://a_b.example", "a_b.example"),
        # IDNA 2003 would make strasse.de of it, another site.
        ("http://straße.de", "xn--strae-oqa.de"),
        ("http://ΣΊΣΥΦΟΣ.gr", "xn--kxa6akbbkh.gr"),
        ("http://ｅｘａｍｐｌｅ．com", "example.com"),
        ("http://例え。jp", "xn--r8jz45g.jp"),
        ("http://💩.la", "xn--ls8h.la"),
        ("http://ශ්‍රී.com", "xn--10cl1a0b660p.com"),
        # Characters that browsers drop.
        ("http://exam\u034fple.com", "example.com"),
        ("http://ex\u00adample.co\ufe0fm", "example.com"),
        ("http://ex%E2%80%8Bample%2Ecom", "example.com"),
        ("http://l\u180bocalhost", "localhost"),
        *((f"http://{typed}/", "127.0.0.1") for typed in ("127.1", "0x7f.1", "2130706433", "１２７.0.0.1", "127.1.")),
        ("http://[::FFFF:127.0.0.1]:80/", "::ffff:7f00:1"),
        ("ftp://example.com/", ""),
        *((f"http://{host}/", "") for host in ("", ".", "a..b", "a b", "a*b", "<b>", "a%b", "[::1", "1.2.3.256")),
        *((f"http://{host}/", "") for host in ("x" * 64, "ü" * 60, "a." * 128, "\ud800", "a\u202eb", "a\u0000b")),
    ],
    misplaced: [
        ("http://exa*mple.com/", ("*", 11)),
        ("https://例%2a例.com/", ("%2a", 10)),
        ("https://a..b/*", ("", 0)),
        ("https://例え.jp/*", ("", 0)),
    ],
    readable_domain: [
        ("xn--bcher-kva.de", "bücher.de"),
        ("xn--r8jz45g.jp", "例え.jp"),
        ("xn--web-x68do18h.jp", "web中文.jp"),
        ("xn--10cl1a0b660p.com", "ශ්‍රී.com"),
        ("xn--e1afmkfd.xn--p1ai", "пример.рф"),
        # It looks like apple, and is of two scripts; the next is of one that looks Latin.
        ("xn--pple-43d.com", "xn--pple-43d.com"),
        ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),
        ("xn--ls8h.la", "xn--ls8h.la"),
        ("xn--1ug.com", "xn--1ug.com"),  # nothing but a joiner
        ("xn--99999999.la", "xn--99999999.la"),
        ("::1", "::1"),
    ],
    respelled: [
        ("example.com", "example.com"),
        ("xn--example-qye.com", "example.com"),
        ("www.xn--bcher-kva.de", "www.xn--bcher-kva.de"),
        ("0x7f.1", "127.0.0.1"),
        ("::1", "::1"),
        ("a..b", ""),
    ],
    domain: [
        ("", ""),
        ("https://WWW.Example.com:8080/a", "example.com"),
        ("https://wwwhere.example", "wwwhere.example"),
        ("https://www.example.com./", "example.com"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("http://[::1]:80/", "::1"),
        ("http://[no address", ""),
    ],
    web_address: [
        ("", ""),
        ("javascript:alert(1)", ""),
        ("example.com", ""),
        ("https://example.com/a?b=%20#c", "https://example.com/a?b=%20#c"),
        ('https://a.example/a"<>{}^`', "https://a.example/a%22%3C%3E%7B%7D%5E%60"),
        ("https://a.example/a b\n\\", "https://a.example/a%20b/"),
        ("https://例え.example/编程", "https://xn--r8jz45g.example/%E7%BC%96%E7%A8%8B"),
    ],
}


def test_links_that_differ_by_a_rule_are_one_story(subtests: pytest.Subtests) -> None:
    spellings = [(link, link, other) for link, other in SPELLINGS]
    for rule, link, other in [*SAME, *spellings]:
        with subtests.test(rule):
            once = links.normalized(link)
            assert once == links.normalized(other) == links.normalized(f"https://{once}")
            assert links.digest(link) == links.digest(other)
    assert [rule for rule, link in DIFFERENT if links.normalized(link) == links.normalized(PLAIN)] == []
    assert [link for link, other in TWO_PAGES if links.normalized(link) == links.normalized(other)] == []


def test_each_spelling_has_an_example() -> None:
    pages = {domain(link) + links.read(link).url.pathname.rstrip("/") for pair in SPELLINGS for link in pair}
    assert [row.page for row in links.SPELLINGS if not any(map(row.pattern.fullmatch, pages))] == []


def test_invalid_links_are_only_the_same_as_themselves() -> None:
    invalid = ["http://[no address", "http://example.com:port/", "no link", ""]
    assert len({links.digest(link) for link in [*invalid, *invalid, PLAIN]}) == 5


def test_functions_of_links(subtests: pytest.Subtests) -> None:
    check_results(subtests, RESULTS)


#: Texts that people could type for a domain.
ADDRESSES = st.lists(
    st.sampled_from(["www.", "ｗｗｗ.", "a.", "com", ".", "http://", "[", "]", "::1", ":80", "1.2.3.4", "@", "ü"]),
    max_size=6,
).map("".join) | st.text(max_size=30)


@given(ADDRESSES)
def test_all_domains_that_can_be_hidden_or_have_rules_pass(typed: str) -> None:
    domain = links.domain_of_address(typed)
    assert not domain or links.is_domain(domain)
    with suppress(Invalid):
        assert validation.is_rule_domain(validation.rule_domain(typed))


@given(st.text(max_size=30))
def test_a_mapped_host_is_its_own_mapping(typed: str) -> None:
    host = host_of(f"http://{typed}/")
    assert host.isascii()
    assert not host or ":" in host or host_of(f"http://{host}/") == host


@given(st.text(max_size=60).map(lambda text: f"http://{text}"))
def test_every_valid_link_has_a_domain(typed: str) -> None:
    with suppress(Invalid):
        assert domain(validation.link(typed))
