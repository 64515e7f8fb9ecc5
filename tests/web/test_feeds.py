"""What feeds say: read by feedparser and by hand, against RFC 4287 and JSON Feed 1.1."""

import json
import re
import time

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.feed_reader import ARTICLE_LISTS, ATOM, LISTS, atom, lay_in, rows, titles, tree
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """What the tests of feeds begin with."""
    lay_in(fake_store)


# --- what the specifications ask for


@pytest.mark.parametrize("path", LISTS)
def test_atom_has_what_rfc_4287_requires(path: str, reader: Browser) -> None:
    feed = tree(reader, f"{path}.atom")
    assert reader.answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert feed.tag == f"{ATOM}feed"
    moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    entries = feed.findall(f"{ATOM}entry")
    assert entries
    for each in (feed, *entries):
        for name in ("id", "title", "updated"):
            (found,) = each.findall(f"{ATOM}{name}")
            assert found.text, name
        assert re.match(r"(urn:uuid:|http://localhost/)", each.findtext(f"{ATOM}id", ""))
        assert moment.fullmatch(each.findtext(f"{ATOM}updated", ""))
        assert each.findtext(f"{ATOM}author/{ATOM}name")
        links = [(link.get("rel"), link.get("type")) for link in each.findall(f"{ATOM}link")]
        assert len(links) == len(set(links))
        assert [rel for rel, _type in links].count("alternate") == 1
        assert all((link.get("href") or "").startswith("http") for link in each.findall(f"{ATOM}link"))
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))
    (me,) = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert me == f"http://localhost{path}.atom"
    for entry in entries:
        assert moment.fullmatch(entry.findtext(f"{ATOM}published", ""))
        (content,) = entry.findall(f"{ATOM}content")
        assert content.get("type") == "html"
        assert content.text
        assert not list(content)


# Member, its type, and whether it must be there.
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
def test_json_has_what_json_feed_requires_and_nothing_else(path: str, reader: Browser) -> None:
    reader.open(f"{path}.json")
    assert reader.answer.headers["Content-Type"] == "application/feed+json"
    feed = json.loads(reader.answer.data)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == f"http://localhost{path}.json"
    assert feed["items"]
    for table, found in ((JSON_FEED, [feed]), (JSON_ITEM, feed["items"])):
        for each in found:
            assert set(each) <= {name for name, *_ in table}
            for name, kind, must in table:
                assert isinstance(each[name], kind) if must or name in each else True, name
                assert each.get(name, "none") != ""
    for item in feed["items"]:
        assert all(author["name"] for author in item["authors"])
        assert item["url"].startswith("http://localhost/")


# --- what the feeds say


def test_each_list_has_its_articles_in_its_order(reader: Browser) -> None:
    assert {path: titles(reader, path) for path in ARTICLE_LISTS} == {
        "/feed": ["A text", "A link"],
        "/new": ["A text", "A link"],
        "/good": ["A link"],
        "/g/python": ["A text", "A link"],
        "/g/python/new": ["A text", "A link"],
        "/g/python+redis": ["A text", "A link"],
        "/g/python+redis/new": ["A text", "A link"],
        "/u/ann": ["A text", "A link"],
    }


def test_by_score_and_by_time_differ(reader: Browser, fake_store: Store) -> None:
    factories.imported(fake_store, title="Much read", link="https://example.com/9", votes=5_000, groups=("python",))
    assert titles(reader, "/feed")[0] == titles(reader, "/g/python")[0] == "Much read"
    assert titles(reader, "/new")[0] == titles(reader, "/g/python/new")[0] == "A text"


def test_a_link_leads_to_the_story_and_to_its_page_here(reader: Browser, fake_store: Store) -> None:
    entry = atom(reader, "/good.atom").entries[0]
    article = fake_store.articles.get(1)
    assert entry.link == "https://example.com/a?b=1&c=2"
    assert [(link.rel, link.href) for link in entry.links] == [
        ("alternate", "https://example.com/a?b=1&c=2"),
        ("replies", "http://localhost/a/1"),
    ]
    assert (entry.author_detail.name, entry.author_detail.href) == ("ann", "http://localhost/u/ann")
    assert [tag.term for tag in entry.tags] == list(article.groups) == ["python", "redis"]
    assert time.strftime("%s", entry.published_parsed) == time.strftime("%s", entry.updated_parsed)
    assert '200 votes · <a href="http://localhost/a/1">see it on voteweb</a>' in entry.content[0].value
    (item,) = rows(reader, "/good.json")
    assert (item["url"], item["external_url"]) == ("http://localhost/a/1", "https://example.com/a?b=1&c=2")
    assert item["authors"] == [{"name": "ann", "url": "http://localhost/u/ann"}]
    assert item["tags"] == ["python", "redis"]


