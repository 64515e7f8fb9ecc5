"""Limits at the site: who has done something too often is told until when and why, and keeps what was typed."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, everything, know_token
from voteweb.app import create_app
from voteweb.core import rate_limits
from voteweb.core.config import Settings
from voteweb.core.models import Role
from voteweb.core.rate_limits import EXEMPT, GUESS, LIMITS, LOGIN, RESET, SIGNUP, By, Limit
from voteweb.store import Store, build_store

#: One request for every limited view of members: address, fields.
SENT: dict[str, tuple[str, dict[str, Any]]] = {
    "votes.vote": ("/a/1/vote", {}),
    "votes.unvote": ("/a/3/unvote", {}),
    "articles.submit": ("/submit", {"title": "Kept title", "link": "https://kept.example/"}),
    "articles.edit": ("/a/2/edit", {"title": "Kept title", "link": "https://kept.example/"}),
    "articles.delete": ("/a/2/delete", {}),
    "moderation.report": ("/a/1/report", {"reason": "spam"}),
    "account.index": ("/account", {"old": PASSWORD, "new": "another password"}),
    "account.delete": ("/account/delete", {"password": PASSWORD, "articles": "keep"}),
    "invitations.make": ("/invitations", {}),
    "invitations.revoke": (f"/invitations/{TOKEN}/revoke", {}),
    "account.data": ("/account/data", {}),
    "moderation.set_groups": ("/a/1/groups", {"add": "redis"}),
    "moderation.remove": ("/a/1/remove", {"reason": "Spam."}),
    "moderation.restore": ("/a/1/restore", {}),
    "moderation.dismiss": ("/a/1/dismiss", {}),
    "moderation_log.undo": ("/log/1/undo", {}),
    "users.ban": ("/u/ann/ban", {"reason": "Spam."}),
    "users.unban": ("/u/ann/unban", {}),
    "users.set_role": ("/u/ann/role", {"role": "moderator"}),
    "groups.new": ("/groups/new", {"name": "kept", "title": "Kept title"}),
    "groups.edit": ("/g/redis/edit", {"title": "Kept title", "description": "Kept words"}),
}
#: Pages that are shown again, with these typed words in them.
KEPT = {"articles.submit", "articles.edit", "groups.new", "groups.edit", "account.index", "account.delete"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site with limits, whose moderators invite."""
    return replace(settings, limits=1, signup="invite")


@pytest.fixture
def boss(make_member: MakeMember, fake_store: Store) -> Browser:
    """An admin who has posted an article and voted for one of ann's two, at a site with a group and an invitation."""
    boss = make_member("Boss", Role.ADMIN)
    factories.article(fake_store, groups=("redis",))
    factories.article(fake_store, fake_store.users.get("boss"))
    fake_store.votes.cast(factories.article(fake_store).id, fake_store.users.get("boss"))
    know_token(fake_store, inviter="boss")
    return boss


def use_up(store: Store, limit: Limit, whose: str) -> None:
    """Do what is limited as often as it is taken at once."""
    while store.rate_limits.hit([(limit, whose)]) is None:
        pass


def assert_too_fast(browser: Browser, limit: Limit) -> None:
    """Fail unless the last answer refuses by *limit*: with its words, and the seconds to wait."""
    assert browser.status == 429
    wait = int(browser.answer.headers["Retry-After"])
    assert 0 < wait <= limit.pause + 1
    main = browser.page.one("main")
    (told,) = main.all("div", role="alert") or main.all("p", class_="lead")
    pattern = re.escape(limit.words).replace(r"%\(wait\)s", r"\d+ \w+( \d+ \w+)?")
    assert re.search(pattern.replace(r"%\(when\)s", r"\d+ \w+ \d{4}, \d\d:\d\d UTC"), told.words)
    assert browser.answer.headers["Cache-Control"] == "private, no-store"


def test_every_form_of_the_site_is_limited_or_exempt_with_a_reason(app: Flask) -> None:
    takes_forms = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    limited = {view for limit in LIMITS for view in limit.views if limit.method == "POST"}
    assert limited | set(EXEMPT) == takes_forms
    assert {view for limit in LIMITS for view in limit.views} <= set(app.view_functions)
    assert set(SENT) == {view for limit in LIMITS for view in limit.views if limit.by is By.MEMBER}


@pytest.mark.parametrize("view", SENT)
def test_what_was_done_too_often_is_refused_and_changes_nothing(view: str, boss: Browser, fake_store: Store) -> None:
    (limit,) = [limit for limit in LIMITS if view in limit.views]
    address, fields = SENT[view]
    token = boss.token()
    use_up(fake_store, limit, "boss")
    before = everything(fake_store)
    for headers in ({}, JSON):
        if limit.method == "GET":
            boss.open(address, headers=headers)
        else:
            boss.post(address, fields | {"csrf_token": token, "next": "/new"}, headers=headers)
        assert everything(fake_store) == before
        if headers and view not in KEPT:
            assert (boss.status, boss.answer.json["error"]["code"]) == (429, "too-fast")
            assert int(boss.answer.headers["Retry-After"]) > 0
        else:
            assert_too_fast(boss, limit)
        if view in KEPT:
            assert boss.form(address)
            for typed in (each for each in fields.values() if each.lower().startswith(("kept", "https"))):
                assert typed in boss.answer.text


