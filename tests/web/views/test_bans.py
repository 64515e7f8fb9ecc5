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
    mod.open("/u/bob/ban").submit("/u/bob/ban", reason=HOSTILE)
    assert (mod.status, mod.location) == (303, "/u/bob")
    assert mod.follow().flashes == ["bob has been banned and logged out everywhere."]
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


def test_reason_of_a_ban_needs_the_password(bob: Browser, make_browser: MakeBrowser, store: Store) -> None:
    factories.ban(store, "bob", HOSTILE)
    reader = make_browser(contact="mailto:help@news.example")
    reader.log_in("bob", "not this one")
    assert reader.alert == "No member has this name and this password."
    reader.log_in("bob")
    assert (reader.status, reader.alert) == (422, f"This account is banned: {HOSTILE}")
    assert reader.page.one("main").one("a", href="mailto:help@news.example")
    assert not reader.is_logged_in()


def test_banned_member_answers_once_and_reads_what_becomes_of_it(
    bob: Browser, reader: Browser, mod: Browser, store: Store
) -> None:
    factories.ban(store, "bob", "Spam & more.")
    reader.log_in("bob", "not this one")
    assert not reader.page.all("form", action="/login/answer")
    reader.log_in("bob").submit("/login/answer", answer="Why?")
    assert (reader.status, reader.field_error("answer")[:21]) == (422, "Please write a senten")
    late = fields_of(reader.form("/login/answer"))
    reader.submit("/login/answer", answer=HOSTILE)
    assert reader.follow().flashes[0].startswith("Your answer has been sent.")
    reader.post("/login/answer", late | {"answer": "Another answer."})
    assert (reader.status, "You have answered already." in reader.page.one("main").text) == (422, True)
    assert "Your answer waits for a moderator." in reader.log_in("bob").page.by_id("main").text
    assert not reader.is_logged_in()

    section = mod.open("/queue").page.by_id("bans")
    assert [quote.text for quote in section.all("q")] == [HOSTILE]
    assert "Queue 1" in mod.page.one("nav", class_="account").text.replace("\xa0", " ")
    mod.post("/u/bob/keep-banned", fields_of(mod.form("/u/bob/unban")))
    assert mod.follow().flashes == ["bob stays banned, and reads that on trying to log in."]
    assert "looked at the answer of bob, who stays banned" in mod.open("/log").page.one("main").text
    assert "A moderator looked at your answer; the ban stays." in reader.log_in("bob").page.one("main").text

    factories.lift(store, "bob")
    reader.post("/login/answer", late | {"answer": "It was my brother."})
    assert "This form has expired." in reader.page.one("main").text
    factories.ban(store, "bob", "Again.")
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.form("/login/answer").one("textarea").text == "It was my brother."
    reader.submit("/login/answer")
    mod.open("/queue").submit("/u/bob/unban")
    assert mod.location == "/queue#bans"
    assert reader.log_in("bob").status == 303


def test_moderators_are_told_who_may_ban_whom(mod: Browser, make_member: MakeMember) -> None:
    for name, role, told in (
        ("eva", Role.MODERATOR, "Only admins can ban a moderator."),
        ("root2", Role.ADMIN, "An admin can be banned only at the command line"),
    ):
        make_member(name, role)
        assert mod.open(f"/u/{name}/ban").status == 403
        assert told in mod.page.text


def test_ban_is_public_and_can_be_lifted(mod: Browser, reader: Browser, bob: Browser, store: Store) -> None:
    mod.open("/u/bob/ban").submit("/u/bob/ban", reason="Spam.")
    ban = reader.open("/u/bob").page.one("p", class_="error").text
    assert ban.startswith("Banned since ")
    assert ban.endswith(": Spam.")
    assert not mod.open("/u/bob").page.all("a", href="/u/bob/ban")
    mod.submit("/u/bob/unban")
    assert mod.follow().flashes == ["bob can log in again."]
    assert not reader.open("/u/bob").page.all("p", class_="error")
    assert not bob.is_logged_in()
    assert bob.log_in("bob").is_logged_in()


