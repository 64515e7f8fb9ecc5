"""The viewer's own choice: groups they follow, what they hide, and articles saved for later."""

from urllib.parse import urlsplit

import pytest

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import CountRoundTrips, MakeBrowser
from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Articles 1 to 4, each with more votes than the next: by zoe in "go", in "redis", in both, and in none."""
    zoe, yan = factories.user(store, "zoe"), factories.user(store, "yan")
    for number, (poster, groups) in enumerate(
        [(zoe, ("go",)), (yan, ("redis",)), (yan, ("go", "redis")), (yan, ())], 1
    ):
        factories.article(store, poster, title=f"T{number}", groups=groups, link=f"https://site{number}.example/")
    for id in range(1, 4):
        for voter in factories.users(store, 5 - id):
            store.votes.cast(id, voter)


def test_followed_groups_are_one_list_that_may_be_front_page(bob: Browser) -> None:
    assert "You follow no group yet" in bob.open("/my").page.one("div", class_="empty").text
    bob.open("/g/go").press("/g/go/follow").follow()
    assert bob.flashes == ["You follow this group now: its articles are in your groups. My groups"]
    assert bob.open("/my").titles == ["T1", "T3"]
    bob.open("/groups").press("/g/redis/follow").follow()
    assert bob.open("/my").titles == ["T1", "T2", "T3"]
    assert bob.open("/my/new").titles == ["T3", "T2", "T1"]
    for of in ("day", "all"):
        assert bob.open(f"/my/top?of={of}").titles == ["T1", "T2", "T3"]
        assert bob.page.all("a", aria_current="page")[-1]["href"] == f"/my/top?of={of}"
    bob.submit("/my/front", front="my").follow()
    assert (bob.open("/").heading, bob.titles) == ("My groups", ["T1", "T2", "T3"])
    assert bob.open("/my").page.one("button", aria_pressed="true").text == "My groups"
    assert bob.open("/?of=all").titles == ["T1", "T2", "T3", "T4"]
    bob.open("/my").press("/g/go/unfollow").follow()
    assert bob.open("/").titles == ["T2", "T3"]


def test_script_is_told_what_became_of_a_choice(bob: Browser, store: Store) -> None:
    saved = {f"article:{id}": id for id in range(10, 9 + config.MAX_SAVED)}
    store.connection.client.zadd("saved:bob", saved)
    for action, status, key in [("1/save", 200, "message"), ("2/save", 409, "error"), ("3/hide", 200, "message")]:
        bob.send(f"/a/{action}", headers=JSON, next="/")
        assert (bob.status, list(bob.json)) == (status, [key]), action
    assert not bob.open("/").flashes
    assert bob.send("/a/4/hide", headers=JSON).json == {"message": ""}  # the article's own page says it


def test_good_articles_that_are_hidden_are_not_listed(bob: Browser, store: Store) -> None:
    for number in (5, 6):
        factories.imported(store, title=f"T{number}", votes=200, time=1_456_000_000 + number)
    assert bob.open("/good").titles == ["T6", "T5"]
    bob.send("/a/6/hide")
    assert bob.open("/good").titles == ["T5"]


def test_a_followed_group_may_be_gone(bob: Browser, store: Store) -> None:
    bob.open("/g/go").press("/g/go/follow")
    store.connection.command("SREM", store.keys.groups(), "go")
    assert "no longer exists" in bob.open("/my").page.one("ul", class_="choices-made").text
    bob.press("/g/go/unfollow").follow()
    assert bob.flashes == ["You no longer follow this group."]


def test_top_of_a_group_is_followed_and_all_stays(bob: Browser, mod: Browser) -> None:
    for person in (bob, mod, bob):
        assert person.open("/g/go/top").page.one("button", formaction="/g/go/follow")
    bob.press("/g/go/follow").follow()
    assert bob.open("/g/go/top").page.one("button", formaction="/g/go/unfollow")
    assert mod.open("/g/go/top").page.one("button", formaction="/g/go/follow")
    bob.open("/my").submit("/my/front", front="my")
    for path, own in (("/?of=all", "/my"), ("/top?of=week", "/my/top?of=week")):
        for one in (path, own):
            links = bob.open(one).page.one("div", class_="tabs").values("href", "a")
            assert links[:2] == [path, own], one


@pytest.mark.parametrize(
    ("page", "action", "left"),
    [("/", "/a/2/hide", [1, 3, 4]), ("/u/zoe", "/u/zoe/hide", [2, 3, 4]), ("/g/go", "/g/go/hide", [2, 4])],
)
def test_hidden_rows_are_left_out_of_the_viewers_lists_alone(
    bob: Browser, mod: Browser, page: str, action: str, left: list[int]
) -> None:
    bob.open(page).press(action).follow()
    if page == "/":  # the pages of what is hidden say it themselves
        assert bob.flashes == ["The article is hidden from your lists. What you hide"]
    assert bob.open("/").titles == [f"T{number}" for number in left]
    assert not any("value" in row.attrs for row in bob.page.all("li", class_="article")), "what is shown is counted"
    assert not bob.open("/a/2").page.all("button", formaction=action)
    assert mod.open("/").titles == ["T1", "T2", "T3", "T4"]
    unhide = action.replace("hide", "unhide")
    bob.open("/hidden").press(unhide).follow()
    assert bob.open("/").titles[:2] == ["T1", "T2"]


def test_totals_are_without_what_is_hidden(bob: Browser, mod: Browser, store: Store) -> None:
    bob.send("/a/2/hide")
    for path in ("/", "/new", "/top?of=week"):
        totals = [person.open(path).page.texts("p", class_="total")[0] for person in (bob, mod)]
        assert totals == ["3 articles", "4 articles"], path
    for number in range(25):
        factories.article(store, title=f"N{number}")
    for path in ("/", "/?page=2"):
        assert bob.open(path).page.one("p", class_="total").text == "At most 29 articles: what you hide is left out."


def test_pages_of_what_is_hidden_show_it_and_say_so(bob: Browser) -> None:
    bob.send("/g/go/hide")
    bob.send("/u/zoe/hide")
    assert bob.open("/g/go").titles == ["T3"]
    assert "You hide this group" in bob.page.text
    assert bob.open("/u/zoe").titles == []  # zoe's article is in the hidden group
    assert bob.page.one("p", class_="empty").text.startswith("You hide all articles on this page.")
    assert "You hide zoe" in bob.page.text
    notes = bob.open("/a/1").page.texts("div", class_="flash", role="note")
    assert notes[1].startswith("Not in your lists, since you hide the group go.")
    assert bob.send("/u/bob/hide").status == 403


def test_saved_articles_are_listed_even_when_they_are_gone(
    bob: Browser, store: Store, make_browser: MakeBrowser
) -> None:
    for id in (1, 2):
        bob.open("/").press(f"/a/{id}/save").follow()
    assert bob.flashes == ["The article is saved for later. Saved articles"]
    for action in ("/a/3/save", "/a/2/unsave"):
        assert bob.page.one("button", formaction=action)
    assert bob.open("/saved").titles == ["T2", "T1"]
    assert not bob.page.all("form", action="/saved/feed")
    bob.open(bob.open("/account").page.one("a", href="/account/access#feed")["href"])
    address = bob.submit("/saved/feed", act="renew", **{"own-password": PASSWORD}).follow().flashes[0].rsplit(" ", 1)[1]
    factories.remove(store, 2)
    assert "no longer listed" in bob.open("/saved").page.one("li", id="a2").text
    reader = make_browser()
    feed = reader.open(urlsplit(address).path).response
    titles = [f">{title}<" in feed.text for title in ("T1", "T2")]  # its address may contain such letters
    assert (*titles, feed.cache_control.no_store) == (True, False, True)


def test_a_choice_takes_at_most_one_round_trip_more(
    bob: Browser, store: Store, count_round_trips: CountRoundTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_anew(address: str) -> None:
        """Open *address* in a process that has read nothing yet."""
        monkeypatch.setattr(store.my_sites, "_known", BoundedCache(9))
        bob.open(address)

    addresses = ("/", "/new", "/my", "/my/new")
    assert [count_round_trips(open_anew, address) for address in addresses[:2]] == [1, 1]
    for group in ("go", "redis"):
        bob.send(f"/g/{group}/follow")
    bob.send("/a/1/hide")
    assert [count_round_trips(open_anew, address) for address in addresses] == [2, 2, 3, 3]
    assert [count_round_trips(bob.open, address) for address in addresses] == [1, 1, 2, 2]
    bob.send("/my/front", front="my")
    assert (count_round_trips(open_anew, "/"), count_round_trips(bob.open, "/")) == (3, 2)
    assert bob.titles == ["T2", "T3"]


def test_a_hidden_member_is_folded_and_tells_nothing(bob: Browser, reader: Browser, store: Store) -> None:
    """The name of the hidden member has letters that only Python folds, in keys; what others answer below stays."""
    eva, own = factories.user(store, "Éva"), factories.user(store, "bob")
    factories.comment(store, 4, own, text="Mine")
    bob.open("/a/4")
    factories.comment(store, 4, eva, parent=1, text="You are silly, @bob")
    factories.comment(store, 4, factories.user(store, "zoe"), parent=2, text="Be kind, @bob")
    bob.open("/u/Éva").press("/u/%C3%89va/hide").follow()
    assert "You hide Éva: their articles are left out" in bob.page.text

    assert [row.one("div", class_="text").text for row in bob.open("/inbox").page.all("li", class_="comment")] == [
        "Be kind, @bob"
    ]
    assert bob.page.one("nav", class_="account").one("strong", class_="badge").text == "1"
    assert bob.open("/a/4").page.one("p", class_="new-comments").text.startswith("1 new ")
    for page in ("/a/4", "/a/4/c/1", "/a/4/c/3"):
        (folded,) = bob.open(page).page.all("details", class_="folded")
        assert ("You are silly" in folded.text, "Be kind" in bob.page.text.replace(folded.text, "")) == (True, True)
    (folded,) = bob.open("/comments").page.all("details", class_="folded")
    assert folded.one("div", class_="text").text == "You are silly, @bob"
    for page in ("/a/4/c/2", "/u/Éva/comments"):  # they asked for this
        assert not bob.open(page).page.all("details", class_="folded"), page
    assert not reader.open("/a/4").page.all("details", class_="folded")

    bob.open("/hidden").press("/u/%C3%A9va/unhide").follow()
    assert len(bob.open("/inbox/all").page.all("li", class_="comment")) == 2
