"""``/metrics``: for whoever has the operator's token, and what it counts of the site at work."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.test_metrics import samples
from tests.web.browser import JSON, Browser
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.errors import Unavailable
from voteweb.store import Store
from voteweb.store.connection.connection import Connection

TOKEN = "a token of the operator's own"
Count = Callable[[str], float]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site that counts, with its limits on and its pages kept."""
    return replace(settings, metrics_token=TOKEN, page_seconds=60.0, limits=1)


@pytest.fixture
def app(settings: Settings, fake_store: Store) -> Flask:
    """An app of its own, that has counted nothing yet."""
    return create_app(settings, fake_store)


@pytest.fixture
def count(app: Flask) -> Count:
    """Tells how much of something has been counted, by the name of its sample."""

    def ask(name: str) -> float:
        prometheus = Browser(app).open("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert prometheus.status == 200
        return samples(prometheus.answer.data).get(name, 0)

    return ask


def test_without_a_token_in_the_settings_there_is_no_such_page(settings: Settings, fake_store: Store) -> None:
    site = Browser(create_app(replace(settings, metrics_token=""), fake_store))
    for headers in ({}, {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": "Bearer "}):
        assert site.open("/metrics", headers=headers).status == 404


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer another token entirely",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}s",
        f"Basic {TOKEN}",
        "Basic dXNlcjpwYXNz",
        "Bearer ünïcode",
        "nonsense",
    ],
)
def test_it_is_closed_to_whoever_does_not_send_the_token(sent: str | None, reader: Browser) -> None:
    headers = {} if sent is None else {"Authorization": sent}
    reader.open("/metrics", headers=headers)
    assert reader.status == 401
    assert reader.answer.headers["WWW-Authenticate"] == "Bearer"
    assert "voteweb_" not in reader.answer.text


def test_a_token_in_the_address_or_a_cookie_does_not_count(reader: Browser) -> None:
    reader.client.set_cookie("token", TOKEN)
    assert reader.open(f"/metrics?token={TOKEN}").status == 401


def test_nobody_is_ever_sent_it_from_a_cache(reader: Browser) -> None:
    reader.open("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert reader.answer.cache_control.no_store
    assert reader.answer.content_type == "text/plain; charset=utf-8"
    assert "Set-Cookie" not in reader.answer.headers
    assert reader.open("/metrics").status == 401


def test_requests_are_counted_by_the_name_of_their_view_and_never_by_their_address(
    reader: Browser, count: Count
) -> None:
    name = "voteweb_request_seconds_count{page=%s,route=%s,status=%s}"
    for address in ("/", "/", "/new", "/a/77", "/a/78", "/nowhere", "/reset/secret", "/static/site.css"):
        reader.open(address)
    assert count(name % ("miss", "articles.front", 200)) == 1
    assert count(name % ("hit", "articles.front", 200)) == 1
    assert count(name % ("miss", "articles.new", 200)) == 1
    assert count(name % ("pass", "articles.show", 404)) == 2
    assert count(name % ("pass", "unknown", 404)) == 1
    assert count(name % ("pass", "auth.reset", 410)) == 1
    assert count(name % ("pass", "static", 200)) == 1


def test_votes_are_counted_by_what_became_of_them(
    ann: Browser, bob: Browser, reader: Browser, count: Count, fake_store: Store
) -> None:
    factories.article(fake_store, factories.user(fake_store, "ann"))
    factories.imported(fake_store)
    token = bob.token()
    for act, id in (("vote", 1), ("vote", 1), ("unvote", 1), ("unvote", 1), ("vote", 2), ("vote", 99)):
        bob.post(f"/a/{id}/{act}", {"csrf_token": token}, headers=JSON if id == 99 else {})
    ann.post("/a/1/unvote", {"csrf_token": ann.token()})
    reader.post("/a/1/vote")
    outcomes = "counted already-voted taken-back not-voted voting-closed unknown-article own-vote".split()
    assert {each: count(f"voteweb_votes_total{{outcome={each}}}") for each in outcomes} == dict.fromkeys(outcomes, 1)


def test_refusals_of_limits_are_counted_by_their_kind(reader: Browser, count: Count) -> None:
    for _ in range(12):
        reader.log_in("nobody-of-this-name", "a wrong password")
    assert reader.status == 429
    assert count("voteweb_limits_total{limit=guess}") == 2


def test_it_says_how_many_articles_and_members_there_are(ann: Browser, count: Count, fake_store: Store) -> None:
    factories.article(fake_store)
    assert (count("voteweb_articles"), count("voteweb_members"), count("voteweb_redis_up")) == (1, 1, 1)


def test_round_trips_are_timed(reader: Browser, count: Count) -> None:
    before = count("voteweb_redis_seconds_count")
    reader.open("/new")
    assert count("voteweb_redis_seconds_count") == before + 2, "the page, and the look at the counts itself"


def test_it_answers_while_redis_is_away(count: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise Unavailable

    monkeypatch.setattr(Connection, "insist", away)
    assert count("voteweb_redis_up") == 0
