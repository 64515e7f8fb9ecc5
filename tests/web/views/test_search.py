"""Search: what the index finds, as the viewer may see it, in orders and pages, with links to other searches."""

import time
from urllib.parse import quote

import pytest

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from tests.web.fixed_index import FixedIndex
from tests.web.limits import assert_too_fast, use_up
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.rate_limits import SEARCH
from voteweb.core.settings import Settings
from voteweb.search.models import Kind, Note, NotReady, Order, SearchBusy, SearchTooSlow
from voteweb.store import Store


def follow(browser: Browser, label: str) -> Browser:
    """Follow the last link with this *label* in the page."""
    link = next(link for link in reversed(browser.page.one("main").all("a")) if link.text == label)
    return browser.open(link["href"])


def search_field(browser: Browser) -> str:
    """Return what the field of the page holds."""
    return browser.page.one("main").one("input", type="search")["value"]


@pytest.fixture
def three(store: Store, index: FixedIndex) -> None:
    """Three articles that are found, the last first, two of them by zoe."""
    zoe = factories.user(store, "zoe")
    for number in (1, 2, 3):
        poster = factories.user(store) if number == 2 else zoe
        factories.article(store, poster, title=f"Lua number {number}", link="", text=f"Lua & text {number}")
    index.articles = (3, 1, 2)


@pytest.mark.usefixtures("three")
def test_articles_are_listed_as_found_with_marks_and_snippets(reader: Browser, index: FixedIndex) -> None:
    page = reader.open("/search?q=lua").page
    assert reader.titles == ["Lua number 3", "Lua number 1", "Lua number 2"]
    assert set(page.texts("mark")) == {"Lua"}
    assert page.all("p", class_="snippet")[0].text == "Lua & text 3"
    assert index.asked == [("lua", Kind.ARTICLES, Order.RELEVANCE), ("lua", Kind.COMMENTS, Order.NEW)]


@pytest.mark.usefixtures("three")
def test_what_is_gone_is_not_shown_whatever_the_index_knows(reader: Browser, store: Store) -> None:
    factories.remove(store, 3)
    for order in ("relevance", "votes"):
        assert reader.open(f"/search?q=lua&sort={order}").titles == ["Lua number 1", "Lua number 2"]
        assert "2 articles" in reader.main
    assert "Lua number 3" not in reader.open("/search.atom?q=lua").text


@pytest.mark.usefixtures("three")
def test_members_see_their_votes_and_not_what_they_hide(bob: Browser, store: Store) -> None:
    store.votes.cast(1, bob.user)
    pressed = bob.open("/search?q=lua").page.values("aria-pressed", "button", class_="vote")
    assert pressed == ["false", "true", "false"]
    bob.open("/u/zoe").press("/u/zoe/hide")
    assert bob.open("/search?q=lua").titles == ["Lua number 2"]


def test_relevance_is_by_words_votes_and_years(reader: Browser, store: Store, index: FixedIndex) -> None:
    now, year = time.time(), 365 * 86_400
    stories = [
        # title, weight of the words, votes, years
        ("1 × (log2(2 + 510) - 2) = 7", 1, 510, 2),
        ("2 × (log2(2 + 2) - 0) = 4", 2, 2, 0),
        ("1 × (log2(2 + 6) - 0) = 3", 1, 6, 0),
        ("3 × at least 0.1 = 0.3", 3, 1, 5),
    ]
    for title, _, votes, _ in reversed(stories):
        factories.imported(store, title=title, votes=votes, time=now - 9 * 86_400)
    index.articles = (1, 2, 3, 4)
    index.weights = [weight for _, weight, _, _ in reversed(stories)]
    index.times = [now - years * year for *_, years in reversed(stories)]
    assert reader.open("/search?q=by").titles == [title for title, *_ in stories]


@pytest.mark.parametrize("order", ["votes", "score"], ids=["today", "as in links to earlier versions"])
def test_most_votes_come_first_among_articles_and_comments(
    reader: Browser, store: Store, index: FixedIndex, order: str
) -> None:
    for votes in (5, 90, 20):
        factories.imported(store, votes=votes, title=f"With {votes} votes")
    write_thread(store, 1, [node(1, votes=2), node(2), node(3, votes=4)])
    index.articles, index.comments = (3, 2, 1), [CommentId(1, number) for number in (3, 2, 1)]
    reader.open(f"/search?q=votes&sort={order}")
    assert reader.titles == ["With 90 votes", "With 20 votes", "With 5 votes"]
    comments = reader.open(f"/search?q=votes+in:comments&sort={order}").page.all("p", class_="snippet")
    assert [comment.text for comment in comments] == ["Comment 3", "Comment 1", "Comment 2"]


