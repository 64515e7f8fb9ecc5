"""The page of a member with the notes of moderators, and the lists of members."""

import pytest

from tests import factories
from tests.store.examination import snapshot
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp, MakeBrowser, MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core import config
from voteweb.core.models import LogAction, LogEntry, Reason, Role
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed


def test_member_is_shown_with_their_articles_newest_first(reader: Browser, store: Store) -> None:
    for title in ("First", "Second"):
        factories.article(store, title=title)
    factories.article(store, factories.user(store, "bob"), title="Not ann's")
    assert reader.open("/u/ann").titles == ["Second", "First"]
    assert reader.heading == "ann"
    assert reader.intro == "Member since today · 2 articles · 0 comments"
    since = factories.user(store, "zoe").since - 400 * 86_400
    store.connection.client.hset("user:zoe", mapping={"since": since, "role": "admin"})
    assert reader.open("/u/ZOE").intro == "Admin · Member for 1 year · 0 articles · 0 comments"
    assert reader.page.one("div", class_="empty").text == "No article by zoe is listed."


def test_own_page_without_articles_leads_to_posting_and_searches_nothing(bob: Browser, store: Store) -> None:
    empty = bob.open("/u/bob").page.one("div", class_="empty")
    assert (empty.text, empty.values("href", "a")) == ("You have not posted anything yet. Post", ["/submit"])
    for path in ("/u/bob", "/u/bob/comments"):
        assert not bob.open(path).page.one("main").all("input", type="search"), path
    factories.article(store, factories.user(store, "bob"))
    assert bob.open("/u/bob").page.one("main").all("input", type="search")
    assert bob.intro == "Member since today · 1 article · 0 comments"


def test_lines_stay_on_a_members_page_until_moderators_remove_them(
    bob: Browser, ann: Browser, mod: Browser, reader: Browser, store: Store
) -> None:
    bob.open("/account").submit("/account/about", about="1\n2\n\n3\n4")
    assert bob.field_error("about") == "Please use at most 3 lines."
    assert bob.submit("/account/about", about=f"# I am\n`{HOSTILE}` https://a.example").location == "/account#you"
    lines = reader.open("/u/bob").page.one("div", class_="about")
    assert (lines.text, lines.one("a")["rel"]) == (f"I am {HOSTILE} https://a.example", "nofollow ugc noopener")
    assert ann.open("/u/bob").press("/u/bob/report").location == "/u/bob"
    assert mod.open("/queue").page.by_id("abouts").one("div", class_="about").text == lines.text
    mod.open("/u/bob").submit("/u/bob/about", reason=" ")
    assert (mod.status, mod.value("reason")) == (422, " ")
    mod.submit("/u/bob/about", reason="Rude.")
    assert not reader.open("/u/bob").page.all("div", class_="about")
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
        browser.send("/signup", headers={config.ADDRESS_HEADER: address}, username=name, password=PASSWORD)
        assert browser.status == 303
    heading = "Signed up from the same network"
    assert mod.open("/u/Carl").page.texts("a", href="/u/dora") == ["dora"]
    assert heading in mod.text
    assert not mod.page.all("a", href="/u/far")
    assert heading not in mod.open("/u/six").text
    assert heading not in reader.open("/u/carl").text
    assert not any(address in str(snapshot(store)) for address in addresses.values())


def test_a_new_moderator_is_told_and_led_to_the_guide(
    bob: Browser, make_member: MakeMember, make_browser: MakeBrowser, store: Store
) -> None:
    root = make_member("root2", Role.ADMIN)
    root.open("/u/bob").submit("/u/bob/role", role="moderator")
    told = bob.open("/inbox").page.one("h2", class_="notice-head").text
    assert told.startswith("Unread: Your role is now: moderator")
    assert bob.open(bob.page.one("main").one("a", href="/guide")["href"]).heading == "Guide for moderators"
    feed = make_browser().open(f"/inbox/feed/{store.feeds.renew(SecretFeed.INBOX, bob.user)}.atom")
    assert "root2 changed the role of bob" in feed.text


