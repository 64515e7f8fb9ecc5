"""Bans, and all else that ends sessions: everywhere, with the next request."""

from datetime import UTC, datetime
from itertools import product

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser, fields_of
from tests.web.conftest import MakeBrowser, MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.models import Role
from voteweb.store import Store


@pytest.fixture
def bobs(app: Flask, bob: Browser) -> list[Browser]:
    """Three browsers in which bob is logged in."""
    return [bob, *(Browser(app).log_in("bob") for _ in range(2))]


def test_ban_ends_every_session_and_says_why(bobs: list[Browser], mod: Browser) -> None:
    mod.fill_in("/u/bob/ban", reason=HOSTILE)
    assert mod.location == "/u/bob"
    assert mod.follow().flashes == ["bob has been banned and logged out everywhere."]
    assert not mod.page.all("a", href="/u/bob/ban")
    reason = [f"This account is banned: {HOSTILE}"]
    on_a_page, by_a_button, by_script = bobs
    assert on_a_page.open("/new").flashes == reason
    assert not on_a_page.is_logged_in()
    assert on_a_page.flashes == []
    by_a_button.post("/submit", {"csrf_token": "any", "title": "One more", "text": "words"})
    assert by_a_button.flashes == reason
    assert not by_a_button.is_logged_in()
    by_script.post("/a/1/vote", {}, headers=JSON)
    assert by_script.status in (400, 401)
    assert by_script.open("/new").flashes == reason


def test_banned_member_answers_once_and_reads_what_becomes_of_it(
    bob: Browser, make_browser: MakeBrowser, mod: Browser, store: Store
) -> None:
    factories.ban(store, "bob", "Spam & more.")
    reader = make_browser(contact="mailto:help@news.example").log_in("bob", "not this one")
    assert reader.alert == "No member has this name and this password."
    assert not reader.page.all("form", action="/login/answer")
    assert reader.log_in("bob").alert == "This account is banned: Spam & more."
    assert reader.page.one("main").one("a", href="mailto:help@news.example")
    reader.submit("/login/answer", answer="Why?")
    assert (reader.status, reader.field_error("answer")[:21]) == (422, "Please write a senten")
    late = fields_of(reader.form("/login/answer"))
    reader.submit("/login/answer", answer=HOSTILE)
    assert reader.follow().flashes[0].startswith("Your answer has been sent.")
    reader.post("/login/answer", late | {"answer": "Another answer."})
    assert (reader.status, "You have answered already." in reader.main) == (422, True)
    assert "Your answer waits for a moderator." in reader.log_in("bob").page.by_id("main").text

    section = mod.open("/queue").page.by_id("bans")
    assert section.texts("q") == [HOSTILE]
    mod.post("/u/bob/keep-banned", fields_of(mod.form("/u/bob/unban")))
    assert mod.follow().flashes == ["bob stays banned, and reads that on trying to log in."]
    assert "A moderator looked at your answer; the ban stays." in reader.log_in("bob").main

    factories.lift(store, "bob")
    reader.post("/login/answer", late | {"answer": "It was my brother."})
    assert "This form has expired." in reader.main
    factories.ban(store, "bob", "Again.")
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.form("/login/answer").one("textarea").text == "It was my brother."
    reader.submit("/login/answer")
    mod.open("/queue").submit("/u/bob/unban")
    assert (mod.location, mod.follow().flashes) == ("/queue#bans", ["bob can log in again."])


def test_member_page_offers_to_restore_what_a_ban_removed(mod: Browser, bob: Browser, store: Store) -> None:
    member = bob.user
    factories.comment(store, factories.article(store), member)
    factories.article(store, member)
    mod.fill_in("/u/bob/ban", reason="Spam.", articles="day", comments="week")
    list(store.bans.steps())
    assert store.threads.get(1).nodes[1].status is CommentStatus.REMOVED
    assert mod.open("/u/bob").titles == []
    mod.open("/u/bob").submit("/u/bob/unban")
    mod.open("/u/bob").submit("/u/bob/unban", restore="1")
    assert mod.follow().flashes == ["bob can log in again. What the ban removed is being restored."]
    list(store.bans.steps())
    assert not mod.open("/u/bob").page.all("form", action="/u/bob/unban")
    assert mod.page.one("h2", class_="headline").text


def test_ban_with_an_end_says_until_when(mod: Browser, reader: Browser, bob: Browser, store: Store) -> None:
    wrong_days = [("Heated.", days) for days in ("0", "1.5", "３", "3651")]
    for reason, days in (*wrong_days, (" ", "")):
        mod.fill_in("/u/bob/ban", reason=reason, days=days)
        assert (mod.status, bob.is_logged_in()) == (422, True)
        error = mod.form("/u/bob/ban").one("p", role="alert").text
        assert ("whole number from 1 to 3,650" if reason == "Heated." else "Please give a reason.") in error
        assert [mod.value(name) for name in ("reason", "days")] == [reason, days]
    bob.open("/submit")
    mod.submit("/u/bob/ban", reason="Heated.", days="7")
    until = format_until(store)
    assert mod.follow().flashes == [f"bob has been banned until {until} and logged out everywhere."]
    assert until in reader.open("/u/bob").page.one("p", class_="error").text
    assert f"mod banned bob until {until} : Heated." in reader.open("/log").main
    bob.submit("/submit")
    assert bob.flashes == [f"This account is banned until {until}: Heated."]
    assert bob.page.one("main").one("time").text == until
    bob.submit("/submit", **{"log-in-name": "bob", "log-in-password": PASSWORD})
    assert bob.page.by_id("log-in-errors").one("time").text == until