def test_pages_repeat_the_query_and_end_with_the_counted_results(
    reader: Browser, store: Store, index: FixedIndex, settings: Settings
) -> None:
    for number in range(settings.page_size + 1):
        factories.article(store, title=f"Article {number}")
    index.articles = tuple(range(settings.page_size + 1, 0, -1))
    follow(reader.open("/search?q=c%2B%2B+%E7%BC%96%E7%A8%8B&sort=new"), "Next")
    assert (reader.titles, search_field(reader)) == (["Article 0"], "c++ 编程")
    assert reader.open("/search?q=article&page=3").status == 404
    index.articles, index.comments = tuple(range(1, config.MAX_COUNTED + 2)), (CommentId(1, 1),)
    assert reader.open("/search?q=article&page=41").status == 404
    assert "1,000+" in reader.open("/search?q=article").main


def test_comments_lead_to_their_place_in_the_conversation(reader: Browser, store: Store, index: FixedIndex) -> None:
    article = factories.article(store, title="About Lua")
    factories.comment(store, article, text="I like **Lua** more.")
    index.comments = (CommentId(1, 1),)
    page = reader.open("/search?q=lua").page  # no article is found
    assert page.one("p", class_="snippet").one("mark").text == "Lua"
    assert not page.all("nav", aria_label="Results")
    assert "/a/1/c/1" in [link["href"] for link in page.one("main").all("a") if link.text == "In context"]
    index.articles = (1,)
    assert reader.open("/search?q=lua").titles == ["About Lua"]
    follow(reader, "Comments 1")
    assert index.asked[-2] == ("lua in:comments", Kind.COMMENTS, Order.RELEVANCE)
    assert "/a/1/c/1" in reader.open("/search.json?q=lua+in%3Acomments").text


def test_results_can_be_narrowed_and_limits_taken_away(reader: Browser, store: Store, index: FixedIndex) -> None:
    for number in range(6):
        factories.article(store, title=f"Lua {number}", groups=("games",) if number < 3 else ())
    index.articles = (6, 5, 4, 3, 2, 1)
    follow(reader.open("/search?q=lua"), "games")
    assert index.asked[-2][0] == "lua group:games"
    follow(reader, "Search without group:games ×")
    assert index.asked[-2][0] == "lua"
    follow(reader, "this week")
    assert index.asked[-2][0].startswith("lua after:20")


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("order", ["relevance", "votes"])
def test_words_that_begin_so_come_below_the_few_typed_ones(order: str, reader: Browser, index: FixedIndex) -> None:
    index.few, index.suggestion = {"numb": (1,)}, "numb*"
    page = reader.open(f"/search?q=numb&sort={order}").page
    first, others = page.one("main").all("ol", class_="articles")
    assert first.values("id", "li", class_="article") == ["a1"]
    assert others.values("id", "li", class_="article") == ["a3", "a2"]
    assert "More results, with words that begin like these: numb*" in page.one("main").text


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("typed", "searched", "marked", "message"),
    [
        ("lau", "lua", "Lua", "Showing results for lua . Search only for lau ."),
        (
            "numb",
            "numb*",
            "number",
            "Nothing has all of these words: numb . These results have words that begin like them: numb*",
        ),
    ],
)
def test_other_words_are_searched_at_once_where_nothing_is_found(
    reader: Browser, index: FixedIndex, typed: str, searched: str, marked: str, message: str
) -> None:
    index.unknown, index.suggestion = typed, searched
    page = reader.open(f"/search?q={typed}").page
    assert (len(reader.titles), set(page.texts("mark"))) == (3, {marked})
    assert message in page.one("main").text
    follow(reader, "Newest")
    assert index.asked[-2] == (searched, Kind.ARTICLES, Order.NEW)
    follow(reader.open(f"/search?q={typed}"), typed)
    assert index.asked[-2] == (f'"{typed}"', Kind.ARTICLES, Order.RELEVANCE)


def test_empty_result_offers_fewer_words_and_no_feed(reader: Browser, index: FixedIndex) -> None:
    page = reader.open("/search?q=xyzzy").page
    assert "Nothing found for “xyzzy”. Try fewer words." in page.one("main").text
    assert not page.one("main").all("a")
    assert "open" not in page.one("details", class_="search-help").attrs
    assert "in the title only" in reader.open("/search?q=+&sort=new").main
    assert len(index.asked) == 2  # those of the first


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("-lua", "only words that are not"),
        ("a" * 300, "at most 200 characters"),
        ("group:nothing", "There is no group named nothing."),
        ("by:nobody-here", "There is no member named nobody-here."),
    ],
)
def test_problems_are_told_and_the_query_is_kept(typed: str, message: str, reader: Browser) -> None:
    assert message in reader.open(f"/search?q={quote(typed)}").alert
    assert (reader.status, search_field(reader)) == (200, typed)


def test_index_that_does_not_answer_is_told_in_words(reader: Browser, index: FixedIndex) -> None:
    for error, status in ((NotReady(percent=62), 503), (SearchBusy(), 503), (SearchTooSlow(), 200)):
        index.error = error
        reader.open("/search?q=lua")
        assert (reader.status, reader.alert, search_field(reader)) == (status, str(error), "lua")
        assert reader.headers.get("Retry-After") == (str(error.retry_after) if status == 503 else None)
        assert reader.open("/search.atom?q=lua").status == (status if status == 503 else 422)


