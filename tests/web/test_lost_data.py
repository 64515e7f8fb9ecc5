"""A database that was emptied, or became another site's: nobody is served, and the way back needs no restart."""

import pytest
from flask import Flask

from tests import factories
from tests.store.backup.copying import back_up, begin_restore
from tests.store.examination import run, snapshot
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import Clock, MakeApp
from voteweb.app import create_app
from voteweb.core.config import SITE_ID_VARIABLE
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store

WORDS = "The site has lost its data"
#: What happens to the data of a running site.
LOSSES = [["FLUSHALL"], ["HSET", "site:", "id", "f" * 16], ["SET", "restoring:", "1"]]


@pytest.fixture
def served(app: Flask, store: Store) -> Store:
    """The site, which knows its data."""
    store.site_settings.take_settings()
    factories.article(store, groups=("go",))
    return store


@pytest.mark.parametrize("loss", LOSSES)
def test_no_page_and_no_form_is_served_without_the_data(
    served: Store, reader: Browser, bob: Browser, switch_clock: Clock, loss: list[str]
) -> None:
    token = bob.open("/").csrf_token()
    for _ in range(2):  # kept for members
        bob.open("/a/1")
    assert reader.open("/signup").status == 200
    run(served, *loss)
    switch_clock.now += 1.01
    before = snapshot(served)
    typed = {"username": "adm1", "password": PASSWORD}
    for browser in (reader, bob):
        for path in ("/", "/a/1", "/signup", "/feed.atom", "/nowhere"):
            assert browser.open(path).status == 503, path
            assert WORDS in browser.text
            assert browser.headers["Retry-After"] == "60"
        assert browser.send("/signup", **typed).status == 503
    assert bob.send("/a/1/vote", headers=JSON, csrf_token=token).json["error"]["code"] == "data-lost"
    assert reader.open("/healthz").status == 503
    assert reader.json["status"] == "down"
    assert snapshot(served) == before


@pytest.mark.parametrize("loss", LOSSES)
def test_nobody_signs_up_in_the_second_after_the_loss(served: Store, reader: Browser, loss: list[str]) -> None:
    reader.open("/signup")
    run(served, *loss)
    assert reader.send("/signup", username="adm1", password=PASSWORD).status == 503
    assert not run(served, "EXISTS", "user:adm1")


def test_a_restore_ends_it_without_a_restart(served: Store, reader: Browser, switch_clock: Clock) -> None:
    copy = back_up(served)
    run(served, "FLUSHALL")
    switch_clock.now += 1.01
    assert reader.open("/").status == 503
    restore = begin_restore(served)
    restore.write(copy)
    switch_clock.now += 1.01
    assert reader.open("/").status == 503
    restore.finish()
    switch_clock.now += 1.01
    assert served.articles.get(1).title in reader.open("/").text
    assert reader.open("/healthz").json == {"status": "ok", "reasons": []}


def test_a_worker_that_starts_after_the_loss_knows_of_it(
    served: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SITE_ID_VARIABLE, served.context.site_id or "")
    run(served, "FLUSHALL")
    reader = Browser(create_app(settings, build_store(served.connection, settings)))
    assert WORDS in reader.open("/").text
    assert reader.open("/healthz").status == 503
    assert run(served, "DBSIZE") == 0


def test_a_site_whose_data_have_no_id_yet_is_served(
    make_app: MakeApp, served: Store, reader: Browser, switch_clock: Clock
) -> None:
    run(served, "HDEL", "site:", "id")
    switch_clock.now += 1.01
    assert reader.open("/").status == 200
