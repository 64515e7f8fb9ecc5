"""The site about itself."""

from dataclasses import replace

import pytest

from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import Store


def test_health_is_for_machines(reader: Browser) -> None:
    assert reader.open("/healthz").answer.json == {"status": "ok", "reasons": []}
    assert reader.answer.content_type == "application/json"
    assert reader.answer.headers["Cache-Control"] == "no-store"


def test_health_tells_what_is_set_up_wrongly(settings: Settings, fake_store: Store) -> None:
    for proxies, status in ((0, "degraded"), (1, "ok")):
        site = replace(settings, site_url="https://news.example", trusted_proxies=proxies)
        reader = Browser(create_app(site, fake_store)).open("/healthz")
        assert (reader.status, reader.answer.json["status"]) == (200, status)
        assert all("VOTEWEB_TRUSTED_PROXIES" in reason for reason in reader.answer.json["reasons"])


def test_health_tells_what_is_wrong_with_the_database(
    reader: Browser, fake_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_store.health, "warnings", lambda: ["Nothing is kept on disk."])
    answer = {"status": "degraded", "reasons": ["Nothing is kept on disk."]}
    assert (reader.open("/healthz").status, reader.answer.json) == (200, answer)


def test_about_explains_the_ranking_with_the_sites_own_numbers(reader: Browser) -> None:
    words = reader.open("/about").page.one("main").words
    assert "plus 432 seconds for each vote" in words
    assert "7 min 12 s later" in words
    assert "An article with 200 votes competes with articles that are 1 day newer." in words
    assert "Votes are taken for 7 days" in words
    assert "The poster's own vote is counted from the start and stays." in words
    assert "in up to 5" in words


def test_about_follows_the_settings(settings: Settings, fake_store: Store) -> None:
    other = replace(settings, vote_score=100.0, own_vote=0, good_votes=36, max_groups=9, site_name="<b>My</b> news")
    reader = Browser(create_app(other, fake_store)).open("/about")
    words = reader.page.one("main").words
    assert "plus 100 seconds for each vote" in words
    assert "An article with 36 votes competes with articles that are 1 h newer." in words
    assert "The poster's own vote is not counted." in words
    assert "in up to 9" in words
    assert reader.page.one("a", class_="wordmark").words == "<b>My</b> news"


@pytest.mark.parametrize("name", ["site.css", "site.js", "vote.js", "icon.svg"])
def test_static_files_are_served_for_a_year(name: str, reader: Browser) -> None:
    assert reader.open(f"/static/{name}").status == 200
    assert reader.answer.headers["Cache-Control"] == "public, max-age=31536000"


def test_pages_name_their_files_by_content(reader: Browser) -> None:
    page = reader.open("/").page
    for address in (
        page.one("script")["src"],
        page.one("link", rel="stylesheet")["href"],
        page.one("link", rel="icon")["href"],
    ):
        assert "?v=" in address
        assert reader.open(address).status == 200


@pytest.mark.parametrize(
    ("missing", "says"), [("secret_key", "VOTEWEB_SECRET_KEY"), ("redis_url", "VOTEWEB_REDIS_URL")]
)
def test_a_site_does_not_start_without_what_it_needs(missing: str, says: str, settings: Settings) -> None:
    with pytest.raises(ConfigError, match=says):
        create_app(replace(settings, **{missing: ""}))


def test_a_key_that_can_be_guessed_is_refused(settings: Settings) -> None:
    with pytest.raises(ConfigError, match=r"VOTEWEB_SECRET_KEY is too short: .*secrets\.token_urlsafe") as refusal:
        create_app(replace(settings, secret_key="change me"))
    assert "change me" not in str(refusal.value)


def test_a_site_opens_its_own_store(settings: Settings, store: Store) -> None:
    app = create_app(settings)
    assert Browser(app).open("/").status == 200
    app.extensions["voteweb.store"].connection.client.close()
