"""Rows of lists that are kept: each viewer gets them as they are now."""

import time
from types import SimpleNamespace

import pytest

from tests import factories
from tests.store.examination import run
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from voteweb.store import Store
from voteweb.web.base import context


def test_rows_change_with_the_time(bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.article(store)
    pages = []
    for age in (0, 90, 90, 0, 8 * 86_400):
        clock = SimpleNamespace(time=lambda age=age: time.time() + age)
        monkeypatch.setattr(context, "time", clock)
        page = bob.open("/new").text
        pages.append(("just now" in page, "1 minute ago" in page, "/a/1/vote" in page))
    young, minute, closed = (True, False, True), (False, True, True), (False, False, False)
    assert pages == [young, minute, minute, young, closed]


def test_cached_rows_have_no_button_for_posters_or_waiting_accounts(
    bob: Browser, reader: Browser, make_member: MakeMember, store: Store
) -> None:
    factories.article(store)
    ann = make_member("ann").send("/u/bob/hide")  # so that she gets no page of all members
    run(store, "SREM", "voted:1", ann.user.id)  # her vote would tell her row from that of others
    hal = reader.start_session(store.users.make("hal", "hash", network="", request="I write about compilers."))
    viewers = (bob, ann, bob, hal, bob, ann, hal)
    buttons = ["/a/1/vote" in browser.open("/new").text for browser in viewers]
    assert buttons == [browser is bob for browser in viewers]