def test_everything_can_be_looked_at_by_whoever_has_used_up_every_limit(boss: Browser, fake_store: Store) -> None:
    for limit in LIMITS:
        use_up(fake_store, limit, "boss")
    for address in ("/", "/a/1", "/submit", "/a/2/edit", "/account", "/groups/new", "/invitations", "/u/ann", "/log"):
        assert boss.open(address).status == 200
    boss.open("/").submit("/logout")
    assert boss.status == 303


def test_one_members_acts_are_nobody_elses(boss: Browser, bob: Browser, fake_store: Store) -> None:
    vote = rate_limits.member_limit("votes.vote", "POST")
    assert vote is not None
    use_up(fake_store, vote, "boss")
    assert bob.open("/").press("/a/1/vote").status == 303
    assert boss.open("/").press("/a/1/vote").status == 429


def test_a_vote_too_many_leads_back_to_its_list_at_its_article(boss: Browser, fake_store: Store) -> None:
    for _ in range(30):
        boss.open("/new").press("/a/1/vote")
        boss.open("/new").press("/a/1/unvote")
    assert boss.status == 303
    boss.open("/new").press("/a/1/vote")
    assert_too_fast(boss, LIMITS[4])
    assert boss.heading == "Too fast"
    assert boss.page.one("main").one("a", class_="call")["href"] == "/new#a1"
    assert fake_store.articles.get(1).votes == 1


def test_script_is_told_in_json_and_in_the_readers_language(boss: Browser, fake_store: Store) -> None:
    token = boss.token()
    use_up(fake_store, LIMITS[4], "boss")
    boss.post("/a/1/vote", headers=JSON | {"X-CSRFToken": token, "Accept-Language": "zh"})
    error = boss.answer.json["error"]
    assert (boss.status, set(error), error["code"]) == (429, {"code", "message"}, "too-fast")
    assert "投票" in error["message"]


def test_a_session_that_has_ended_uses_nothing_up(boss: Browser, fake_store: Store) -> None:
    token = boss.token()
    fake_store.users.end_sessions("boss")
    boss.post("/a/1/vote", {"csrf_token": token})
    assert (boss.status, boss.location) == (303, "/login?next=/a/1%23a1")


# Log-in: failed attempts count, under the name and from the address.


@pytest.fixture
def ends(app: Flask) -> list[Browser]:
    """Browsers that nobody has logged in with."""
    return [Browser(app) for _ in range(3)]


@pytest.mark.parametrize("name", ["bob", "BOB", " bob ", "nobody", "no name at all", "x" * 5_000, ""])
def test_a_name_is_guessed_at_only_so_often_whether_anybody_has_it_or_not(
    name: str, bob: Browser, ends: list[Browser]
) -> None:
    for _ in range(GUESS.burst):
        assert ends[0].log_in(name, "not this one").status == 422
    for password in ("not this one", PASSWORD):
        ends[1].log_in(name, password)
        assert_too_fast(ends[1], GUESS)
        assert ends[1].page.one("input", name="username")["value"] == name
    assert ends[1].log_in("another", "not this one").status == 422


def test_whoever_guesses_does_not_lock_the_member_out_of_a_browser_used_before(
    bob: Browser, ends: list[Browser], fake_store: Store
) -> None:
    use_up(fake_store, GUESS, "bob")
    bob.open("/about").submit("/logout")
    assert bob.log_in("bob").location == "/"
    ends[0].log_in("bob")
    assert_too_fast(ends[0], GUESS)


def test_a_browser_used_before_is_no_way_to_guess_without_end(bob: Browser, ends: list[Browser]) -> None:
    bob.open("/about").submit("/logout")
    for _ in range(GUESS.burst):
        assert bob.log_in("bob", "not this one").status == 422
    bob.log_in("bob")
    assert_too_fast(bob, GUESS)
    assert ends[0].log_in("bob").status == 303, "and no other browser's are used up by it"


def test_a_browser_knows_only_who_has_logged_in_there(ann: Browser, bob: Browser, fake_store: Store) -> None:
    ann.open("/about").submit("/logout")
    use_up(fake_store, GUESS, "bob")
    assert_too_fast(ann.log_in("bob"), GUESS)
    for forged in ("", "x", "WyJib2IiLCJ4Il0", "WyJib2IiLCJ4Il0.c2lnbmF0dXJl", "é" * 500):
        ann.client.set_cookie("known", forged, path="/login")
        assert_too_fast(ann.log_in("bob"), GUESS)


def test_the_link_for_a_new_password_lets_a_locked_member_in(
    bob: Browser, ends: list[Browser], fake_store: Store
) -> None:
    use_up(fake_store, GUESS, "bob")
    link = f"/reset/{fake_store.password_resets.make('bob')}"
    ends[0].open(link).submit(link, new="another password")
    assert ends[0].log_in("bob", "another password").status == 303


