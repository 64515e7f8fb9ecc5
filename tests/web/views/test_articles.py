"""The lists of the whole site, and the page of one article."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from voteweb.core import config
from voteweb.store import Store


def post_articles(store: Store, count: int) -> None:
    for i in range(1, count + 1):
        factories.article(store, title=f"Article {i}")


def test_the_page_of_good_articles_has_the_newest_fifty(reader: Browser, store: Store) -> None:
    for number in range(51):
        factories.imported(store, title=f"Good {number}", votes=200, time=1_456_000_000 + number)
    assert reader.open("/good").titles == [f"Good {number}" for number in range(50, 0, -1)]


def test_good_articles_beside_the_front_page_are_not_on_it(
    make_browser: MakeBrowser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for votes in (200, 199, 350, 201):
        factories.imported(store, title=f"{votes} votes", votes=votes, time=1_456_000_000 + votes)
    monkeypatch.setattr(config, "GOOD_ON_FRONT", 1)
    reader = make_browser(page_size=1)
    assert reader.open("/").titles == ["350 votes"]
    beside = reader.page.one("aside", class_="aside-list")
    assert beside.values("href", "a") == ["/good", "/a/4", "/good"]
    assert beside.one("li").text == "201 votes 201 votes"
    assert not make_browser().open("/").page.all("aside", class_="aside-list")


def test_row_shows_title_domain_poster_time_and_groups(reader: Browser, store: Store) -> None:
    factories.article(store, title="On Redis", link="https://www.example.com/x", groups=("redis", "编程"))
    for count in (1, 1_200):
        store.connection.client.hset(f"article:{factories.article(store).id}", "comments", count)
    row = reader.open("/").page.by_id("a1")
    assert row.one("a", class_="title").attrs == {
        "class": "title",
        "href": "https://www.example.com/x",
        "rel": "nofollow ugc",
        "dir": "auto",
    }
    assert row.one("a", class_="domain").text == "example.com"
    assert row.one("a", class_="by")["href"] == "/u/ann"
    assert row.one("time").text == "just now"
    assert row.one("time")["datetime"].endswith("Z")
    assert row.values("href", "a", class_="chip") == ["/g/redis", "/g/%E7%BC%96%E7%A8%8B"]
    links = [reader.page.one("a", href=f"/a/{id}#comments").text for id in (1, 2, 3)]
    assert links == ["discuss", "1 comment", "1,200 comments"]


def test_every_list_links_to_its_feed(reader: Browser, store: Store) -> None:
    factories.imported(store, poster="ann", votes=200, groups=("python", "redis"))
    factories.comment(store, factories.article(store))
    for address in ("/", "/new", "/good", "/g/python+redis", "/u/ann", "/comments", "/u/ann/comments", "/log"):
        feed = f"{'/feed' if address == '/' else address}.atom"
        assert reader.open(address).page.one("main").all("a", href=feed, type="application/atom+xml"), address


def test_pages_of_a_list_lead_to_each_other(reader: Browser, store: Store) -> None:
    post_articles(store, 53)
    store.votes.cast(1, factories.user(store, "bob"))  # it stays the oldest
    first = reader.open("/new").page
    assert reader.titles == [f"Article {i}" for i in range(53, 28, -1)]
    assert first.one("ol", class_="articles")["start"] == "1"
    assert not first.all("a", rel="prev")
    assert "53 articles" in first.one("p", class_="total").text
    second = reader.open_next().page
    assert (reader.address.partition("&from=")[0], "53 articles" in reader.main) == ("/new?page=2", True)
    assert second.one("title").text == "New articles, page 2 · voteweb"
    assert second.one("ol", class_="articles")["start"] == "26"
    assert second.one("a", rel="prev")["href"] == "/new"
    third = reader.open(second.one("a", rel="next")["href"]).page
    assert reader.address == third.one("a", rel="prev")["href"].replace("page=2", "page=3")


LISTS_BY_TIME = ["/new", "/g/go/new", "/g/go+redis/new", "/u/ann"]


@pytest.mark.parametrize("address", LISTS_BY_TIME)
def test_articles_posted_since_the_first_page_repeat_no_row(
    address: str, make_browser: MakeBrowser, store: Store
) -> None:
    reader, other = make_browser(page_size=2), make_browser(page_size=2)
    ids = [factories.article(store, title=f"Article {i}", groups=("go", "redis")).id for i in range(7)]
    read = reader.open(address).titles
    second = reader.page.one("a", rel="next")["href"]
    assert other.open(address).page.one("a", rel="next")["href"] == second
    for title in ("New", "Newer"):
        factories.article(store, title=title, groups=("go", "redis"))
    store.connection.client.delete("time:go+redis")  # a combination is kept for a minute
    read += reader.open(second).titles
    assert [link["href"] for link in reader.page.all("a", rel="prev")] == [address]
    canonical = f"http://localhost{reader.page.one('link', rel='canonical')['href'].removeprefix('http://localhost')}"
    assert canonical == f"http://localhost{address}?page=2"
    assert reader.page.one("meta", name="robots")["content"] == "noindex"
    assert "7 articles" in reader.main
    factories.remove(store, ids[-1])
    store.connection.client.delete("time:go+redis")
    read += reader.open_next().titles
    assert read == ["Article 6", "Article 5", "Article 4", "Article 3", "Article 1", "Article 0"]  # 2 is on no page
    assert not reader.page.all("a", rel="next")
    assert other.open(address).titles == ["Newer", "New"]


@pytest.mark.parametrize("time", ["x", "-1", "1e9", "1" * 13, "1.", "+inf", "(1", "1 "])
def test_list_from_no_time_is_404(time: str, reader: Browser, store: Store) -> None:
    factories.article(store)
    assert reader.open("/new", query_string={"from": time}).status == 404
    assert reader.open("/", query_string={"from": time}).status == 200


def test_full_last_page_has_no_next_page(reader: Browser, store: Store) -> None:
    post_articles(store, 50)
    assert not reader.open("/new?page=2").page.all("a", rel="next")
    assert reader.open("/new?page=3").status == 404


@pytest.mark.parametrize("page", ["0", "-1", str(10**12), "1.5", "", "2", "٣", "01"])
def test_unknown_page_is_404_with_a_link_to_the_first(page: str, reader: Browser, store: Store) -> None:
    factories.article(store, groups=("python", "redis"))
    for address in ("/", "/g/python+redis"):
        reader.open(address, query_string={"page": page})
        assert (reader.status, reader.intro) == (404, "This list has no such page.")
        assert reader.open(reader.page.one("main").one("a", class_="button-secondary")["href"]).status == 200
        assert reader.address == address


def test_article_shows_its_text_and_explains_its_score(reader: Browser, store: Store) -> None:
    story = {"title": "On Redis", "link": "", "text": "A *short* word.", "votes": 12, "time": 1_456_789_000}
    article = factories.imported(store, **story)
    row = reader.open("/").page.by_id("a1")
    assert (row.one("a", class_="title")["href"], row.all("a", class_="domain")) == ("/a/1", [])
    page = reader.open(f"/a/{article.id}").page
    assert page.one("h1").text == "On Redis"
    assert not page.all("button", class_="vote")
    assert page.one("span", class_="vote")["title"] == "Voting is closed"
    assert page.one("div", class_="text").one("em").text == "short"
    # 12 × 432 s = 5,184 s = 1 h 26 min 24 s
    assert page.one("p", id="why").text == (
        "Posted on 29 Feb 2016, 23:36 UTC, plus 12 votes × 432 s = 1 h 26 min: it ranks like a new "
        "article posted on 1 Mar 2016, 01:03 UTC. Voting closed on 7 Mar 2016, 23:36 UTC: the score is final. "
        "How ranking works here"
    )
    factories.article(store)
    assert "Voting closes on " in reader.open("/a/2").page.by_id("why").text
    assert reader.page.all("button", class_="vote")
