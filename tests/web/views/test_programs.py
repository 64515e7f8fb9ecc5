"""The page on which members give tokens to programs, and the ways in which these end."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.store.examination import run
from tests.store.test_programs import give_token, program_of, programs
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from voteweb.core import config
from voteweb.core.models import Right, Role
from voteweb.store import Store

PAGE = "/account/programs"
OWN_PASSWORD = {"own-password": PASSWORD}


def make(
    browser: Browser, name: str = "Town <b>hall", rights: Sequence[str] = ("read", "vote"), days: str = "30"
) -> str:
    """Make a token on the page for it, and return it."""
    browser.fill_in(PAGE, name=name, rights=list(rights), days=days, **OWN_PASSWORD)
    assert (browser.status, browser.headers["Cache-Control"]) == (200, "private, no-store")
    return browser.page.one("p", class_="codes").text


def test_a_token_is_shown_once_and_ends_by_its_button(bob: Browser, store: Store) -> None:
    assert bob.open("/account").page.all("a", href=PAGE)
    token = make(bob)
    (program,) = programs(store)
    assert (token.startswith("vw_Ym9i."), f"…{program.digest[-4:]}" in bob.main) == (True, True)
    shown = (program.digest, program.name, program.rights)
    assert shown == (program_of(token), "Town <b>hall", (Right.READ, Right.VOTE))
    assert program.until - program.made == 30 * 86_400
    secret = token.partition(".")[2]
    for path in (PAGE, "/account/access", "/account", "/inbox"):
        assert secret not in bob.open(path).text
    (row,) = bob.open(PAGE).page.one("ul", class_="log").all("li")
    assert bob.page.one("main").all("a", href="/api")
    assert (row.one("strong").text, row.one("code").text) == ("Town <b>hall", f"…{program.digest[-4:]}")
    assert "read what only you see · vote" in row.text
    assert "made just now · not used yet · ends on" in row.text
    store.programs.note_use("bob", program.digest)
    assert "last used just now" in bob.open(PAGE).main
    assert "A program of yours got a token" in bob.open("/inbox").main
    for path in (PAGE, "/account/access"):
        action = f"{PAGE}/{program_of(make(bob, 'again') if path != PAGE else token)}/withdraw"
        bob.open(path).submit(action)
        assert bob.location.partition("#")[0] == path
        assert bob.follow().flashes == ["The token has been withdrawn: the program can do nothing here any more."]
        assert programs(store) == []
    bob.send(f"{PAGE}/{program.digest}/withdraw")
    assert bob.follow().flashes == ["This token had already ended."]
    assert "The token of a program of yours was withdrawn" in bob.open("/inbox").main


@pytest.mark.parametrize(
    ("name", "typed", "message"),
    [
        ("name", {"name": " "}, "Please name the program, so that you know it again."),
        ("name", {"name": "x" * 41}, "Please use at most 40 characters."),
        ("days", {"days": "0"}, "Please type a whole number from 1 to 365."),
        ("days", {"days": "366"}, "Please type a whole number from 1 to 365."),
        ("days", {"days": "٣"}, "Please type a whole number from 1 to 365."),
        ("rights", {"rights": []}, "Please choose what the program may do."),
        ("rights", {"rights": ["vote", "moderate"]}, "Please choose what the program may do."),
        ("rights", {"rights": ["vote", "admin"]}, "Please choose what the program may do."),
    ],
)
def test_a_refused_form_keeps_what_was_typed(
    name: str, typed: dict[str, Any], message: str, bob: Browser, store: Store
) -> None:
    fields: dict[str, Any] = {"name": "kept", "rights": ["vote"], "days": "300"} | typed
    bob.send(PAGE, **fields, **OWN_PASSWORD)
    assert (bob.status, programs(store)) == (422, [])
    assert bob.page.by_id(f"{name}-errors").text == message
    assert (bob.value("name"), bob.value("days")) == (fields["name"], fields["days"])
    chosen = {box["value"] for box in bob.page.all("input", name="rights") if "checked" in box}
    assert chosen == {"vote"} & set(fields["rights"])
    assert PASSWORD not in bob.text


def test_only_staff_is_offered_the_right_to_moderate(bob: Browser, mod: Browser, store: Store) -> None:
    assert bob.open(PAGE).page.values("value", "input", name="rights") == ["read", "own", "vote", "post"]
    make(mod, rights=("moderate",))
    assert programs(store, "mod")[0].rights == (Right.MODERATE,)


def test_a_member_has_twenty_at_most_and_newcomers_none(bob: Browser, store: Store) -> None:
    for number in range(config.MAX_PROGRAMS):
        give_token(store, store.users.get("bob"), name=f"bot {number}")
    bob.fill_in(PAGE, name="kept", rights=["read"], days="7", **OWN_PASSWORD)
    assert (bob.status, bob.value("name")) == (422, "kept")
    assert bob.alert == "You have given tokens to 20 programs, as many as possible. Withdraw one of them first."
    run(store, "HSET", "user:bob", "held", 1)
    assert not bob.open(PAGE).page.all("form", action=PAGE)
    assert bob.send(PAGE, name="x", rights="read", days="7", **OWN_PASSWORD).status == 403


def test_an_admin_ends_the_token_of_a_member(
    bob: Browser, mod: Browser, reader: Browser, make_member: MakeMember, store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    program, root = program_of(make(bob)), make_member("root", Role.ADMIN)
    path = f"/u/bob/programs/{program}/end"
    for other in (mod, bob):
        assert "Town" not in other.open("/u/bob").main
        assert other.send(path).status == 403
    monkeypatch.setattr(config, "PASSWORD_CHECK_SECONDS", 0)
    root.open("/u/bob").submit(path)
    assert (root.status, len(programs(store))) == (403, 1)
    monkeypatch.undo()
    root.submit(path, **OWN_PASSWORD)
    assert root.follow().flashes == ["The token has ended, and the member is told."]
    assert programs(store) == []
    assert reader.open("/log").log == ["root ended the token of a program of bob"]
    assert "An admin ended the token of a program of yours, just now." in bob.open("/inbox").main
