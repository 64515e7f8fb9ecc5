"""The page /metrics: its token, and what it counts."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeBrowser
from tests.web.limits import use_up
from tests.web.monitoring.samples import samples
from voteweb import __version__
from voteweb.app import create_app
from voteweb.core.errors import Unavailable
from voteweb.core.models import Reason
from voteweb.core.rate_limits import LOGIN_BY_NAME
from voteweb.core.settings import Settings
from voteweb.search.files import IndexFolder
from voteweb.search.indexer import Indexer
from voteweb.store import Store
from voteweb.store.connection.connection import Connection
from voteweb.store.server.health import BackupFacts

TOKEN = "a token of the operator's own"
Count = Callable[[str], float]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """A site with metrics, limits, cached pages and an index."""
    return replace(settings, metrics_token=TOKEN, page_seconds=60.0, limits=1, data_dir=str(tmp_path))


@pytest.fixture
def app(settings: Settings, store: Store) -> Flask:
    """A new app."""
    return create_app(settings, store)


@pytest.fixture
def count(app: Flask) -> Count:
    """A function that returns the value of a gauge on /metrics, or by how much a count has grown in this test."""

    def read() -> dict[str, float]:
        browser = Browser(app).open("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert browser.status == 200
        return samples(browser.response.data)

    before = {name: value for name, value in read().items() if re.search(r"_(total|count)(\{|$)", name)}
    return lambda name: read().get(name, 0) - before.get(name, 0)


def test_page_does_not_exist_without_a_token_in_the_settings(make_browser: MakeBrowser) -> None:
    site = make_browser(metrics_token="", page_seconds=0)
    for headers in ({}, {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": "Bearer "}):
        assert site.open("/metrics", headers=headers).status == 404


def test_page_needs_the_token(reader: Browser) -> None:
    """Neither in the query nor in a cookie."""
    reader.client.set_cookie("token", TOKEN)
    schemes = ("", "Bearer", "Bearer ", f"Basic {TOKEN}", "Basic dXNlcjpwYXNz", "Bearer ünïcode", "nonsense")
    tokens = (f"Bearer {token}" for token in ("another token entirely", TOKEN[:-1], f"{TOKEN}s"))
    for headers in ({}, *({"Authorization": typed} for typed in (*schemes, *tokens))):
        reader.open(f"/metrics?token={TOKEN}", headers=headers)
        assert reader.status == 401, headers
        assert reader.headers["WWW-Authenticate"] == "Bearer"
        assert "voteweb_" not in reader.text
    reader.open("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (reader.status, reader.response.cache_control.no_store) == (200, True)
    assert reader.response.content_type == "text/plain; charset=utf-8"
    assert reader.open("/metrics").status == 401


def test_requests_are_counted_by_route_and_not_by_address(reader: Browser, bob: Browser, count: Count) -> None:
    for address in ("/", "/", "/a/77", "/a/78", "/nowhere", "/static/site.css"):
        reader.open(address)
    for _ in range(2):  # the second time it is a page that members share
        bob.open("/new")
    counts = [
        count(f"voteweb_request_seconds_count{{page={page},route={route},status={status}}}")
        for page, route, status in (
            ("miss", "lists.front", 200),
            ("hit", "lists.front", 200),
            ("pass", "articles.show", 404),
            ("pass", "unknown", 404),
            ("pass", "static", 200),
            ("pass", "lists.new", 200),
        )
    ]
    assert counts == [1, 1, 2, 1, 1, 2]


def test_page_that_the_browser_has_is_counted_as_304(app: Flask, reader: Browser, count: Count) -> None:
    tag = reader.open("/feed.atom").headers["ETag"]
    store = app.extensions["voteweb.store"]
    Browser(create_app(store.context.settings, store)).open("/feed.atom", headers={"If-None-Match": tag})
    assert count("voteweb_request_seconds_count{page=miss,route=feeds.front,status=304}") == 1


def test_votes_are_counted_by_outcome(ann: Browser, bob: Browser, reader: Browser, count: Count, store: Store) -> None:
    factories.article(store, factories.user(store, "ann"))
    factories.imported(store)
    token = bob.csrf_token()
    for act, id in (("vote", 1), ("vote", 1), ("unvote", 1), ("unvote", 1), ("vote", 2), ("vote", 99)):
        bob.post(f"/a/{id}/{act}", {"csrf_token": token}, headers=JSON if id == 99 else {})
    ann.send("/a/1/unvote")
    reader.post("/a/1/vote")
    outcomes = "counted already-voted taken-back not-voted voting-closed unknown-article own-vote".split()
    assert {outcome: count(f"voteweb_votes_total{{outcome={outcome}}}") for outcome in outcomes} == dict.fromkeys(
        outcomes, 1
    )


def test_log_ins_sign_ups_and_refusals_are_counted(reader: Browser, ann: Browser, count: Count, store: Store) -> None:
    before = count("voteweb_logins_total{outcome=in}")
    reader.log_in("ann", "a wrong password")
    reader.log_in("ann")
    assert count("voteweb_logins_total{outcome=refused}") == 1
    assert count("voteweb_logins_total{outcome=in}") == before + 1
    newcomer = Browser(reader.client.application).open("/signup")
    newcomer.submit("/signup", username="newcomer", password=PASSWORD).log_out()
    assert count("voteweb_signups_total") == 1
    use_up(store, LOGIN_BY_NAME, "nobody")
    assert newcomer.log_in("nobody", "a wrong password").status == 429
    assert count("voteweb_limits_total{limit=guess}") == 1


def test_what_an_operator_watches_is_shown(reader: Browser, bob: Browser, count: Count, store: Store) -> None:
    store.reports.make(factories.article(store).id, bob.user, Reason.SPAM, "")
    run(store, "SET", "log:", "x")
    store.health.record_backup(BackupFacts(time.time() - 7_200, 12_345))
    reader.open("/log")
    assert (count("voteweb_articles"), count("voteweb_members"), count("voteweb_redis_up")) == (1, 2, 1)
    assert abs(count("voteweb_backup_age_seconds") - 7_200) < 60
    assert count("voteweb_backup_bytes") == 12_345
    assert count("voteweb_damaged_total") == 1
    assert count("voteweb_open_reports") == 1
    assert count("voteweb_workers") == 1
    assert count(f"voteweb_build{{site=,version={__version__}}}") == 1
    assert count("voteweb_redis_memory_bytes") > 0
    assert count("voteweb_degraded_reasons") >= 1, "there is no index of search, and the log is damaged"


def test_round_trips_are_timed(reader: Browser, count: Count) -> None:
    name = "voteweb_redis_seconds_count"
    first, second = count(name), count(name)
    reader.open("/new")
    assert count(name) > second + (second - first), "more than /metrics alone"


def test_searches_are_counted_by_outcome(reader: Browser, count: Count, settings: Settings, store: Store) -> None:
    reader.open("/search?q=lisp")
    assert count("voteweb_search_seconds_count{outcome=search-not-ready}") == 1
    assert count("voteweb_search_up") == 0
    factories.article(store, title="Common Lisp")
    Indexer(IndexFolder(settings.search_folder), store.search).catch_up()
    reader.open("/search?q=lisp")
    assert count("voteweb_search_seconds_count{outcome=ok}") == 2, "articles, and the number of comments"
    assert (count("voteweb_search_up"), count("voteweb_search_rows{kind=articles}")) == (1, 1)
    assert count("voteweb_search_lag_seconds") >= 0


def test_page_works_without_redis(count: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Unavailable

    monkeypatch.setattr(Connection, "retry_until_deadline", fail)
    assert count("voteweb_redis_up") == 0
