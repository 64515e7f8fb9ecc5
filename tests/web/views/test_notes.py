"""Notes on members: for moderators alone, on the member's page."""

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.models import Reason, Role
from voteweb.store import Store


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
    assert "Note on bob by mod: Asked to stop." in mod.open("/reports").page.one("li", id=f"a{reported.id}").text


def test_refused_note_keeps_what_was_typed(mod: Browser, bob: Browser) -> None:
    for typed, message in (("", "Please write the note first."), ("x" * 301, "Please use at most 300 characters.")):
        mod.open("/u/bob").submit("/u/bob/note", text=typed)
        assert (mod.status, mod.page.one("p", role="alert").text) == (422, message)
        assert mod.page.one("input", name="text")["value"] == typed