def test_from_one_address_only_so_many_log_ins_fail(bob: Browser, ends: list[Browser]) -> None:
    for at in range(LOGIN.burst):
        assert ends[0].log_in(f"name{at}", "not this one").status == 422
    assert_too_fast(ends[1].log_in("bob"), LOGIN)


def test_a_log_in_that_succeeds_counts_nothing_and_wipes_nothing_out(bob: Browser, ends: list[Browser]) -> None:
    for _ in range(LOGIN.burst + 5):
        assert ends[0].log_in("bob").status == 303
        ends[0].open("/about").submit("/logout")
    for at in range(LOGIN.burst):
        assert ends[1].log_in(f"name{at}", "not this one").status == 422
        if ends[0].log_in("bob").status == 303:
            ends[0].open("/about").submit("/logout")
    assert_too_fast(ends[1].log_in("one-more", "not this one"), LOGIN)


# Joining and new passwords: by address.


def test_from_one_address_only_so_many_join_and_the_form_keeps_the_name(settings: Settings, fake_store: Store) -> None:
    app = create_app(replace(settings, signup="open"), fake_store)
    for at in range(SIGNUP.burst):
        assert Browser(app).open("/signup").submit("/signup", username=f"name{at}", password=PASSWORD).status == 303
    late = Browser(app).open("/signup").submit("/signup", username="late", password=PASSWORD)
    assert_too_fast(late, SIGNUP)
    assert late.page.one("input", name="username")["value"] == "late"
    assert fake_store.users.find("late") is None


def test_a_name_that_is_taken_or_wrong_does_not_count_as_joining(settings: Settings, fake_store: Store) -> None:
    reader = Browser(create_app(replace(settings, signup="open"), fake_store))
    factories.user(fake_store, "ann")
    for _ in range(SIGNUP.burst + 1):
        for name in ("ann", "!"):
            assert reader.open("/signup").submit("/signup", username=name, password=PASSWORD).status == 422
    assert reader.submit("/signup", username="bob", password=PASSWORD).status == 303


def test_from_one_address_only_so_many_new_passwords_are_set(reader: Browser, bob: Browser, fake_store: Store) -> None:
    use_up(fake_store, RESET, "127.0.0.1")
    link = f"/reset/{fake_store.password_resets.make('bob')}"
    assert_too_fast(reader.open(link).submit(link, new="another password"), RESET)
    assert reader.log_in("bob", PASSWORD).status == 303


# Addresses: who is asking.


def attempts(app: Flask, *senders: str, **environ: str) -> list[int]:
    """Return the status of one failed log-in for each of the X-Forwarded-For *senders*."""
    reader, statuses = Browser(app), []
    for at, sender in enumerate(senders):
        token = reader.open("/login").page.one("input", name="csrf_token")["value"]
        fields = {"username": f"name{at}", "password": "x", "csrf_token": token}
        reader.post("/login", fields, headers={"X-Forwarded-For": sender}, environ_overrides=environ)
        statuses.append(reader.status)
    return statuses


@pytest.mark.parametrize(
    ("proxies", "sender", "refused"),
    [
        (0, "198.51.100.{}", True),  # nobody stands in front: whatever is claimed, it is one address
        (1, "198.51.100.{}", False),
        (1, "198.51.100.7", True),
        (1, "10.0.0.{}, 198.51.100.7", True),  # what the sender claims stands before what our proxy saw
        (2, "198.51.100.{}, 10.0.0.1", False),
        (2, "10.9.9.{}, 198.51.100.7, 10.0.0.1", True),
        (1, "2001:db8:1:2::{}", True),
        (1, "2001:db8:1:{}::1", False),
        (1, "unknown-{}", True),
        (2, "198.51.100.{}", True),  # not through both: then it is whoever connects
    ],
)
def test_only_trusted_proxies_say_who_is_asking(
    proxies: int, sender: str, refused: bool, settings: Settings, fake_store: Store
) -> None:
    app = create_app(replace(settings, trusted_proxies=proxies), fake_store)
    statuses = attempts(app, *(sender.format(at) for at in range(1, LOGIN.burst + 2)))
    assert statuses == [422] * LOGIN.burst + [429 if refused else 422]


def test_a_proxy_that_speaks_https_makes_the_forms_of_an_https_site_work(settings: Settings, fake_store: Store) -> None:
    site = replace(settings, trusted_proxies=1, site_url="https://news.example")
    reader = Browser(create_app(site, fake_store))
    reader.site = "http://news.example"
    answer = reader.open("/login", headers={"X-Forwarded-Proto": "https"}).answer
    assert "Secure" in answer.headers["Set-Cookie"]
    assert 'href="https://news.example' in reader.open("/", headers={"X-Forwarded-Proto": "https"}).answer.text


def test_where_limits_are_off_nothing_is_refused(settings: Settings, fake_store: Store) -> None:
    off = replace(settings, limits=0)
    app = create_app(off, build_store(fake_store.connection, off))
    assert attempts(app, *["x"] * (LOGIN.burst + 5)) == [422] * (LOGIN.burst + 5)
