"""Pages that members share: each member sees theirs as if it were read afresh, and their own acts at every server."""

import random
import re
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.prepared import prepared
from tests.web.aging import SESSION, Clock
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import CountRoundTrips, MakeApp
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.base import context
from voteweb.web.caching import shared_pages
from voteweb.web.caching.shared_pages import ACTED, Kept

LISTS = (
    "/",
    "/new",
    "/new?page=2",
    "/good",
    "/g/go",
    "/g/go/new",
    "/g/go+redis",
    "/?of=all",
    "/top?of=all",
    "/g/go/top",
    "/comments",
    "/d/b.example",
)
#: Titles that would break a page that is cut at the wrong places.
TITLES = ("<b>&amp;", "{{ token }}", "account;rows;token;", "0123456789abcdef0123456789abcdefrows;", "标题")


def build_site(store: Store) -> None:
    """Make lists of two pages."""
    store.groups.make("go", "Go", "")
    store.groups.make("redis", "Redis", "")
    for number, title in enumerate(TITLES * 6):
        link = f"https://b.example/{number}"
        factories.article(store, title=f"{title} {number}", link=link, groups=("go", "redis"))
    factories.imported(store, votes=300)
    factories.comment(store, 1)


class Sites:
    """Two servers on one database that keep pages for a second, and one that keeps none."""

    def __init__(self, settings: Settings, store: Store, clock: Clock, fresh: Flask) -> None:
        self.store = store
        self.clock = clock
        self.servers = [create_app(replace(settings, page_seconds=1.0), store) for _ in range(2)]
        self.fresh = fresh
        for server in self.servers:
            clock.expire_marks(server)

    def member(self, name: str, role: Role = Role.MEMBER) -> "Member":
        """Return a member, with one session for all servers."""
        factories.user(self.store, name, role, passwords.hash_password(PASSWORD))
        return Member(self, name)


class Member:
    """A browser that requests each page from the server that is asked for."""

    def __init__(self, sites: Sites, name: str) -> None:
        self._browsers = [Browser(app) for app in (*sites.servers, sites.fresh)]
        self._last = self._browsers[0].start_session(sites.store.users.get(name))
        self.csrf_token = self._last.csrf_token()

    def at(self, server: int) -> Browser:
        """Return this browser at a server."""
        self._last = self._with_cookies(self._browsers[server])
        return self._last

    def _with_cookies(self, browser: Browser) -> Browser:
        """Return *browser* with the cookies that the last server has set."""
        for name in (SESSION, ACTED):
            if browser is not self._last and (cookie := self._last.client.get_cookie(name)):
                browser.client.set_cookie(name, cookie.value)
        return browser

    def page(self, server: int, path: str) -> str:
        """Return a page without its messages, which are shown once."""
        return _without_messages(self.at(server).open(path).text)

    def fresh_page(self, path: str) -> str:
        """Return the page as the site shows it that keeps none."""
        return _without_messages(self._with_cookies(self._browsers[-1]).open(path).text)


