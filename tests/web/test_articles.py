"""The lists of the whole site, and the page of one article."""

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

WEEK = 604_800


def titles(browser: Browser) -> list[str]:
    """Return the titles of the rows of the list that is shown."""
    return [row.one("a", class_="title").words for row in browser.page.all("li", class_="article")]


def many(store: Store, count: int) -> None:
    """Let ann post so many articles."""
    for i in range(1, count + 1):
        factories.article(store, title=f"Article {i}")


@pytest.mark.parametrize("address", ["/", "/new", "/good"])
def test_an_empty_list_says_so_and_what_to_do(address: str, reader: Browser) -> None:
    reader.open(address)
    assert reader.status == 200
    assert reader.page.one("div", class_="empty").all("a", class_="call")


def test_the_front_page_is_by_score_and_new_is_by_time(reader: Browser, fake_store: Store) -> None:
    many(fake_store, 3)
    fake_store.votes.cast(1, factories.user(fake_store, "bob"))
    assert titles(reader.open("/")) == ["Article 1", "Article 3", "Article 2"]
    assert titles(reader.open("/new")) == ["Article 3", "Article 2", "Article 1"]


def test_good_articles_have_the_votes_and_stand_by_time(reader: Browser, fake_store: Store) -> None:
    for votes in (200, 199, 350):
        factories.imported(fake_store, title=f"{votes} votes", votes=votes, time=1_456_000_000 + votes)
    assert titles(reader.open("/good")) == ["350 votes", "200 votes"]
    beside = reader.open("/").page.one("aside", class_="goodlist")
    assert [each["href"] for each in beside.all("a")] == ["/good", "/a/3", "/a/1", "/good"]
    assert beside.all("li")[0].words == "350 votes 350 votes"


def test_a_row_says_who_posted_what_and_when(reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store, title="On Redis", link="https://www.example.com/x", groups=("redis", "编程"))
    row = reader.open("/").page.by_id("a1")
    assert row.one("a", class_="title").attrs == {
        "class": "title",
        "href": "https://www.example.com/x",
        "rel": "nofollow ugc noopener",
        "dir": "auto",
    }
    assert row.one("span", class_="domain").words == "example.com"
    assert row.one("a", class_="by")["href"] == "/u/ann"
    assert row.one("time").words == "just now"
    assert row.one("time")["datetime"].endswith("Z")
    assert [chip["href"] for chip in row.all("a", class_="chip")] == ["/g/redis", "/g/%E7%BC%96%E7%A8%8B"]
    assert row.one("a", href="/a/1#why").words == "why here?"


def test_the_title_of_a_text_leads_to_its_own_page(reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store, title="A thought", link="", text="words")
    assert reader.open("/").page.by_id("a1").one("a", class_="title")["href"] == "/a/1"
    assert not reader.page.all("span", class_="domain")


def test_a_list_goes_on_from_page_to_page(reader: Browser, fake_store: Store) -> None:
    many(fake_store, 53)
    first = reader.open("/new").page
    assert titles(reader) == [f"Article {i}" for i in range(53, 28, -1)]
    assert first.one("ol", class_="articles")["start"] == "1"
    assert not first.all("a", rel="prev")
    assert "53 articles" in first.one("p", class_="total").words
    second = reader.open(first.one("a", rel="next")["href"]).page
    assert reader.address == "/new?page=2"
    assert second.one("ol", class_="articles")["start"] == "26"
    assert second.one("a", rel="prev")["href"] == "/new"
    third = reader.open(second.one("a", rel="next")["href"]).page
    assert titles(reader) == ["Article 3", "Article 2", "Article 1"]
    assert third.one("a", rel="prev")["href"] == "/new?page=2"
    assert not third.all("a", rel="next")


@pytest.mark.parametrize("count", [25, 50])
def test_a_full_last_page_leads_nowhere_further(count: int, reader: Browser, fake_store: Store) -> None:
    many(fake_store, count)
    assert not reader.open(f"/new?page={count // 25}").page.all("a", rel="next")
    assert reader.open(f"/new?page={count // 25 + 1}").status == 404


@pytest.mark.parametrize(
    "page", ["0", "-1", "x", "10**12", str(10**12), "1.5", "", "2", "999999999", "٣", "01", " 1", "1;2"]
)
def test_a_page_that_is_none_is_404_with_the_way_to_the_first(page: str, reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store, groups=("python", "redis"))
    for address in ("/", "/new", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann"):
        reader.open(address, query_string={"page": page})
        assert reader.status == 404
        assert reader.page.one("p", class_="lead").words == "This list has no such page."
        assert reader.open(reader.page.one("main").one("a", class_="call")["href"]).status == 200
        assert reader.address == address


def test_an_article_shows_its_text_and_why_it_stands_where_it_does(reader: Browser, fake_store: Store) -> None:
    article = factories.imported(
        fake_store, title="On Redis", link="", text="A *short* word.", votes=12, time=1_456_789_000
    )
    page = reader.open(f"/a/{article.id}").page
    assert page.one("h1").words == "On Redis"
    assert page.one("div", class_="text").one("em").words == "short"
    # 12 × 432 s = 5,184 s = 1 h 26 min 24 s
    assert page.one("details", id="why").words == (
        "Why is it here? 12 votes × 432 s = 1 h 26 min, on top of posted 29 Feb 2016, 23:36 UTC: it ranks like a new "
        "article posted at 1 Mar 2016, 01:03 UTC. Voting closed on 7 Mar 2016, 23:36 UTC: its place is final. "
        "How ranking works here"
    )


def test_voting_says_when_it_closes_or_that_it_is_closed(reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store)
    assert "Voting closes " in reader.open("/a/1").page.by_id("why").words
    assert reader.page.all("button", class_="vote")
    factories.imported(fake_store)
    assert "Voting closed on " in reader.open("/a/2").page.by_id("why").words
    assert not reader.page.all("button", class_="vote")
    assert reader.page.one("span", class_="vote")["title"] == "Voting is closed"


@pytest.mark.parametrize("id", ["2", "0", "99999999999999999999", "9" * 5_000])
def test_an_article_that_is_none_is_404(id: str, reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store)
    assert reader.open(f"/a/{id}").status == 404
    assert reader.page.one("p", class_="lead").words in (
        "There is no such article.",
        "There is no page at this address.",
    )
    assert reader.page.one("main").one("a", href="/")


def test_a_page_marks_where_the_reader_is(app: Flask, reader: Browser) -> None:
    for address in ("/", "/new", "/good", "/groups"):
        current = reader.open(address).page.one("nav", aria_label="Site").one("a", aria_current="page")
        assert current["href"] == address
