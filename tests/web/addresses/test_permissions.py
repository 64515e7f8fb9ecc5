"""Permissions: everybody requests every address directly, with a valid token of their own."""

from typing import Any

import pytest

from tests.web.addresses.address import LOGGED_OUT, PEOPLE, Address
from tests.web.addresses.conftest import Everybody, MakePerson
from tests.web.addresses.table import FORMS, PAGES, TABLE
from tests.web.browser import JSON, Browser
from tests.web.state import content
from voteweb.store import Store


def test_page_is_shown_to_those_who_may_see_it(make_person: MakePerson, store: Store) -> None:
    browsers = {person: make_person(person) for person in PEOPLE}
    before = _without_unread(content(store))
    for address in PAGES:
        for person in address.allowed:
            assert browsers[person].open(address.url(person)).status == 200, (address, person)
    assert _without_unread(content(store)) == before


def _without_unread(stored: dict[str, Any]) -> dict[str, Any]:
    """Leave out which inbox entries are unread: the page of a comment reads its entry."""
    return {key: value for key, value in stored.items() if not key.startswith("unread:")}


def test_form_is_accepted_from_those_who_may_send_it(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in FORMS:
        for person in address.allowed:
            with subtests.test(str(address), person=person):
                browser = everybody.send(address, person)
                assert browser.status == address.accepted
                assert address.accepted != 303 or not browser.location.startswith("/login?")
                assert everybody.is_unchanged() is not (address.writes and person not in address.idle)


def test_others_are_refused_and_change_nothing(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in TABLE:
        for person in (person for person in PEOPLE if person not in address.allowed):
            with subtests.test(str(address), person=person):
                for as_json in (True, False):
                    browser = everybody.send(address, person, headers=JSON if as_json else {})
                    check_refusal(address, person, browser, as_json=as_json)
                    assert everybody.is_unchanged()


def check_refusal(address: Address, person: str, browser: Browser, *, as_json: bool) -> None:
    assert browser.status == address.status(person, as_json=as_json)
    if browser.status == 422 and not as_json:
        assert all(typed in browser.text for typed in address.kept)
    if browser.status == 303:
        assert browser.location.startswith("/login?next=/" if person in LOGGED_OUT else ("/", "/new#a"))
        assert person in LOGGED_OUT or not browser.location.startswith("/login")
