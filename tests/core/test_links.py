"""Which links are the same story: the table of rules, row by row."""

import pytest

from voteweb.core import links

PLAIN = "https://example.com/story"

SAME = [
    ("scheme", "http://example.com/story", PLAIN),
    ("www.", "https://www.example.com/story", PLAIN),
    ("default port of https", "https://example.com:443/story", PLAIN),
    ("default port of http", "http://example.com:80/story", PLAIN),
    ("trailing slash", "https://example.com/story/", PLAIN),
    ("trailing slash of the root", "https://example.com/", "https://example.com"),
    ("fragment", "https://example.com/story#part-2", PLAIN),
    ("case of the host", "https://EXAMPLE.com/story", PLAIN),
    ("final dot of the host", "https://example.com./story", PLAIN),
    ("utm_source", f"{PLAIN}?utm_source=feed", PLAIN),
    ("any utm_", f"{PLAIN}?utm_medium=a&UTM_Campaign=b", PLAIN),
    ("fbclid", f"{PLAIN}?fbclid=1", PLAIN),
    ("gclid", f"{PLAIN}?gclid=1", PLAIN),
    ("ref", f"{PLAIN}?ref=hn", PLAIN),
    ("ref_src", f"{PLAIN}?ref_src=x", PLAIN),
    ("si", f"{PLAIN}?si=abc", PLAIN),
    ("order of the query", f"{PLAIN}?b=2&a=1", f"{PLAIN}?a=1&b=2"),
    ("tracking among the query", f"{PLAIN}?utm_source=x&a=1", f"{PLAIN}?a=1"),
    ("youtu.be", "https://youtu.be/dQw4", "https://www.youtube.com/watch?v=dQw4"),
    ("youtu.be with si", "https://youtu.be/dQw4?si=x", "https://youtube.com/watch?v=dQw4"),
    *((f"host {other}", f"https://{other}/story", f"https://{host}/story") for other, host in links.SAME_HOST.items()),
]

DIFFERENT = [
    ("path", "https://example.com/other"),
    ("case of the path", "https://example.com/Story"),
    ("host", "https://example.org/story"),
    ("subdomain", "https://blog.example.com/story"),
    ("port", "https://example.com:8080/story"),
    ("query", f"{PLAIN}?page=2"),
    ("a name that only ends in a tracking one", f"{PLAIN}?pref=1"),
    ("an empty value is a value", f"{PLAIN}?draft="),
]


@pytest.mark.parametrize(("rule", "link", "other"), SAME, ids=[row[0] for row in SAME])
def test_links_that_differ_only_by_a_rule_are_one_story(rule: str, link: str, other: str) -> None:
    assert links.normalized(link) == links.normalized(other)
    assert links.digest(link) == links.digest(other)


@pytest.mark.parametrize(("rule", "link"), DIFFERENT, ids=[row[0] for row in DIFFERENT])
def test_links_that_differ_otherwise_are_two_stories(rule: str, link: str) -> None:
    assert links.normalized(link) != links.normalized(PLAIN)


@pytest.mark.parametrize("link", ["http://[no address", "http://example.com:port/", "no link", ""])
def test_what_is_no_address_is_only_the_same_as_itself(link: str) -> None:
    assert links.digest(link) == links.digest(link) != links.digest(PLAIN)


def test_comparing_is_stable() -> None:
    for _, link, _ in SAME:
        once = links.normalized(link)
        assert links.normalized(f"https://{once}") == once
