"""Links: which of them are the same story, the host of one, and its address for browsers."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_results
from voteweb.core import links, validation
from voteweb.core.errors import Invalid
from voteweb.core.links import domain, host_of, misplaced, readable_domain, respelled, short_domain, web_address

PLAIN = "https://example.com/story"

SAME = [
    ("scheme", "http://example.com/story", PLAIN),
    ("www.", "https://www.example.com/story", PLAIN),
    ("default port of https", "https://example.com:443/story", PLAIN),
    ("default port of http", "http://example.com:80/story", PLAIN),
    ("trailing slash", "https://example.com/story/", PLAIN),
    ("fragment", "https://example.com/story#part-2", PLAIN),
    ("case of the host", "https://EXAMPLE.com/story", PLAIN),
    ("mark that browsers drop", "https://ex\u034fample.com/story", PLAIN),
    ("percent code in the host", "https://ex%61mple.com/story", PLAIN),
    ("final dot of the host", "https://example.com./story", PLAIN),
    ("utm_source", f"{PLAIN}?utm_source=feed", PLAIN),
    ("any utm_", f"{PLAIN}?utm_medium=a&UTM_Campaign=b", PLAIN),
    ("ref", f"{PLAIN}?ref=hn", PLAIN),
    ("si", f"{PLAIN}?si=abc", PLAIN),
    ("order of the query", f"{PLAIN}?b=2&a=1", f"{PLAIN}?a=1&b=2"),
    ("tracking among the query", f"{PLAIN}?utm_source=x&a=1", f"{PLAIN}?a=1"),
    ("youtu.be", "https://youtu.be/dQw4", "https://www.youtube.com/watch?v=dQw4"),
    *(
        (f"host {other}", f"https://{other}/story", f"https://{host}/story")
        for other, host in links.CANONICAL_HOSTS.items()
    ),
]

DIFFERENT = [
    ("path", "https://example.com/other"),
    ("case of the path", "https://example.com/Story"),
    ("host", "https://example.org/story"),
    ("port", "https://example.com:8080/story"),
    ("query", f"{PLAIN}?page=2"),
    ("a name that only ends in a tracking one", f"{PLAIN}?pref=1"),
    ("an empty value is a value", f"{PLAIN}?draft="),
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
    short_domain: [
        ("lichen-letters.example", "lichen-letters.example"),
        ("news.lichen-letters.example", "…lichen-letters.example"),
        ("a.b.c.observatory.example", "…b.c.observatory.example"),
        ("www.the-longest-name-of-a-newspaper.example", "…the-longest-name-of-a-newspaper.example"),
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
    for rule, link, other in SAME:
        with subtests.test(rule):
            once = links.normalized(link)
            assert once == links.normalized(other) == links.normalized(f"https://{once}")
            assert links.digest(link) == links.digest(other)
    assert [rule for rule, link in DIFFERENT if links.normalized(link) == links.normalized(PLAIN)] == []


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