def format_until(store: Store) -> str:
    ends = datetime.fromtimestamp(store.users.get("bob").banned_until, UTC)
    return f"{ends.day} {ends:%b %Y, %H:%M} UTC"


def test_ban_is_offered_only_where_it_is_allowed(
    mod: Browser, bob: Browser, reader: Browser, make_member: MakeMember
) -> None:
    boss = make_member("boss", Role.ADMIN)
    make_member("second", Role.MODERATOR)
    for person, bannable in ((reader, []), (bob, []), (mod, ["bob"]), (boss, ["bob", "mod", "second"])):
        offered = [
            name
            for name in ("bob", "mod", "second", "boss")
            if person.open(f"/u/{name}").page.all("a", href=f"/u/{name}/ban")
        ]
        assert offered == bannable
    assert mod.open("/u/second/ban").intro == "Only admins can ban a moderator."
    assert mod.open("/u/boss/ban").intro.startswith("An admin can be banned only at the command line")


def test_logging_out_everywhere_ends_all_sessions(bobs: list[Browser]) -> None:
    bobs[0].send("/account/logout-everywhere")
    assert bobs[0].location == "/login"
    assert bobs[0].follow().flashes == ["You have been logged out everywhere."]
    assert [browser.is_logged_in() for browser in bobs] == [False] * 3
    assert bobs[1].flashes == []


def test_new_password_ends_all_other_sessions(bobs: list[Browser], reader: Browser) -> None:
    bobs[0].fill_in("/account", old=PASSWORD, new="another password")
    assert bobs[0].location == "/account/access"
    assert [browser.is_logged_in() for browser in bobs] == [True, False, False]
    assert reader.log_in("bob").status == 422
    assert reader.log_in("bob", "another password").status == 303


def test_accounts_of_one_network_are_banned_together(mod: Browser, store: Store) -> None:
    for number in range(3):
        store.users.make(f"spam{number}", "", network="198.51.100.0/24")
        factories.article(store, store.users.get(f"spam{number}"))
    store.users.make("eva", "", network="198.51.100.0/24")
    store.users.set_role("eva", Role.MODERATOR)
    several = next(link for link in mod.open("/u/spam0").page.all("a") if link.text == "Ban several of them")
    boxes = mod.open(several["href"]).page.all("input", type="checkbox")
    assert {box["value"] for box in boxes if "checked" in box.attrs} == {"spam0", "spam1", "spam2"}
    assert ("eva moderator" in mod.page.text, "remove all (3)" in mod.page.text) == (True, True)

    mod.submit("/ban", name=["eva", "spam1", "spam2"], spam="1")
    assert mod.location == "/members?of=banned"
    assert mod.follow().flashes[0].startswith("Banned, and logged out everywhere: spam")
    list(store.bans.steps())
    assert [store.users.get(name).ban_reason for name in ("spam0", "spam1", "eva")] == ["", "Spam", ""]
    assert [bool(mod.open(f"/u/spam{number}").titles) for number in (0, 1)] == [True, False]

    assert "spam1 banned" in mod.open("/ban?name=spam0&name=spam1").page.text
    mod.open("/ban?name=spam0").submit("/ban", name=[], reason="Spam again.")
    assert (mod.status, mod.refusal) == (422, "Please choose whom to ban.")
    assert mod.value("reason") == "Spam again."
    assert "checked" not in mod.page.one("input", name="name").attrs
    mod.open("/ban?name=spam0").submit("/ban", reason="")
    assert (mod.status, "checked" in mod.page.one("input", name="name").attrs) == (422, True)
    assert mod.open("/ban?name=nobody").page.one("div", class_="empty")


def test_a_ban_takes_votes_back_and_unbanning_says_what_stays(mod: Browser, reader: Browser, store: Store) -> None:
    ring = [factories.user(store, name) for name in ("r1", "r2")]
    for _ in range(2):
        factories.comment(store, factories.article(store))
    for member, id in product(ring, (1, 2, CommentId(1, 1))):
        store.votes.cast(id, member)
    assert "take back their votes where voting is open (3)" in mod.open("/u/r1/ban").page.text
    mod.submit("/u/r1/ban", reason="", votes="1")
    assert (mod.status, "checked" in mod.page.one("input", name="votes").attrs) == (422, True)
    mod.submit("/u/r1/ban", reason="Ring.", votes="1")
    assert mod.follow().flashes[1] == "Their votes are being taken back; this can take a moment."
    mod.open("/ban?name=r1&name=r2").submit("/ban", name=["r2"], spam="1")
    list(store.bans.steps())
    assert store.read(store.votes.queue_counts, [1, 2, CommentId(1, 1)]) == [1, 1, 0]
    assert "mod banned r1, taking back 3 votes : Ring." in reader.open("/log").main

    store.connection.command("HSET", store.keys.article(1), "closes", 1)
    mod.open("/u/r1").submit("/u/r1/unban", restore="1")
    closed = "1 vote cannot be given back: voting has closed there, or it is gone."
    assert mod.follow().flashes == ["r1 can log in again. What the ban removed is being restored.", closed]
    mod.open("/log").submit("/log/2/undo")
    assert mod.follow().flashes == [closed, "The action has been undone. The log says so."]
    assert reader.open("/log").page.text.count(", giving back 2 votes, too late for 1 vote on which") == 2