def test_member_page_offers_to_restore_what_a_ban_removed(mod: Browser, bob: Browser, store: Store) -> None:
    member = store.users.get("bob")
    factories.comment(store, factories.article(store), member)
    factories.article(store, member)
    mod.open("/u/bob/ban").submit("/u/bob/ban", reason="Spam.", articles="day", comments="week")
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
    wrong_days = [("Heated.", days) for days in ("0", "-1", "1.5", "３", "9" * 30)]
    for reason, days in (*wrong_days, ("", ""), (" ", ""), ("x" * 301, "")):
        mod.open("/u/bob/ban").submit("/u/bob/ban", reason=reason, days=days)
        assert (mod.status, bob.is_logged_in()) == (422, True)
        error = mod.form("/u/bob/ban").one("p", role="alert").text
        assert error
        assert ("whole number from 1 to 3,650" in error) is (reason == "Heated.")
        assert [mod.page.one("input", name=name)["value"] for name in ("reason", "days")] == [reason, days]
    mod.submit("/u/bob/ban", reason="Heated.", days="7")
    until = format_until(store)
    assert mod.follow().flashes == [f"bob has been banned until {until} and logged out everywhere."]
    assert until in reader.open("/u/bob").page.one("p", class_="error").text
    assert f"mod banned bob until {until} : Heated." in reader.open("/log").page.one("ol", class_="log").text
    told = f"This account is banned until {until}: Heated."
    assert bob.open("/").flashes == [told]
    bob.log_in("bob")
    assert (bob.status, bob.alert) == (422, told)
    store.connection.command("HSET", store.keys.user("bob"), "banned-until", 1)
    assert bob.log_in("bob").is_logged_in()
    assert not reader.open("/u/bob").page.all("p", class_="error")


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


def test_logging_out_everywhere_ends_all_sessions(bobs: list[Browser]) -> None:
    bobs[0].post("/account/logout-everywhere", {"csrf_token": bobs[0].open("/account").csrf_token()})
    assert bobs[0].location == "/login"
    assert bobs[0].follow().flashes == ["You have been logged out everywhere."]
    assert [browser.is_logged_in() for browser in bobs] == [False] * 3
    assert bobs[1].flashes == []


def test_new_password_ends_all_other_sessions(bobs: list[Browser], reader: Browser) -> None:
    bobs[0].open("/account").submit("/account", old=PASSWORD, new="another password")
    assert bobs[0].location == "/account"
    assert bobs[0].follow().flashes == ["Your password has been changed. All other sessions have ended."]
    assert [browser.is_logged_in() for browser in bobs] == [True, False, False]
    assert reader.log_in("bob").status == 422
    assert reader.log_in("bob", "another password").status == 303


def test_new_role_is_effective_at_once_and_ends_no_session(
    make_member: MakeMember, bob: Browser, reader: Browser, store: Store
) -> None:
    boss = make_member("boss", Role.ADMIN)
    boss.open("/u/bob").submit("/u/bob/role", role="moderator")
    assert boss.follow().flashes == ["bob now has the role moderator."]
    assert bob.open("/queue").status == 200
    assert reader.open("/u/bob").intro.startswith("Moderator · ")
    for role in ("", "owner", "<b>"):
        boss.post("/u/bob/role", {"csrf_token": boss.csrf_token(), "role": role})
        assert (boss.status, boss.intro) == (400, "There is no such role.")
    boss.open("/u/bob").submit("/u/bob/role", role="member")
    assert bob.open("/queue").status == 403
    assert store.users.get("bob").role is Role.MEMBER


