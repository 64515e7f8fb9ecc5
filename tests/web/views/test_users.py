"""The page of a member with the notes of moderators, and the lists of members."""

import time

import pytest

from tests import factories
from tests.store.examination import snapshot
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp, MakeBrowser, MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core import config
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.schema.log_entries import NewLogEntry


def test_member_is_shown_with_their_articles_newest_first(reader: Browser, store: Store) -> None:
    for title in ("First", "Second"):
        factories.article(store, title=title)
    factories.article(store, factories.user(store, "bob"), title="Not ann's")
    assert reader.open("/u/ann").titles == ["Second", "First"]
    assert reader.heading == "ann"
    assert reader.intro == "Member since today · 2 articles · 0 comments"
    assert reader.page.one("p", class_="total").text == "2 articles"


def test_lines_of_a_member_are_on_their_page_until_a_moderator_removes_them(
    bob: Browser, ann: Browser, mod: Browser, reader: Browser, store: Store
) -> None:
    bob.open("/account").submit("/account/about", about="1\n2\n\n3\n4")
    assert (bob.status, bob.field_error("about")) == (422, "Please use at most 3 lines.")
    assert bob.page.one("textarea", name="about").text == "1 2 3 4"
    assert bob.submit("/account/about", about=f"# I am\n`{HOSTILE}` https://a.example").location == "/account#you"
    lines = reader.open("/u/bob").page.one("div", class_="about")
    assert (lines.text, lines.one("a")["rel"]) == (f"I am {HOSTILE} https://a.example", "nofollow ugc noopener")
    assert ann.open("/u/bob").press("/u/bob/report").location == "/u/bob"
    assert mod.open("/queue").page.by_id("abouts").one("div", class_="about").text == lines.text
    mod.open("/u/bob").submit("/u/bob/about", reason="")
    assert (mod.status, mod.page.one("input", name="reason")["value"]) == (422, "")
    mod.submit("/u/bob/about", reason="Rude.")
    assert not reader.open("/u/bob").page.all("div", class_="about")
    assert "mod removed what bob says about themselves : Rude." in reader.open("/log").page.text
    assert "Unread: mod removed what you say about yourself : Rude." in bob.open("/inbox").page.text
    bob.open("/account").submit("/account/about", about="Again.")
    factories.ban(store, "bob")
    assert not reader.open("/u/bob").page.all("div", class_="about")


def test_moderators_see_who_signed_up_from_the_same_network(
    mod: Browser, reader: Browser, make_app: MakeApp, store: Store
) -> None:
    app = make_app(trusted_proxies=1)
    addresses = {"carl": "198.51.100.7", "dora": "198.51.100.250", "far": "198.51.101.7", "six": "2001:db8:1::7"}
    for name, address in addresses.items():
        browser = Browser(app).open("/signup")
        fields = {"username": name, "password": PASSWORD, "csrf_token": browser.csrf_token()}
        assert browser.post("/signup", fields, headers={config.ADDRESS_HEADER: address}).status == 303
    heading = "Signed up from the same network"
    assert [link.text for link in mod.open("/u/Carl").page.all("a", href="/u/dora")] == ["dora"]
    assert heading in mod.response.text
    assert not mod.page.all("a", href="/u/far")
    assert heading not in mod.open("/u/six").response.text
    assert heading not in reader.open("/u/carl").response.text
    assert not any(address in str(snapshot(store)) for address in addresses.values())
    store.account_deletion.start(store.users.get("dora"), delete_articles=False)
    assert heading not in mod.open("/u/carl").response.text
    assert "dora" not in str([content for key, content in snapshot(store).items() if key.startswith("network:")])


def test_network_of_signing_up_is_forgotten_after_a_month(mod: Browser, store: Store) -> None:
    for name in ("carl", "dora"):
        store.users.make(name, "", network="198.51.100.0/24")
    (key,) = store.connection.client.keys("network:*")
    assert 0 < store.connection.client.ttl(key) <= config.SIGNUP_NETWORK_SECONDS
    assert 0 < store.connection.client.ttl("signup:carl") <= config.SIGNUP_NETWORK_SECONDS
    store.connection.client.zadd(key, {"dora": time.time() - config.SIGNUP_NETWORK_SECONDS - 1})
    assert not mod.open("/u/carl").page.all("a", href="/u/dora")
    store.users.make("erik", "", network="198.51.100.0/24")
    assert set(store.connection.client.zrange(key, 0, -1)) == {"carl", "erik"}


