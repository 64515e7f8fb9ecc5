"""Links: which of them are the same story, the host of one, and its address for browsers."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import check_refusals, check_results
from voteweb.core import links, validation
from voteweb.core.errors import Invalid
from voteweb.core.links import ascii_host, domain, short_domain, web_address

PLAIN = "https://example.com/story"

SAME = [
    ("scheme", "http://example.com/story", PLAIN),
    ("www.", "https://www.example.com/story", PLAIN),
    ("default port of https", "https://example.com:443/story", PLAIN),
    ("default port of http", "http://example.com:80/story", PLAIN),
    ("trailing slash", "https://example.com/story/", PLAIN),
    ("fragment", "https://example.com/story#part-2", PLAIN),
    ("case of the host", "https://EXAMPLE.com/story", PLAIN),
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
    ascii_host: [
        ("EXAMPLE.COM.", "example.com."),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a_b.example", "a_b.example"),
        ("bücher.de", "xn--bcher-kva.de"),
        # IDNA 2003 would make strasse.de of the first, another site, and change the sigmas.
        ("straße.de", "xn--strae-oqa.de"),
        ("σίσυφος.gr", "xn--kxa6ajbbmh.gr"),
        ("ΣΊΣΥΦΟΣ.gr", "xn--kxa6akbbkh.gr"),
        ("ｅｘａｍｐｌｅ．com", "example.com"),
        ("例え。jp", "xn--r8jz45g.jp"),
        ("Ꭰ.example", "xn--58d.example"),  # a capital that IDNA 2003 does not know
        ("💩.la", "xn--ls8h.la"),
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
    ],
    web_address: [
        ("", ""),
        ("javascript:alert(1)", ""),
        ("example.com", ""),
        ("https://example.com/a?b=%20#c", "https://example.com/a?b=%20#c"),
        ('https://a.example/a"<>{|}^`', "https://a.example/a%22%3C%3E%7B%7C%7D%5E%60"),
        ("https://a.example/a b\n\\", "https://a.example/a%20b%0A%5C"),
        ("https://例え.example/编程", "https://例え.example/编程"),
    ],
}
NO_HOSTS = [
    *("", ".", "a..b", "a b", "a/b", "a\\b", "a:b", "a@b", "a%b", "<b>", "x" * 64, "ü" * 60),
    *("a\u2044\u0000b", "a\u200bb", "a\u202eb", "a\u00a0b", "a\u3164b", "\u0301a", "\ud800"),
]


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
    check_refusals(subtests, ValueError, {ascii_host: {"not a host name": NO_HOSTS}})


#: Texts that people could type for a domain.
ADDRESSES = st.lists(
    st.sampled_from(["www.", "ｗｗｗ.", "a.", "com", ".", "http://", "[", "]", "::1", ":80", "1.2.3.4", "@", "ü"]),
    max_size=6,
).map("".join) | st.text(max_size=30)


@given(ADDRESSES)
def test_all_domains_that_can_be_hidden_or_have_rules_pass(typed: str) -> None:
    domain = links.domain_of_address(typed)
    assert not domain or links.is_listed_domain(domain)
    with suppress(Invalid):
        assert validation.is_rule_domain(validation.rule_domain(typed))


@given(st.text(max_size=30))
def test_any_text_becomes_an_ascii_host_or_is_refused(host: str) -> None:
    with suppress(ValueError):
        ascii = ascii_host(host)
        assert ascii.isascii()
        assert ascii_host(ascii) == ascii


@given(st.text(max_size=60).map(lambda text: f"http://{text}"))
def test_every_valid_link_has_a_domain(typed: str) -> None:
    with suppress(Invalid):
        assert domain(validation.link(typed))