def _without_messages(page: str) -> str:
    return re.sub(r'(<div role="status"[^>]*>).*?(</div>)', r"\1\2", page, flags=re.DOTALL)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of kept pages."""
    clock = Clock()
    clock.rule(monkeypatch)
    return clock


@pytest.fixture
def sites(
    settings: Settings,
    store: Store,
    server_url: str,
    clock: Clock,
    make_app: MakeApp,
    monkeypatch: pytest.MonkeyPatch,
) -> Sites:
    """Sites at which no article becomes a minute older during the test."""
    in_ten_minutes = time.time() + 600
    monkeypatch.setattr(context, "time", SimpleNamespace(time=lambda: in_ten_minutes))
    return Sites(settings, prepared(store, server_url, build_site), clock, make_app(page_seconds=0.0))


@pytest.fixture
def app(sites: Sites) -> Flask:
    """A site that keeps pages."""
    return sites.servers[0]


def test_members_page_from_a_frame_equals_one_read_afresh(sites: Sites, store: Store) -> None:
    """Whether the member posted, voted, saved, read, follows or hides something, waits, moderates or chose a theme."""
    zoe = sites.member("zoe")
    members = {name: sites.member(name) for name in ("ann", "bob", "cid", "dan", "eve")}
    members["mod"] = sites.member("mod", Role.MODERATOR)
    user = {name: store.users.get(name) for name in members}
    for id in (2, 29, 30):
        store.votes.cast(id, user["bob"])
    store.my_sites.save(29, user["bob"])
    members["bob"].fresh_page("/a/1")
    factories.comment(store, 1)
    store.my_sites.follow("go", user["cid"])
    members["dan"].at(0).open("/").press("/a/30/hide")
    sites.clock.now += 10  # his browser is marked no more
    store.my_sites.follow("redis", user["eve"])
    store.users.choose(user["eve"], front="my")
    store.users.choose(user["cid"], theme="dark")
    for path in LISTS:
        fresh_pages = {name: member.fresh_page(path) for name, member in members.items()}
        for _ in range(2):
            zoe.page(0, path)
            assert {name: member.page(0, path) for name, member in members.items()} == fresh_pages, path


def test_page_from_a_frame_takes_one_round_trip(
    sites: Sites, count_round_trips: CountRoundTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, zoe = sites.member("bob"), sites.member("zoe")
    for path in LISTS:
        zoe.page(0, path)
    monkeypatch.delattr(shared_pages, "cut")  # nothing is rendered any more
    for path in LISTS:
        assert count_round_trips(bob.page, 0, path) == 1, path


def test_acts_of_others_are_seen_after_a_second(sites: Sites, store: Store, clock: Clock) -> None:
    bob, ann = sites.member("bob"), store.users.get("ann")
    for title in ("Newest", "After a frame that was read afresh"):
        before = bob.page(0, "/new")
        factories.article(store, ann, title=title)
        assert bob.page(0, "/new") == before
        clock.now += 1
        assert title in bob.page(0, "/new")


def test_good_article_that_the_list_has_is_not_beside_it(settings: Settings, store: Store) -> None:
    good = factories.imported(store, votes=300)
    counts = []
    for seconds in (0.0, 60.0):
        browser = Browser(create_app(replace(settings, page_seconds=seconds), store))
        browser.start_session(factories.user(store, f"bob{seconds:.0f}"))
        counts += [browser.open("/").text.count(good.title) for _ in range(2)]
    assert counts == [counts[0]] * 4 != [0] * 4


def test_own_rows_show_what_others_did(sites: Sites, store: Store, clock: Clock) -> None:
    bob, zoe, voted = sites.member("bob"), sites.member("zoe"), (27, 28, 29)
    for id in voted:
        store.votes.cast(id, store.users.get("bob"))
    bob.page(0, "/new")
    store.votes.cast(28, store.users.get("zoe"))
    store.articles.edit(29, factories.draft(title="Edited", link="https://b.example/28"), store.users.get("ann"))
    clock.now += 1
    zoe.page(0, "/new")  # the frame that bob gets has taken his rows from the last one
    page = bob.page(0, "/new")
    assert "Edited" in page
    assert page == bob.fresh_page("/new")


def test_ended_sessions_bans_and_new_roles_count_at_once(sites: Sites, store: Store) -> None:
    bob, cid, mod = members = [sites.member(name) for name in ("bob", "cid", "mod")]
    for member in members:
        assert 'href="/account"' in member.page(0, "/new")
    factories.ban(store, "bob")
    store.users.end_sessions("cid")
    store.users.set_role("mod", Role.MODERATOR)
    for page in (bob.page(0, "/new"), cid.page(0, "/new")):
        assert 'href="/account"' not in page
        assert "csrf_token" not in page
    assert 'action="/a/30/remove"' in mod.page(0, "/new")


#: What a member can do, as path and fields of a form.
ACTS: tuple[tuple[str, dict[str, str]], ...] = (
    *((f"/a/{id}/{act}", {}) for id in (2, 29, 30) for act in ("vote", "unvote", "save", "unsave")),
    ("/a/30/comment", {"text": "Mine"}),
    ("/a/1/c/1/vote", {}),
    ("/a/28/report", {"reason": "spam", "note": ""}),
    ("/g/go/follow", {}),
    ("/g/go/unfollow", {}),
    ("/submit", {"title": "Mine", "link": "https://mine.example/", "groups": "go"}),
    ("/a/32/edit", {"title": "Mine, edited", "link": "https://mine.example/"}),
    ("/a/32/delete", {}),
)


def _wrong_pages(sites: Sites, count: int) -> int:
    """Return how many of *count* pages of a member who acts lack an act, at servers whose frames others keep warm."""
    draw = random.Random(15)
    bob, cid = sites.member("bob"), sites.member("cid")
    wrong = 0
    for number in range(count):
        path, fields = draw.choice(ACTS)
        once = {"once": f"{number:032x}"} if path in ("/submit", "/a/30/comment") else {}
        headers = JSON if draw.random() < 0.5 and path.endswith("vote") else {}
        data: dict[str, Any] = {**fields, **once, "csrf_token": bob.csrf_token}
        page = draw.choice(LISTS)
        if draw.random() < 0.7:
            for number_of_server in range(2):
                cid.page(number_of_server, page)
        server = bob.at(draw.randrange(2))
        server.post(path, data, headers=headers)
        if draw.random() < 0.5:
            server.open("/about")  # which shows the message about the act; Flask answers a page with one in the session
        sites.clock.now += draw.choice((0.0, 0.2, 0.9, 1.0, 2.9))
        if draw.random() < 0.3:
            cid.page(draw.randrange(2), page)
        wrong += bob.page(draw.randrange(2), page) != bob.fresh_page(page)
    return wrong


@pytest.mark.heavy
def test_member_sees_every_own_act_at_every_server(sites: Sites) -> None:
    assert _wrong_pages(sites, 500) == 0


def test_all_answers_to_members_forms_and_no_others_mark_browsers(sites: Sites) -> None:
    bob = sites.member("bob")
    for path in ("/a/30/vote", "/a/999/vote", "/a/30/edit", "/account/password"):
        answer = bob.at(0).post(path, {"csrf_token": bob.csrf_token}).response
        assert f"{ACTED}=1; Max-Age=3; HttpOnly; Path=/; SameSite=Lax" in answer.headers.getlist("Set-Cookie"), path
    reader = Browser(sites.servers[0]).post("/language", {"language": "zh", "next": "/"})
    assert ACTED not in reader.headers.get("Set-Cookie", "")


def test_pages_for_all_members_take_bounded_memory(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: BoundedCache[tuple[object, ...], Kept] = BoundedCache(300_000)
    monkeypatch.setattr(shared_pages.of_app(sites.servers[0]), "kept", kept)
    bob = sites.member("bob")
    for path in LISTS:
        bob.page(0, path)
    assert 1 <= len(kept._cached) < len(LISTS)