def test_a_new_moderator_is_told_and_led_to_the_guide(
    bob: Browser, make_member: MakeMember, make_browser: MakeBrowser, store: Store
) -> None:
    root = make_member("root2", Role.ADMIN)
    root.open("/u/bob").submit("/u/bob/role", role="moderator")
    assert bob.open("/").page.one("nav", class_="account").all("a", href="/inbox")[0].text == "Inbox 1"
    assert (
        bob.open("/inbox").page.one("h2", class_="notice-head").text.startswith("Unread: Your role is now: moderator")
    )
    assert bob.open(bob.page.one("main").one("a", href="/guide")["href"]).heading == "Guide for moderators"
    feed = make_browser().open(f"/inbox/feed/{store.feeds.renew(SecretFeed.INBOX, store.users.get('bob'))}.atom")
    assert "root2 changed the role of bob" in feed.response.text
    root.open("/u/bob").submit("/u/bob/role", role="member")
    assert (
        bob.open("/inbox").page.all("h2", class_="notice-head")[0].text.startswith("Unread: Your role is now: member")
    )
    assert not bob.page.all("a", href="/guide")


@pytest.mark.parametrize(("role", "label"), [(Role.MODERATOR, "Moderator · "), (Role.ADMIN, "Admin · ")])
def test_role_is_shown(role: Role, label: str, reader: Browser, store: Store) -> None:
    factories.user(store, "ann", role)
    assert reader.open("/u/ann").intro.startswith(f"{label}Member since")


def test_member_without_articles_has_a_page(reader: Browser, store: Store) -> None:
    factories.user(store, "Carl")
    assert reader.open("/u/cARL").status == 200
    assert reader.heading == "Carl"
    assert reader.page.one("div", class_="empty").text == "No article by Carl is listed."


@pytest.mark.parametrize("name", ["nobody", "x", "x" * 21, "<b>", "user:1", "编程", "a b", "%ff", "a%0ab", ".."])
def test_unknown_member_is_404(name: str, reader: Browser, store: Store) -> None:
    factories.user(store, "ann")
    reader.open(f"/u/{name}")
    assert reader.status == 404
    assert reader.page.one("main").one("a", href="/")


def test_imported_poster_has_a_page(reader: Browser, store: Store) -> None:
    since = factories.user(store, "zoe").since - 400 * 86_400
    store.connection.client.hset("user:zoe", "since", since)
    factories.imported(store, poster="Zoe", title="From elsewhere")
    assert reader.open("/u/zoe").titles == ["From elsewhere"]
    assert (reader.heading, reader.intro) == ("zoe", "Member for 1 year · 1 article · 0 comments")


def test_name_of_any_script_has_its_pages(reader: Browser, store: Store) -> None:
    reader.open("/signup").submit("/signup", username="李明", password=PASSWORD)
    factories.article(store, store.users.get("李明"), title="Theirs")
    factories.comment(store, 1, store.users.get("李明"))
    path = reader.open("/new").page.one("li", class_="article").one("a", class_="by")["href"]
    assert path == "/u/%E6%9D%8E%E6%98%8E"
    assert reader.open(path).titles == ["Theirs"]
    assert reader.open(f"{path}/comments").status == 200
    assert f"<uri>http://localhost{path}</uri>" in reader.open(f"{path}.atom").response.text
    assert reader.open("/account/data").response.headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''voteweb-%E6%9D%8E%E6%98%8E.json"
    )
    for page in ("/new", "/a/1", path, f"{path}/comments", "/members", "/account", "/comments"):
        elements = [*reader.open(page).page.all("a"), *reader.page.all("form"), *reader.page.all("link")]
        assert all(element.attrs.get("href", element.attrs.get("action", "")).isascii() for element in elements), page
    reader.open("/a/1").submit("/a/1/delete")
    assert reader.follow().flashes == ["Your article has been deleted."]
    reader.open("/account").submit("/logout")
    assert reader.log_in(" 李明 ").status == 303


