"""The pages of the site about itself: about, rules, privacy, and the way to them."""

import re
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser, MakeMember
from tests.web.escaping import assert_harmless
from voteweb.cli.run import _check_app
from voteweb.core.errors import ConfigError
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import Store

ZH = {"Accept-Language": "zh"}


def test_about_begins_with_what_who_rules_and_contact(make_browser: MakeBrowser) -> None:
    reader = make_browser(contact="mailto:us@news.example").open("/about")
    main = reader.page.one("main")
    links = main.values("href", "a")
    assert links[:5] == ["/signup", "/log", "/rules", "/privacy", "mailto:us@news.example"]
    parts = [main.text.index(part) for part in ("members post links", "Contact those who run", "How ranking works")]
    assert parts == sorted(parts)


def test_about_explains_with_two_articles_of_the_front_page(reader: Browser, store: Store) -> None:
    assert not reader.open("/about").page.all("ol", class_="example")
    start = int(time.time()) // 60 * 60 - 86_400
    factories.imported(store, title="Older <b>", time=start, votes=30)
    factories.imported(store, title="Newer", time=start + 4 * 3_600, votes=2)
    newer, older = reader.open("/about").page.one("ol", class_="example").texts("li")
    assert "has fewer votes, but it is newer" in reader.main
    assert (newer[:6], older[:10]) == ("Newer ", "Older <b> ")
    assert "+ 2 votes × 432 s (14 min 24 s) =" in newer


def test_privacy_tells_the_numbers_of_the_settings(make_browser: MakeBrowser) -> None:
    text = make_browser(session_days=12, voting_seconds=3 * 86_400, log="json").open("/privacy").main
    for words in ("12 days after the last form", "3 days from posting", "200 entries, for 90 days", "not the address"):
        assert words in text
    assert "has the time, the page and the address" in make_browser(log="json", log_addresses=1).open("/privacy").text
    text = make_browser(comments=0, fetch_titles=0, search=0).open("/privacy").main
    assert ("conversation" in text, "search" in text) == (False, False)


def test_rules_follow_the_settings(make_browser: MakeBrowser) -> None:
    text = make_browser(hold_posts=3, newcomer_days=0).open("/rules").main
    assert "The first 3 articles of a new member are shown once" in text
    assert "In their first" not in text


def test_operators_pages_replace_the_default_ones(
    make_browser: MakeBrowser, make_member: MakeMember, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "rules.md").write_text(
        "# House *rules*\n\n<script>alert(1)</script> [a](javascript:alert(1)) [b](//evil.example/)\n"
        "[us](mailto:us@news.example) [log](/log) [web](https://example.com/)"
    )
    (tmp_path / "rules.zh.md").write_text("本站规则", "utf-8")
    (tmp_path / "guide.md").write_text("Ask **zoe** first.")
    reader, mod = make_browser(pages_dir=str(tmp_path)), make_member("mod", Role.MODERATOR)
    assert "You can undo your own act" in mod.open("/guide").main
    mod = make_browser(pages_dir=str(tmp_path)).start_session(store.users.get("mod"))
    assert mod.open("/guide").page.one("div", class_="text").text == "Ask zoe first."
    text = reader.open("/rules").page.one("div", class_="text")
    assert text.one("h2").text == "House rules"
    assert [link["href"] for link in text.all("a") if "href" in link] == [
        "mailto:us@news.example", "/log", "https://example.com/",
    ]  # fmt: skip
    assert_harmless(reader.page, schemes=("mailto:",))
    assert reader.open("/rules", headers=ZH).page.one("div", class_="text").text == "本站规则"
    assert "If you only read" in reader.open("/privacy").main


@pytest.mark.parametrize(
    ("setting", "file", "content", "problem"),
    [
        ("pages_dir", "privacy.md", b"\xff", "privacy.md is not UTF-8 text: see byte 0. Save it as UTF-8."),
        (
            "brand_dir",
            "brand.toml",
            b'accent = "#dddddd"',
            "has a contrast of 1.32 : 1 with paper #fdfcf9, and needs 4.5",
        ),
    ],
)
def test_a_faulty_file_prevents_the_start_and_is_in_health(
    setting: str, file: str, content: bytes, problem: str, make_browser: MakeBrowser, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / file).write_bytes(content)
    folder: dict[str, Any] = {setting: str(tmp_path)}
    with pytest.raises(ConfigError, match=problem):
        _check_app(Settings(redis_url=settings.redis_url, secret_key="k" * 32, **folder))
    reader = make_browser(**folder)
    health = reader.open("/healthz").json
    assert (health["status"], problem in health["reasons"][0]) == ("degraded", True)
    assert reader.open("/").status == 200


def test_every_page_leads_to_the_pages_about_the_site(make_browser: MakeBrowser) -> None:
    for changes, contact in (({}, []), ({"contact": "https://news.example/help"}, ["https://news.example/help"])):
        footer = make_browser(**changes).open("/nowhere").page.one("footer")
        targets = ["/about", "/rules", "/privacy", "/log", "/feed.atom", "/comments", *contact]
        assert footer.values("href", "a") == targets


def test_front_page_and_articles_tell_readers_what_the_site_is(reader: Browser, bob: Browser, store: Store) -> None:
    factories.article(store, groups=("python",))
    for path in ("/good", "/groups", "/comments", "/u/ann"):
        assert not reader.open(path).page.all("p", class_="welcome"), path
    for path in ("/", "/a/1"):
        links = reader.open(path).page.one("p", class_="welcome").values("href", "a")
        assert links == ["/about", "/signup" if path == "/" else f"/signup?next={path}"]
        assert not bob.open(path).page.all("p", class_="welcome"), path


@pytest.mark.parametrize(
    ("number", "wrong"), [(1, r"\b1 (articles|days|votes)\b|前1篇"), (2, r"\b2 (article|day|vote)\b")]
)
def test_pages_have_the_right_form_for_each_number(number: int, wrong: str, make_browser: MakeBrowser) -> None:
    reader = make_browser(hold_posts=number, newcomer_days=number, session_days=number, good_votes=number)
    for address, headers in product(("/rules", "/privacy", "/about", "/good"), ({}, ZH)):
        assert not re.search(wrong, reader.open(address, headers=headers).text), address
