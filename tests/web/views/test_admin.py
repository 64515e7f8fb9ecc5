"""The pages of admins: health, switches that hold at once, trials of weights, and rules of domains."""

import time

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser, fields_of
from tests.web.conftest import MakeMember
from tests.web.dom import Element
from tests.web.escaping import EVIL, HOSTILE, assert_harmless
from voteweb.core import config
from voteweb.core.config import MAX_ANNOUNCEMENT_LENGTH
from voteweb.core.models import Role
from voteweb.core.settings import Settings, env_name
from voteweb.core.site_switches import FACE, ON, OVERRIDDEN, TEXTS, SwitchName
from voteweb.store import Store
from voteweb.store.server.health import HealthChecks


@pytest.fixture
def root(make_member: MakeMember) -> Browser:
    """An admin."""
    return make_member("root", Role.ADMIN)


def test_pages_of_many_acts_fill_no_button(root: Browser) -> None:
    for path in ("/admin", "/account", "/account/access"):
        assert root.open(path).page.one("main").all("button"), path
        assert not root.page.one("main").all("button", class_="button"), path
    destructive = root.open("/admin").page.one("main").all("button", class_="destructive")
    assert [button.text for button in destructive] == ["Make the site read-only"]


def test_admins_find_their_pages_and_the_health_of_the_site(
    root: Browser, mod: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert root.open("/queue").page.one("a", href="/admin").text == "Admin"
    assert not mod.open("/queue").page.all("a", href="/admin")
    assert (mod.open("/admin").status, mod.intro) == (403, "Only admins can do this.")
    monkeypatch.setattr(HealthChecks, "health", lambda _: ("degraded", ["The disk is <full>."]))
    assert "The site needs an operator." in root.open("/admin").page.text
    assert "The disk is <full>." in root.page.texts("li", lang="en")


def test_announcement_is_shown_linked_and_taken_back(root: Browser, reader: Browser) -> None:
    root.open("/admin").submit("/admin/announcement", words=HOSTILE[:MAX_ANNOUNCEMENT_LENGTH], value="/about")
    assert root.follow().flashes[0].startswith("Saved.")
    link = reader.open("/").page.one("p", class_="announcement").one("a")
    assert (link.text, link["href"]) == (HOSTILE[:MAX_ANNOUNCEMENT_LENGTH], "/about")
    assert not reader.page.all("p", class_="welcome")
    assert root.form("/admin/announcement").one("input", name="value")["value"] == "/about"
    root.submit("/admin/announcement", words="")
    root.follow()
    assert reader.open("/").page.all("p", class_="welcome")
    assert not reader.page.all("p", class_="announcement")


@pytest.mark.parametrize(
    ("switch", "typed", "message"),
    [
        ("announcement", {"words": "x" * 121}, "at most 120 characters"),
        ("announcement", {"words": "Kept", "value": "//evil.example"}, "must begin with http"),
        ("hold-posts", {"value": "101"}, "a number from 0 to 100"),
        ("second-factor", {"value": "on"}, "set up your own second factor first"),
        ("name", {"value": "x" * 61}, "at most 60 characters"),
        ("contact", {"value": "javascript:alert(1)"}, "begins with https://"),
        ("contact", {"value": "nobody"}, "an e-mail address"),
        ("accent", {"value": "red"}, "six hexadecimal digits"),
        ("accent", {"value": "#999999"}, "contrast of 2.77 : 1 with paper"),
    ],
)
def test_refused_switch_keeps_what_was_typed(
    switch: str, typed: dict[str, str], message: str, root: Browser, store: Store
) -> None:
    root.send(f"/admin/{switch}", **typed)
    assert (root.status, message in root.refusal) == (422, True)
    assert all(text in root.text for text in typed.values())
    assert store.connection.command("HEXISTS", "site:", switch) == 0


def test_each_switch_is_logged_and_can_return_to_the_settings(root: Browser, reader: Browser) -> None:
    for switch, value, words in (
        ("read-only", "on", "Repairs."), ("read-only", "", "Repairs."), ("signup", "closed", ""), ("signup", "", ""),
        ("hold-posts", "3", ""), ("hold-posts", "", ""), ("ai-crawlers", "off", ""), ("ai-crawlers", "", ""),
        ("programs", "off", ""), ("programs", "", ""), ("announcement", "", "Hello."), ("announcement", "", ""),
    ):  # fmt: skip
        root.send(f"/admin/{switch}", value=value, words=words)
        page = root.follow().page
        assert ("Set by root" in page.text) is bool(value or words == "Hello."), (switch, value)
    assert reader.open("/log").log == [
        "root took the announcement off every page",
        "root put an announcement on every page : Hello.",
        "root let programs in again",
        "root let no programs in any more",
        "root welcomed AI crawlers again",
        "root asked AI crawlers to stay away",
        "root left it to the settings again how many first articles of a new member wait for a moderator",
        "root decided how many first articles of a new member wait for a moderator: 3",
        "root left it to the settings again who may join",
        "root decided who may join: nobody",
        "root let the site accept posts, votes and comments again",
        "root made the site read-only : Repairs.",
    ]


def test_every_switch_has_its_form_and_says_what_it_overrides(root: Browser, store: Store) -> None:
    values = {SwitchName.SIGNUP: "closed", SwitchName.HOLD_POSTS: "3", SwitchName.CONTACT: "https://x.example/"}
    values |= {SwitchName.NAME: "Ferry", SwitchName.ACCENT: "#0b4f8a", SwitchName.AI_CRAWLERS: "off"}
    values[SwitchName.PROGRAMS] = "off"
    shown_there = {*SwitchName} - {*TEXTS, SwitchName.SECOND_FACTOR}
    for switch in (*shown_there, SwitchName.SECOND_FACTOR):  # the last one takes the admin's rights
        shown = root.open("/admin").submit(f"/admin/{switch}", value=values.get(switch, ON), words="Words.").follow()
        if name := (OVERRIDDEN | FACE).get(switch):
            assert str(getattr(store.context.settings, name)) == values[switch]
            start, is_variable = getattr(store.context.unswitched, name), name != "accent"
            start = "-" if start == "" else start
            assert (f"{env_name(name)} = {start} A switch says" in shown.main) is is_variable


def test_settings_are_shown_with_their_source_and_without_secrets(
    root: Browser, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("VOTEWEB_SITE_NAME", "A name")
    root.send("/admin/signup", value="closed")
    assert root.open("/admin/settings").location == "/admin#settings"
    text = root.open("/admin").page.one("details", class_="disclosure").one("ul", class_="log").text
    assert settings.secret_key not in root.text
    assert "VOTEWEB_SIGNUP = open A switch says closed." in text
    sources = {row.one("code").text: row.one("p", class_="meta").all("span")[0].text for row in _rows(root)}
    assert (sources["VOTEWEB_SITE_NAME"], sources["VOTEWEB_EDIT_SECONDS"]) == ("environment", "default")


def test_log_ins_name_members_and_no_words_of_strangers(
    root: Browser, reader: Browser, make_member: MakeMember, store: Store
) -> None:
    make_member("bob")
    for name, password in (("bob", "wrong password"), ("my secret", "x"), ("bob", PASSWORD)):
        reader.fill_in("/login", username=name, password=password)
    rows = root.open("/members/log-ins").log
    assert rows[:3] == ["bob logged in", "a name that no member has refused", "bob wrong password"]
    assert "secret" not in root.text
    root.open("/admin/log-ins?name=BOB").follow()
    assert root.log[:2] == ["bob logged in", "bob wrong password"]


def test_invitations_are_a_tree(root: Browser, store: Store) -> None:
    for inviter, name in (("root", "ann"), ("ann", "bob"), ("root", "carl"), ("bob", "dan")):
        invitation = store.invitations.make(store.users.get(inviter))
        store.users.make(name, "", invitation=invitation, network="")
    assert root.open("/members/invited").log == [
        "root", "— ann invited, level 1", "— — bob invited, level 2", "— — — dan invited, level 3",
        "— carl invited, level 1",
    ]  # fmt: skip


def test_members_list_tells_admins_more_and_lets_them_change_roles(root: Browser, mod: Browser, bob: Browser) -> None:
    text = mod.open("/members").main
    assert "last seen" not in text
    assert not mod.page.all("form", action="/u/bob/role")
    assert "last seen" in root.open("/members?q=bo").main
    root.submit("/u/bob/role", role="moderator")
    assert [row.all("a")[0].text for row in _rows(root.open("/members?of=moderators"))] == ["root", "bob"]


def _rows(browser: Browser) -> list[Element]:
    return browser.page.one("main").one(class_="log").all("li")


@pytest.mark.site(page_size=12)
def test_admin_sees_both_pages_and_what_suits(root: Browser, store: Store) -> None:
    for days in range(2, 24):
        factories.imported(store, title=f"Title {days} {EVIL}", time=time.time() - days * 86_400, votes=days * 201)
    page = root.open("/admin/ranking?good_votes=400").page
    today, tried = (part.texts("li") for part in page.all("ol", class_="trial"))
    assert (sum("leaves the page" in row for row in today), sum("new on the page" in row for row in tried)) == (10, 10)
    assert (today[0][:8], tried[0][:8]) == ("Title 23", "Title 2 ")
    assert "So 4,623 votes suit them." in page.one("main").text
    assert_harmless(page)


def use_weights(root: Browser, query: str) -> None:
    """Try the weights of *query*, and send the form that uses them."""
    page = root.open(f"/admin/ranking?{query}").page
    root.post("/admin/ranking", fields_of(page.one("section", aria_labelledby="use-heading").one("form")))


def test_weights_tried_are_used_after_the_password_and_explained_everywhere(
    root: Browser, reader: Browser, bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.article(store)
    factories.imported(store, votes=5)
    for browser in (reader, bob):  # the page that is kept has the weights of before
        assert "1 vote × 432 s" in browser.open("/a/1").page.text
    with monkeypatch.context() as later:
        later.setattr(config, "PASSWORD_CHECK_SECONDS", 0)
        use_weights(root, "good_votes=5&comment_good_votes=20")
        assert (root.status, root.value("good_votes")) == (403, "5")
        root.submit("/admin/ranking", **{"own-password": PASSWORD})
    assert root.follow().flashes == ["Saved: these weights are in force."]
    assert "0 of 2 articles have their new scores." in root.page.one("p", role="status").text
    for browser in (reader, bob):
        assert "1 vote × 17,280 s" in browser.open("/a/1").page.text
        assert "A comment with 20 votes" in browser.open("/about").page.text
    assert bob.open("/new").page.one("li", id="a2").all("span", class_="good")
    use_weights(root, "good_votes=6")
    assert (root.status, root.page.all("input", name="good_votes")[0]["value"]) == (409, "6")
    assert "not all articles have their new scores" in root.refusal
    assert root.send("/admin/ranking", good_votes="x").status == 422
    assert reader.open("/log").log[0] == (
        "root changed the weights of the ranking: seconds per vote from 432 to 17,280, votes of a good article from "
        "200 to 5, seconds per vote on a comment from 17,280 to 4,320"
    )


def test_a_wrong_weight_is_explained_and_kept(root: Browser) -> None:
    answer = root.open("/admin/ranking?good_votes=0&lift_days=two%3Cb%3E&comment_good_votes=٣")
    assert answer.status == 422
    form = answer.page.one("main").one("form", class_="fields")
    assert form.values("value", "input") == ["0", "two<b>", "٣"]
    errors = form.texts("p", class_="error")
    assert errors[1] == "Please type a whole number from 0 to 36,500."
    assert len(errors) == 3
    assert "There are too few articles" in root.open("/admin/ranking").main


def test_rules_are_made_changed_searched_and_deleted(mod: Browser, reader: Browser) -> None:
    mod.open("/queue").submit("/domains", domain="https://WWW.Spam.Example/page", rule="refuse", why=HOSTILE)
    assert mod.follow().flashes == ["The rule of spam.example has been saved."]
    rule = mod.page.one("ol", class_="log").one("li")
    assert (rule.one("strong").text, rule.one("q").text) == ("spam.example", HOSTILE)
    for domain, rule, why in (("spam.example", "hold", "A look."), ("bücher.example", "refuse", "Shops.")):
        mod.send("/domains", domain=domain, rule=rule, why=why)
    assert mod.follow().page.one("p", class_="total").text == "2 rules"
    listed = mod.open("/domains?q=SPAM").follow().page.one("ol", class_="log").text
    assert "is held for a look: A look." in listed
    assert "xn--" not in listed
    mod.submit("/domains/spam.example/delete")
    assert mod.follow().flashes == ["The rule of spam.example has been deleted."]
    assert not mod.open("/queue?q=spam").page.all("ol", class_="log")
    assert reader.open("/log").log[:3] == [
        "mod deleted the rule of spam.example",
        "mod decided to refuse links to xn--bcher-kva.example : Shops.",
        "mod decided to hold links to spam.example for a look : A look.",
    ]


def test_refused_rule_keeps_what_was_typed(mod: Browser) -> None:
    for domain, why, error in (("a b.example", "Because.", "no domain."), ("spam.example", "", "give a reason.")):
        mod.open("/queue").submit("/domains", domain=domain, rule="hold", why=why)
        assert (mod.status, error in mod.refusal) == (422, True)
        form = mod.form("/domains")
        assert [form.one("input", name=name)["value"] for name in ("domain", "why")] == [domain, why]
        assert [radio["value"] for radio in form.all("input", type="radio") if "checked" in radio] == ["hold"]


def test_refused_link_keeps_what_was_typed_and_says_why(mod: Browser, bob: Browser) -> None:
    rule = {"domain": "spam.example", "rule": "refuse", "why": "An advertisement."}
    mod.send("/domains", **rule)
    bob.fill_in("/submit", title="Kept title", link="https://x.spam.example/")
    assert bob.field_error("link") == "Links to spam.example are not accepted here: An advertisement."
    assert bob.value("title") == "Kept title"