def test_a_text_leads_to_its_own_page_and_is_there_whole_and_clean(reader: Browser) -> None:
    entry = atom(reader, "/new.atom").entries[0]
    assert {link.href for link in entry.links} == {"http://localhost/a/2"}
    assert "<strong>bold</strong>" in entry.content[0].value
    item = rows(reader, "/new.json")[0]
    assert "external_url" not in item
    html = item["content_html"]
    assert "<strong>bold</strong> text." in html
    assert '<a href="https://example.org/" rel="nofollow ugc noopener">link</a>' in html
    assert "&lt;b&gt;no&lt;/b&gt;" in html
    assert 'href="javascript' not in html
    raw = next(each for each in tree(reader, "/new.atom").iter(f"{ATOM}content"))
    assert raw.text == html


@pytest.mark.parametrize(
    ("path", "title", "page"),
    [
        ("/feed", "voteweb: Top articles", "/"),
        ("/new", "voteweb: New articles", "/new"),
        ("/good", "voteweb: Good articles", "/good"),
        ("/g/python", "voteweb: Python & co", "/g/python"),
        ("/g/python/new", "voteweb: New in Python & co", "/g/python/new"),
        ("/g/python+redis", "voteweb: Python & co + Redis", "/g/python+redis"),
        ("/u/ann", "voteweb: Articles by ann", "/u/ann"),
        ("/log", "voteweb: Moderation log", "/log"),
    ],
)
def test_a_feed_says_which_list_it_is_and_the_list_leads_to_it(
    path: str, title: str, page: str, reader: Browser
) -> None:
    feed = atom(reader, f"{path}.atom").feed
    assert (feed.title, feed.link) == (title, f"http://localhost{page}")
    assert (feed.author, feed.icon.partition("?")[0]) == ("voteweb", "http://localhost/static/icon.svg")
    made = json.loads(reader.open(f"{path}.json").answer.data)
    assert (made["title"], made["home_page_url"]) == (title, f"http://localhost{page}")
    links = reader.open(page).page.all("link", rel="alternate")
    assert [(each["type"], each["title"], each["href"]) for each in links] == [
        ("application/atom+xml", title, f"{path}.atom"),
        ("application/feed+json", f"{title} (JSON)", f"{path}.json"),
    ]


def test_a_groups_feed_has_its_description(reader: Browser) -> None:
    assert tree(reader, "/g/python.atom").findtext(f"{ATOM}subtitle") == "The <language>."
    assert json.loads(reader.open("/g/python.json").answer.data)["description"] == "The <language>."


def test_an_empty_list_is_an_empty_feed(reader: Browser, fake_store: Store) -> None:
    for id in (1, 2):
        fake_store.removals.delete(id)
    for path in ARTICLE_LISTS:
        assert titles(reader, path) == [], path
        assert "Last-Modified" not in reader.answer.headers


def test_the_log_is_a_feed_by_moderator_and_kind_too(reader: Browser) -> None:
    (entry,) = atom(reader, "/log.atom?who=mod&kind=remove&x=1").entries
    assert entry.title == "mod removed “Spam & <eggs>”"
    assert entry.link == "http://localhost/log#l1"
    assert "It is &lt;spam&gt;." in rows(reader, "/log.json?kind=remove")[0]["content_html"]
    feed = tree(reader, "/log.atom?who=mod&kind=remove&x=1")
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links["self"] == "http://localhost/log.atom?who=mod&kind=remove"
    assert links["alternate"] == "http://localhost/log?who=mod&kind=remove"
    assert rows(reader, "/log.json?who=nobody") == []


def test_all_groups_at_once(reader: Browser, fake_store: Store) -> None:
    factories.group(fake_store, "编程", 'Code & "more"')
    opml = tree(reader, "/groups.opml")
    assert (opml.tag, opml.get("version"), opml.findtext("head/title")) == ("opml", "2.0", "voteweb: Groups")
    found = [each.attrib for each in opml.findall("body/outline")]
    assert [each["text"] for each in found] == ["Python & co", "Redis", 'Code & "more"']
    assert found[0]["description"] == "The <language>."
    for each in found:
        assert each["type"] == "rss"
        assert each["xmlUrl"] == f"{each['htmlUrl']}.atom"
        atom(reader, each["xmlUrl"].removeprefix("http://localhost"))
    assert reader.open("/groups").page.one("a", href="/groups.opml").words
    fake_store.connection.client.delete("groups:")
    assert len(tree(reader, "/groups.opml").findall("body/outline")) == 1