def test_note_is_shown_to_moderators_alone(
    mod: Browser, bob: Browser, reader: Browser, make_member: MakeMember
) -> None:
    sue = make_member("sue", Role.MODERATOR)
    mod.open("/u/bob").submit("/u/bob/note", text=HOSTILE)
    assert (mod.status, mod.location) == (303, "/u/bob#notes")
    assert mod.follow().flashes == ["The note has been saved. Only moderators see it."]
    note = sue.open("/u/bob").page.one("section", id="notes")
    assert note.one("q").text == HOSTILE
    assert "mod" in note.one("li").text
    assert not note.all("button", class_="button-link")
    for browser in (bob, reader):
        assert not browser.open("/u/bob").page.all("section", id="notes")
    deletion = mod.open("/u/bob").page.one("section", id="notes").all("form")[0]["action"]
    sue.post(deletion, {"csrf_token": sue.csrf_token()})
    assert sue.status == 403
    mod.submit(deletion)
    assert not sue.open("/u/bob").page.one("section", id="notes").all("q")


def test_note_is_beside_what_was_reported(mod: Browser, bob: Browser, store: Store) -> None:
    store.notes.add("bob", "Asked to stop.", store.users.get("mod"))
    reported = factories.article(store, store.users.get("bob"))
    store.reports.make(reported.id, factories.user(store), Reason.SPAM, "")
    assert "Note on bob by mod: Asked to stop." in mod.open("/queue").page.one("li", id=f"a{reported.id}").text


def test_refused_note_keeps_what_was_typed(mod: Browser, bob: Browser) -> None:
    for typed, message in (("", "Please write the note first."), ("x" * 301, "Please use at most 300 characters.")):
        mod.open("/u/bob").submit("/u/bob/note", text=typed)
        assert (mod.status, mod.page.one("p", role="alert").text) == (422, message)
        assert mod.page.one("input", name="text")["value"] == typed


def names(browser: Browser) -> list[str]:
    return [row.all("a")[0].text for row in browser.page.one("main").all("li")]


def test_moderators_are_shown_to_everybody(reader: Browser, store: Store) -> None:
    for name, role in (("zoe", Role.MODERATOR), ("amy", Role.MODERATOR), ("boss", Role.ADMIN), ("old", Role.MODERATOR)):
        factories.user(store, name)
        store.users.set_role(name, role, NewLogEntry(LogAction.ROLE, "boss", about=name, why=role))
    store.users.set_role("old", Role.MEMBER, NewLogEntry(LogAction.ROLE, "boss", about="old", why="member"))
    assert names(reader.open("/moderators")) == ["boss", "amy", "zoe"]
    factories.ban(store, "amy")
    assert names(reader.open("/moderators?again")) == ["boss", "zoe"]


def test_moderators_see_the_newest_members_and_search(mod: Browser, store: Store) -> None:
    for name in ("Carl", "carla", "c_x", "eve"):
        factories.user(store, name)
    factories.article(store, store.users.get("eve"))
    assert names(mod.open("/members"))[:4] == ["eve", "c_x", "carla", "Carl"]
    assert "1 article" in mod.page.one("main").all("li")[0].text
    for typed, found in (("CAR", ["Carl", "carla"]), ("c_", ["c_x"]), ("*", []), ("c?", []), ("[ce]", [])):
        assert names(mod.open("/members", query_string={"q": typed})) == found, typed


def test_banned_members_are_listed_once_while_banned(mod: Browser, store: Store) -> None:
    for name in ("eve", "kim"):
        factories.user(store, name)
        factories.ban(store, name)
    store.bans.lift("eve", NewLogEntry(LogAction.UNBAN, "mod", about="eve"))
    assert names(mod.open("/members?of=banned")) == ["kim"]
    factories.ban(store, "eve")
    assert names(mod.open("/members?of=banned")) == ["eve", "kim"]
    assert "Spam." in mod.page.one("main").text


def test_search_that_is_cut_off_says_so(mod: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(150):
        factories.user(store, f"member{number}")
    for number, value in (("MEMBER_SCAN_STEPS", 1), ("READ_BATCH_SIZE", 10)):
        monkeypatch.setattr(config, number, value)
    assert "There may be more" in mod.open("/members?q=mem").page.one("main").text
