"""Permissions: everybody requests every address directly, with a valid token of their own."""

from typing import Any

import pytest

from tests.web.addresses.address import ADMIN, LOGGED_OUT, MODERATOR, PEOPLE, Address
from tests.web.addresses.conftest import MakePerson
from tests.web.addresses.table import FORMS, PAGES, TABLE
from tests.web.browser import JSON, Browser
from tests.web.state import content
from voteweb.store import Store

REFUSING = [address for address in TABLE if set(PEOPLE) - set(address.allowed)]


def send(address: Address, person: str, browser: Browser, token: str = "", **options: Any) -> Browser:
    """Send the request of *address*, whatever the pages of *browser* offer."""
    if address.method == "GET":
        return browser.open(address.url(person), **options)
    return browser.post(address.url(person), {**address.fields, "csrf_token": token, "next": "/new"}, **options)


def test_page_is_shown_to_those_who_may_see_it(make_person: MakePerson, store: Store) -> None:
    browsers = {person: make_person(person) for person in PEOPLE}
    before = _without_unread(content(store))
    for address in PAGES:
        for person in address.allowed:
            assert send(address, person, browsers[person]).status == 200, (address, person)
    assert _without_unread(content(store)) == before


def _without_unread(stored: dict[str, Any]) -> dict[str, Any]:
    """Leave out which inbox entries are unread: the page of a comment reads its entry."""
    return {key: value for key, value in stored.items() if not key.startswith("unread:")}


@pytest.mark.parametrize(
    ("address", "person"),
    [pytest.param(address, person, id=f"{address} {person}") for address in FORMS for person in address.allowed],
)
def test_form_is_accepted_from_those_who_may_send_it(
    address: Address, person: str, make_person: MakePerson, store: Store
) -> None:
    browser = make_person(person)
    token = browser.csrf_token()
    before = content(store)
    assert send(address, person, browser, token).status == address.accepted
    assert address.accepted != 303 or not browser.location.startswith("/login?")
    assert (content(store) != before) is (address.writes and person not in address.idle)


@pytest.mark.parametrize("address", REFUSING, ids=str)
def test_others_are_refused_and_change_nothing(address: Address, make_person: MakePerson, store: Store) -> None:
    browsers = {person: make_person(person) for person in PEOPLE if person not in address.allowed}
    tokens = {person: browser.csrf_token() for person, browser in browsers.items()}
    before = content(store)
    for person, browser in browsers.items():
        for as_json in (True, False):
            send(address, person, browser, tokens[person], headers=JSON if as_json else {})
            assert browser.status == address.status(person, as_json=as_json), (person, as_json)
            assert content(store) == before, person
            if browser.status == 422 and not as_json:
                assert all(typed in browser.response.text for typed in address.kept), person
            if browser.status == 303:
                assert browser.location.startswith("/login?next=/" if person in LOGGED_OUT else ("/", "/new#a"))
                assert person in LOGGED_OUT or not browser.location.startswith("/login")


@pytest.mark.parametrize(
    ("person", "act", "fields"),
    [
        (MODERATOR, "ban", {"reason": "Spam."}),
        (MODERATOR, "role", {"role": "admin"}),
        (ADMIN, "ban", {"reason": "Spam."}),
        (ADMIN, "role", {"role": "member"}),
    ],
)
def test_nobody_bans_or_promotes_themselves(
    person: str, act: str, fields: dict[str, str], make_person: MakePerson, store: Store
) -> None:
    browser = make_person(person)
    before = content(store)
    assert browser.post(f"/u/{person}/{act}", fields | {"csrf_token": browser.csrf_token()}).status == 403
    assert content(store) == before
