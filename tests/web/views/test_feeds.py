"""The content of feeds, read by feedparser and by hand, against RFC 4287 and JSON Feed 1.1."""

import re

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.feed_reader import ARTICLE_LISTS, ATOM, LISTS, add_articles, atom, items, titles, tree
from voteweb.store import Store

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    add_articles(store)


@pytest.mark.parametrize("path", LISTS)
def test_atom_feed_has_what_rfc_4287_requires(path: str, reader: Browser) -> None:
    feed = tree(reader, f"{path}.atom")
    assert reader.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert feed.tag == f"{ATOM}feed"
    entries = feed.findall(f"{ATOM}entry")
    assert entries
    for element in (feed, *entries):
        for name in ("id", "title", "updated"):
            (child,) = element.findall(f"{ATOM}{name}")
            assert child.text, name
        assert TIME.fullmatch(element.findtext(f"{ATOM}updated", ""))
        assert element.findtext(f"{ATOM}author/{ATOM}name")
        links = [(link.get("rel"), link.get("type")) for link in element.findall(f"{ATOM}link")]
        assert len(links) == len(set(links))
        assert [rel for rel, _type in links].count("alternate") == 1
        assert all((link.get("href") or "").startswith("http") for link in element.findall(f"{ATOM}link"))
    (self_url,) = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert self_url == f"http://localhost{path}.atom"
    for entry in entries:
        assert TIME.fullmatch(entry.findtext(f"{ATOM}published", ""))
        (content,) = entry.findall(f"{ATOM}content")
        assert (content.get("type"), bool(content.text), list(content)) == ("html", True, [])


# Name of a member, its type, and whether it is required.
JSON_FEED = [
    ("version", str, True), ("title", str, True), ("items", list, True), ("home_page_url", str, True),
    ("feed_url", str, True), ("language", str, True), ("favicon", str, True), ("description", str, False),
]  # fmt: skip
JSON_ITEM = [
    ("id", str, True), ("url", str, True), ("content_html", str, True), ("title", str, True),
    ("date_published", str, True), ("date_modified", str, True), ("authors", list, True),
    ("external_url", str, False), ("tags", list, False),
]  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_json_feed_has_what_the_specification_requires(path: str, reader: Browser) -> None:
    feed = reader.open(f"{path}.json").json
    assert reader.headers["Content-Type"] == "application/feed+json"
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == f"http://localhost{path}.json"
    assert feed["items"]
    for specification, members in ((JSON_FEED, [feed]), (JSON_ITEM, feed["items"])):
        for member in members:
            assert set(member) <= {name for name, *_ in specification}
            for name, type, is_required in specification:
                assert isinstance(member[name], type) if is_required or name in member else True, name
                assert member.get(name, "none") != ""
    assert all(item["url"].startswith("http://localhost/") for item in feed["items"])


def test_each_feed_has_the_articles_of_its_list(reader: Browser, store: Store) -> None:
    factories.imported(store, title="Popular", link="https://example.com/9", votes=5_000, groups=("python",))
    two, by_score, by_time = ["A text", "A link"], ["Popular", "A text", "A link"], ["A text", "Popular", "A link"]
    assert {path: titles(reader, path) for path in ARTICLE_LISTS} == {
        "/feed": by_score,
        "/new": by_time,
        "/good": ["Popular", "A link"],
        "/g/python": by_score,
        "/g/python/new": by_time,
        "/g/python+redis": two,
        "/g/python+redis/new": two,
        "/u/ann": by_time,
    }


def test_item_of_a_link_leads_to_story_and_page(reader: Browser) -> None:
    entry = atom(reader, "/good.atom").entries[0]
    assert entry.link == "https://example.com/a?b=1&c=2"
    assert [(link.rel, link.href) for link in entry.links] == [
        ("alternate", "https://example.com/a?b=1&c=2"),
        ("replies", "http://localhost/a/1#comments"),
        ("replies", "http://localhost/a/1.atom"),
    ]
    assert (entry.author_detail.name, entry.author_detail.href) == ("ann", "http://localhost/u/ann")
    assert [tag.term for tag in entry.tags] == ["python", "redis"]
    assert '200 votes · <a href="http://localhost/a/1">see it on voteweb</a>' in entry.content[0].value
    (item,) = items(reader, "/good.json")
    assert (item["url"], item["external_url"]) == ("http://localhost/a/1", "https://example.com/a?b=1&c=2")
    assert item["authors"] == [{"name": "ann", "url": "http://localhost/u/ann"}]