def test_name_of_any_script_has_its_pages(reader: Browser, store: Store) -> None:
    assert {reader.open(f"/u/{name}").status for name in ("李明", "x" * 21, "<b>", "%ff", "a%0ab")} == {404}
    reader.fill_in("/signup", username="李明", password=PASSWORD)
    factories.article(store, store.users.get("李明"), title="Theirs")
    factories.comment(store, 1, store.users.get("李明"))
    path = reader.open("/new").page.one("li", class_="article").one("a", class_="by")["href"]
    assert reader.open(path).titles == ["Theirs"]
    assert f"<uri>http://localhost{path}</uri>" in reader.open(f"{path}.atom").text
    assert reader.open("/account/data").headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''voteweb-%E6%9D%8E%E6%98%8E.json"
    )
    for page in ("/a/1", path, f"{path}/comments"):
        elements = [*reader.open(page).page.all("a"), *reader.page.all("form"), *reader.page.all("link")]
        assert all(element.attrs.get("href", element.attrs.get("action", "")).isascii() for element in elements), page


def test_note_is_shown_to_moderators_alone(
    mod: Browser, bob: Browser, reader: Browser, make_member: MakeMember
) -> None:
    sue = make_member("sue", Role.MODERATOR)
    mod.open("/u/bob").submit("/u/bob/note", text="x" * 301)
    assert (mod.status, mod.refusal) == (422, "Please use at most 300 characters.")
    assert mod.value("text") == "x" * 301
    mod.submit("/u/bob/note", text=HOSTILE)
    assert mod.location == "/u/bob#notes"
    assert mod.follow().flashes == ["The note has been saved. Only moderators see it."]
    note = sue.open("/u/bob").page.one("section", id="notes")
    assert (note.one("q").text, note.all("button", class_="button-link")) == (HOSTILE, [])
    for browser in (bob, reader):
        assert not browser.open("/u/bob").page.all("section", id="notes")
    deletion = mod.open("/u/bob").page.one("section", id="notes").all("form")[0]["action"]
    sue.send(deletion)
    assert sue.status == 403
    mod.submit(deletion)
    assert not sue.open("/u/bob").page.one("section", id="notes").all("q")


def test_note_is_beside_what_was_reported(mod: Browser, bob: Browser, store: Store) -> None:
    store.notes.add("bob", "Asked to stop.", mod.user)
    reported = factories.article(store, bob.user)
    store.reports.make(reported.id, factories.user(store), Reason.SPAM, "")
    assert "Note on bob by mod: Asked to stop." in mod.open("/queue").page.one("li", id=f"a{reported.id}").text


def names(browser: Browser) -> list[str]:
    return [row.all("a")[0].text for row in browser.page.one("main").all("li")]


def test_moderators_are_shown_to_everybody(reader: Browser, store: Store) -> None:
    for name, role in (("zoe", Role.MODERATOR), ("amy", Role.MODERATOR), ("boss", Role.ADMIN)):
        factories.user(store, name)
        store.users.set_role(name, role, LogEntry(LogAction.ROLE, "boss", about=name, why=role))
    assert names(reader.open("/moderators")) == ["boss", "amy", "zoe"]
    factories.ban(store, "amy")
    store.users.set_role("zoe", Role.MEMBER, LogEntry(LogAction.ROLE, "boss", about="zoe", why="member"))
    assert names(reader.open("/moderators?again")) == ["boss"]


def test_moderators_see_the_newest_members_and_search(mod: Browser, store: Store) -> None:
    for name in ("Carl", "carla", "c_x", "eve"):
        factories.user(store, name)
    factories.article(store, store.users.get("eve"))
    assert names(mod.open("/members"))[:4] == ["eve", "c_x", "carla", "Carl"]
    assert "1 article" in mod.page.one("main").all("li")[0].text
    for typed, found in (("CAR", ["Carl", "carla"]), ("c_", ["c_x"]), ("*", [])):
        assert names(mod.open("/members", query_string={"q": typed})) == found, typed


def test_banned_members_are_listed_once_while_banned(mod: Browser, store: Store) -> None:
    for name in ("eve", "kim"):
        factories.ban(store, factories.user(store, name).name)
    factories.lift(store, "eve")
    assert names(mod.open("/members?of=banned")) == ["kim"]
    factories.ban(store, "eve")
    assert names(mod.open("/members?of=banned")) == ["eve", "kim"]


def test_search_that_is_cut_off_says_so(mod: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(150):
        factories.user(store, f"member{number}")
    for number, value in (("MEMBER_SCAN_STEPS", 1), ("READ_BATCH_SIZE", 10)):
        monkeypatch.setattr(config, number, value)
    assert "There may be more" in mod.open("/members?q=mem").main
