"""The pages of admins: health, and switches that hold at once."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.config import MAX_ANNOUNCEMENT_LENGTH
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.health import HealthChecks


@pytest.fixture
def root(make_member: MakeMember) -> Browser:
    """An admin."""
    return make_member("root", Role.ADMIN)


def test_admins_find_their_pages_and_the_health_of_the_site(
    root: Browser, mod: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert root.open("/reports").page.one("a", href="/admin").text == "Admin"
    assert not mod.open("/reports").page.all("a", href="/admin")
    assert (mod.open("/admin").status, mod.intro) == (403, "Only admins can do this.")
    monkeypatch.setattr(HealthChecks, "health", lambda _: ("degraded", ["The disk is <full>."]))
    assert "The site needs an operator." in root.open("/admin").page.text
    assert "The disk is <full>." in [reason.text for reason in root.page.all("li", lang="en")]


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
        ("announcement", {"words": "Kept", "value": "javascript:alert(1)"}, "must begin with http"),
        ("announcement", {"words": "Kept", "value": "//evil.example"}, "must begin with http"),
        ("read-only", {"words": "x" * 301, "value": "on"}, "at most 300 characters"),
        ("signup", {"value": "everybody"}, "choose one"),
        ("hold-posts", {"value": "101"}, "a number from 0 to 100"),
    ],
)
def test_refused_switch_keeps_what_was_typed(
    switch: str, typed: dict[str, str], message: str, root: Browser, store: Store
) -> None:
    root.post(f"/admin/{switch}", {"csrf_token": root.csrf_token(), **typed})
    assert (root.status, message in root.page.one("p", role="alert").text) == (422, True)
    assert all(text in root.response.text for text in typed.values() if text != "everybody")
    assert store.connection.command("EXISTS", "site:") == 0


def test_each_switch_is_in_the_log_and_can_be_left_to_the_settings(root: Browser, reader: Browser) -> None:
    for switch, value, words in (
        ("read-only", "on", "Repairs."), ("read-only", "", "Repairs."), ("signup", "closed", ""), ("signup", "", ""),
        ("hold-posts", "3", ""), ("hold-posts", "", ""), ("announcement", "", "Hello."), ("announcement", "", ""),
    ):  # fmt: skip
        root.post(f"/admin/{switch}", {"csrf_token": root.csrf_token(), "value": value, "words": words})
        page = root.follow().page
        assert ("Set by root" in page.text) is bool(value or words == "Hello."), (switch, value)
    entries = [entry.all("p")[0].text for entry in reader.open("/log").page.one("ol").all("li")]
    assert entries == [
        "root took the announcement off every page",
        "root put an announcement on every page : Hello.",
        "root left it to the settings again how many first articles of a new member wait for a moderator",
        "root decided how many first articles of a new member wait for a moderator: 3",
        "root left it to the settings again who may join",
        "root decided who may join: nobody",
        "root let the site accept posts, votes and comments again",
        "root made the site read-only : Repairs.",
    ]


def test_moderators_go_on_while_members_are_refused(root: Browser, mod: Browser, bob: Browser, store: Store) -> None:
    factories.article(store)
    root.open("/admin").submit("/admin/read-only", words="Spam.", value="on")
    bob.open("/submit").submit("/submit", title="Kept title", link="https://x.example/", text="Kept words")
    assert (bob.status, bob.page.one("textarea", name="text").text) == (503, "Kept words")
    assert mod.open("/a/1").submit("/a/1/remove", reason="Spam.").status == 303
    root.follow().submit("/admin/read-only", value="")
    assert bob.submit("/submit").status == 303