def test_text_item_has_its_first_1000_characters_as_html(reader: Browser, store: Store) -> None:
    item = items(reader, "/new.json")[0]
    assert "external_url" not in item
    html = item["content_html"]
    assert "<strong>bold</strong> text." in html
    assert '<a href="https://example.org/" rel="nofollow ugc noopener">link</a>' in html
    content = next(tree(reader, "/new.atom").iter(f"{ATOM}content"))
    assert content.text == html
    factories.article(store, link="", text="word " * 3_000)
    assert items(reader, "/new.json")[0]["content_html"].count("word") == 200
    factories.article(store, link="", text="    code")
    assert "<pre><code>code\n</code></pre>" in items(reader, "/new.json")[0]["content_html"]


@pytest.mark.parametrize(
    ("path", "title", "page"),
    [
        ("/feed", "voteweb: Hot articles", "/"),
        ("/good", "voteweb: Good articles", "/good"),
        ("/g/python", "voteweb: Python & co", "/g/python"),
        ("/g/python/new", "voteweb: New in Python & co", "/g/python/new"),
        ("/g/python+redis", "voteweb: Python & co + Redis", "/g/python+redis"),
        ("/u/ann", "voteweb: Articles by ann", "/u/ann"),
    ],
)
def test_feed_has_its_lists_title_and_is_linked_there(path: str, title: str, page: str, reader: Browser) -> None:
    feed = atom(reader, f"{path}.atom").feed
    assert (feed.title, feed.link) == (title, f"http://localhost{page}")
    json_feed = reader.open(f"{path}.json").json
    assert json_feed.get("description") == (
        "The <language>." if path.startswith("/g/python") and "+" not in path else None
    )
    assert (json_feed["title"], json_feed["home_page_url"]) == (title, f"http://localhost{page}")
    links = reader.open(page).page.all("link", rel="alternate")
    assert [(link["type"], link["title"], link["href"]) for link in links] == [
        ("application/atom+xml", title, f"{path}.atom"),
        ("application/feed+json", f"{title} (JSON)", f"{path}.json"),
    ]


def test_feed_of_the_log_can_be_filtered(reader: Browser) -> None:
    (entry,) = atom(reader, "/log.atom?who=mod&kind=remove&x=1").entries
    assert (entry.title, entry.link) == ("mod removed “Spam & <eggs>”", "http://localhost/log#l1")
    assert "It is &lt;spam&gt;." in items(reader, "/log.json?kind=remove")[0]["content_html"]
    feed = tree(reader, "/log.atom?who=mod&kind=remove&x=1")
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links["self"] == "http://localhost/log.atom?who=mod&kind=remove"
    assert links["alternate"] == "http://localhost/log?who=mod&kind=remove"
    assert items(reader, "/log.json?who=nobody") == []


def test_opml_has_the_feeds_of_all_groups(reader: Browser, store: Store) -> None:
    factories.group(store, "编程", 'Code & "more"')
    opml = tree(reader, "/groups.opml")
    assert (opml.tag, opml.get("version"), opml.findtext("head/title")) == ("opml", "2.0", "voteweb: Groups")
    outlines = [outline.attrib for outline in opml.findall("body/outline")]
    assert [outline["text"] for outline in outlines] == ["Python & co", "Redis", 'Code & "more"']
    assert outlines[0]["description"] == "The <language>."
    for outline in outlines:
        assert outline["xmlUrl"] == f"{outline['htmlUrl']}.atom"
        atom(reader, outline["xmlUrl"].removeprefix("http://localhost"))
    store.connection.command("UNLINK", "groups:")
    assert len(tree(reader, "/groups.opml").findall("body/outline")) == 1
