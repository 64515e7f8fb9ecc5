"""The health of the site, /about, and a refused start."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from tests.web.fixed_index import FixedIndex
from voteweb.app import create_app
from voteweb.core.config import ADDRESS_HEADER, NAMELESS_PROXY_SECONDS, SECURITY_TXT_DAYS
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.server.health import HealthChecks
from voteweb.web.requests import security


def test_health_is_json_that_nobody_stores(make_browser: MakeBrowser) -> None:
    for settings in ({}, {"site": "cooking"}):
        reader = make_browser(**settings).open("/healthz")
        assert reader.json == {"status": "ok", "reasons": [], **settings}
        assert reader.headers["Cache-Control"] == "no-store"


def test_health_reports_a_proxy_that_names_no_visitor(
    make_browser: MakeBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = monotonic()
    monkeypatch.setattr(security, "monotonic", lambda: now)
    # No other test has asked this site, whose app would remember it.
    reader = make_browser(site_url="https://proxied.example", trusted_proxies=1)
    for address, status in (("203.0.113.7", "ok"), ("", "degraded"), ("::1", "degraded")):
        reader.open("/about", headers={ADDRESS_HEADER: address})
        for _ in range(2):  # monitors ask without the proxy
            assert reader.open("/healthz").json["status"] == status
    assert "voteweb deploy caddy --install" in reader.json["reasons"][0]
    now += NAMELESS_PROXY_SECONDS
    assert reader.open("/healthz").json["status"] == "ok"
    reader.open("/about", headers={ADDRESS_HEADER: "unknown"})
    assert reader.open("/healthz").json["status"] == "degraded"


def test_degraded_health_names_database_search_and_settings_with_status_200(
    make_browser: MakeBrowser, index: FixedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HealthChecks, "warnings", lambda _: ["Nothing is kept on disk."])
    index.age = 20.1
    reader = make_browser(site_url="https://news.example").open("/healthz")
    assert (reader.status, reader.json["status"]) == (200, "degraded")
    for reason in ("Nothing is kept on disk.", "Search is 20 s behind", "VOTEWEB_TRUSTED_PROXIES"):
        assert reason in reader.text


def test_a_python_without_full_text_search_serves_all_else(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(sqlite3, "connect", connect)
    reader = Browser(create_app(settings, store))
    assert reader.open("/healthz").json["reasons"][0].startswith("This Python has no full-text search")
    assert (reader.status, reader.open("/search?q=x").status, reader.open("/").status) == (200, 404, 200)
    assert not reader.page.all("form", role="search")


def test_the_contact_is_published_for_vulnerabilities(make_browser: MakeBrowser) -> None:
    reader = make_browser(contact="mailto:safe@news.example", site_url="https://news.example/")
    reader.open("https://news.example/.well-known/security.txt")
    assert reader.response.mimetype == "text/plain"
    contact, expires, *others = reader.text.splitlines()
    assert contact == "Contact: mailto:safe@news.example"
    in_days = (datetime.fromisoformat(expires.removeprefix("Expires: ")) - datetime.now(UTC)).days
    assert in_days in (SECURITY_TXT_DAYS - 1, SECURITY_TXT_DAYS)
    assert others == ["Canonical: https://news.example/.well-known/security.txt", "Preferred-Languages: en, zh"]


def test_about_follows_the_settings(make_browser: MakeBrowser) -> None:
    reader = make_browser(vote_score=100.0, own_vote=0, good_votes=36, max_groups=9, site_name="<b>My</b> news")
    reader.open("/about")
    text = reader.main
    assert "plus 100 seconds for each vote" in text
    assert "An article with 36 votes competes with articles that are 1 h newer." in text
    assert "The poster's own vote is not counted." in text
    assert reader.page.one("a", class_="wordmark").text == "<b>My</b> news"


def test_a_bounded_lift_is_explained(make_browser: MakeBrowser, store: Store) -> None:
    reader = make_browser(vote_score=86_400.0, good_votes=200, lift_days=2)
    reader.open("/about")
    text = reader.main
    assert "An article with 200 votes competes with articles that are 2 days newer." in text
    assert "Votes lift an article by 2 days at most" in text
    factories.imported(store, votes=3)
    reader.open("/a/1")
    assert "3 votes × 86,400 s = 3 days, of which 2 days count" in reader.page.one("p", id="why").text


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("redis_url", "", "VOTEWEB_REDIS_URL"),
        ("secret_key", "", r"VOTEWEB_SECRET_KEY is missing: .* embedded database, .*secret\.key has it"),
        ("secret_key", "change me", r"VOTEWEB_SECRET_KEY is too short: .*secrets\.token_urlsafe"),
    ],
)
def test_site_does_not_start_without_database_or_key(
    setting: str, value: str, message: str, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "secret.key").write_text("the key of the members' recovery codes")
    with pytest.raises(ConfigError, match=message) as refusal:
        create_app(replace(settings, data_dir=str(tmp_path), **{setting: value}))
    assert "change me" not in str(refusal.value)