def test_accounts_of_one_network_are_banned_together(mod: Browser, store: Store) -> None:
    for number in range(8):
        store.users.make(f"spam{number}", "", network="198.51.100.0/24")
        article = factories.article(store, store.users.get(f"spam{number}"))
        factories.comment(store, article, store.users.get(f"spam{number}"))
    store.users.make("eva", "", network="198.51.100.0/24")
    store.users.set_role("eva", Role.MODERATOR)
    several = next(link for link in mod.open("/u/spam0").page.all("a") if link.text == "Ban several of them")
    boxes = mod.open(several["href"]).page.all("input", type="checkbox")
    assert {box["value"] for box in boxes if "checked" in box.attrs} == {f"spam{number}" for number in range(8)}
    assert "eva moderator" in mod.page.text
    assert "remove all (8)" in mod.page.text

    mod.submit("/ban", name=["eva", *(f"spam{number}" for number in range(1, 8))], spam="1")
    assert (mod.status, mod.location) == (303, "/members?of=banned")
    assert mod.follow().flashes[0].startswith("Banned, and logged out everywhere: spam")
    list(store.bans.steps())
    assert [store.users.get(f"spam{number}").ban_reason for number in range(8)] == ["", *7 * ["Spam"]]
    assert mod.open("/comments").page.text.count("spam") == mod.open("/comments").page.text.count("spam0")
    assert mod.open("/u/spam0").titles
    assert not mod.open("/u/spam1").titles

    assert "spam1 banned" in mod.open("/ban?name=spam0&name=spam1").page.text
    mod.submit("/ban", name=["spam1"], reason="Spam.")
    assert (mod.status, mod.page.one("p", role="alert").text) == (422, "Please choose whom to ban.")
    mod.open("/ban?name=spam0").submit("/ban", name=[], reason="Spam again.")
    assert (mod.status, mod.page.one("p", role="alert").text) == (422, "Please choose whom to ban.")
    assert mod.page.one("input", name="reason")["value"] == "Spam again."
    assert "checked" not in mod.page.one("input", name="name").attrs
    mod.open("/ban?name=spam0").submit("/ban", reason="")
    assert (mod.status, "checked" in mod.page.one("input", name="name").attrs) == (422, True)
    mod.post("/ban", {"csrf_token": mod.csrf_token(), "name": "spam0", "reason": "Spam."})
    mod.open("/u/spam0").submit("/u/spam0/unban", restore="1")
    assert mod.open("/ban?name=nobody").page.one("div", class_="empty")


def test_way_to_ban_together_ends_when_all_of_a_network_are_banned(mod: Browser, store: Store) -> None:
    for name in ("spam0", "spam1"):
        store.users.make(name, "", network="198.51.100.0/24")
    factories.ban(store, "spam0")
    assert "Ban several of them" in mod.open("/u/spam0").page.text
    factories.ban(store, "spam1")
    assert "spam1 banned" in mod.open("/u/spam0").page.text
    assert "Ban several of them" not in mod.page.text


def test_members_of_a_list_are_chosen_for_a_ban(mod: Browser, bob: Browser, store: Store) -> None:
    factories.user(store, "cid")
    page = mod.open("/members").page
    assert {box["value"] for box in page.all("input", form="several")} == {"bob", "cid"}
    assert page.by_id("several")["action"] == "/ban"


def test_a_ban_takes_votes_back_and_its_end_says_what_stays_so(mod: Browser, reader: Browser, store: Store) -> None:
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
    assert "where voting is open (3)" in mod.open("/ban?name=r1&name=r2").page.text
    mod.submit("/ban", name=["r2"], spam="1")
    list(store.bans.steps())
    assert store.read(store.votes.queue_counts, [1, 2, CommentId(1, 1)]) == [1, 1, 0]
    log = reader.open("/log").page.one("ol", class_="log").text
    assert "mod banned r1, taking back 3 votes : Ring." in log
    assert "mod banned r2, taking back 3 votes : Spam" in log

    store.connection.command("HSET", store.keys.article(1), "closes", 1)
    mod.open("/u/r1").submit("/u/r1/unban", restore="1")
    closed = "1 vote cannot be given back: voting has closed there, or it is gone."
    assert mod.follow().flashes == ["r1 can log in again. What the ban removed is being restored.", closed]
    undo = next(form["action"] for form in mod.open("/log").page.all("form") if form["action"].endswith("/undo"))
    mod.submit(undo)
    assert mod.follow().flashes == [closed, "The action has been undone. The log says so."]
    list(store.bans.steps())
    assert store.read(store.votes.queue_counts, [1, 2, CommentId(1, 1)]) == [1, 3, 2]
    assert reader.open("/log").page.text.count(", giving back 2 votes, too late for 1 vote on which") == 2