@pytest.mark.usefixtures("three")
def test_results_are_shown_though_nothing_else_can_be_counted(reader: Browser, index: FixedIndex) -> None:
    index.counting_error = SearchBusy()
    assert len(reader.open("/search?q=lua").titles) == 3
    index.articles = ()
    assert "Nothing found for “lua in:articles”. Try fewer words." in reader.open("/search?q=lua+in:articles").main
    assert reader.open("/search?q=lua").status == 503


@pytest.mark.usefixtures("three")
def test_inexact_and_old_results_say_so(reader: Browser, index: FixedIndex) -> None:
    index.note = Note.TOO_COMMON
    assert "too common to rank" in reader.open("/search?q=lua").main
    index.note, index.age = Note.BEST_RANKED, 60
    text = reader.open("/search?q=lua").main
    assert "the newest 2,000 and the 500 with the most votes are ranked" in text
    assert "Results may be some time old" in text


@pytest.mark.usefixtures("three")
def test_feed_of_a_query_has_its_newest_articles(reader: Browser) -> None:
    feed = reader.open("/search?q=lua&sort=score").page.one("link", type="application/atom+xml")["href"]
    assert feed == "/search.atom?q=lua"
    text = reader.open(feed).text
    assert text.index("Lua number 3") < text.index("Lua number 1")
    assert reader.open("/search.atom?q=-lua").status == 404


def test_a_group_is_searched_by_its_second_name(reader: Browser, mod: Browser, store: Store, index: FixedIndex) -> None:
    store.groups.make("python", "Python", "")
    mod.fill_in("/g/python/edit", alias="serpent")
    assert "There is no group" not in reader.open("/search?q=group:serpent").main
    assert index.asked[-1][0] == "group:serpent"


def test_groups_and_members_have_a_search_of_their_own(reader: Browser, store: Store, index: FixedIndex) -> None:
    factories.article(store, groups=("games", "lua"))
    for path, terms in (("/g/games+lua", "group:games group:lua"), ("/u/ann", "by:ann")):
        form = reader.open(path).page.one("main").one("form", role="search")
        within = form.one("input", name="within")["value"]
        reader.open(f"/search?q=redis&within={quote(within)}")
        assert (within, index.asked[-2][0]) == (terms, f"redis {terms}")


@pytest.mark.usefixtures("_stopped_limits")
def test_too_many_searches_are_refused_before_the_index_is_asked(
    make_browser: MakeBrowser, store: Store, index: FixedIndex
) -> None:
    reader = make_browser(limits=1)
    limited = reader.client.application.extensions["voteweb.store"]
    use_up(limited, SEARCH, "127.0.0.1")
    for _ in range(2):
        assert_too_fast(reader.open("/search?q=lua"), SEARCH)
        assert search_field(reader) == "lua"
    assert reader.open("/search.json?q=lua").status == 429
    assert len(index.asked) == 2  # those of the first


@pytest.mark.usefixtures("_stopped_limits")
def test_session_that_has_ended_is_limited_by_address(make_browser: MakeBrowser, store: Store) -> None:
    bob = make_browser(limits=1).start_session(factories.user(store, "bob"))
    cookie = bob.client.get_cookie("voteweb")
    store.users.end_sessions("bob")
    for _ in range(SEARCH.burst + 2):  # the first one finds out
        bob.client.set_cookie("voteweb", cookie.value if cookie else "")
        bob.open("/search?q=lua")
    assert_too_fast(bob, SEARCH)


@pytest.mark.usefixtures("_stopped_limits")
@pytest.mark.parametrize("path", ["/search?q=lua", "/search.json?q=lua"])
@pytest.mark.parametrize("as_member", [False, True])
def test_searches_that_fail_are_counted(
    path: str, as_member: bool, make_browser: MakeBrowser, store: Store, index: FixedIndex
) -> None:
    browser = make_browser(limits=1)
    if as_member:
        browser.start_session(factories.user(store, "bob"))
    index.error = SearchTooSlow()
    statuses = [browser.open(path).status for _ in range(SEARCH.burst + 1)]
    assert set(statuses[:-1]) <= {200, 422}
    assert statuses[-1] == 429


def test_site_without_comments_finds_none(make_browser: MakeBrowser, store: Store, index: FixedIndex) -> None:
    factories.comment(store, factories.article(store, title="About Lua"), text="Lua is small.")
    index.comments = (CommentId(1, 1),)
    reader = make_browser(comments=0)
    for path in ("/search?q=lua", "/search?q=lua+in:comments", "/search.atom?q=lua+in:comments"):
        assert "is small" not in reader.open(path).text
    assert {kind for _, kind, _ in index.asked} == {Kind.ARTICLES}
