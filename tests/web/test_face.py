"""The face of a site, which admins change while it runs: name, contact, colour and texts, in every process."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests import factories
from tests.brand import write_brand
from tests.web.aging import Clock as PageClock
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import Clock, CountRoundTrips, MakeApp, MakeMember
from tests.web.escaping import assert_harmless
from voteweb.app import create_app
from voteweb.core import config
from voteweb.core.config import EARLIER_TEXTS, MAX_TEXT_LENGTH
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store

NAME, CONTACT, ACCENT = 'Ferry & <b title="x">', "mailto:us@ferry.example", "#0b4f8a"
TEXT = "Only **ferries**, see [the log](/log).\n\n<b>No HTML.</b>"


@pytest.fixture
def root(make_member: MakeMember, store: Store) -> Browser:
    """An admin."""
    factories.article(store)
    return make_member("root", Role.ADMIN)


def give_face(root: Browser) -> None:
    """Give the site a face by the forms of its pages."""
    for name, value in (("name", NAME), ("contact", "us@ferry.example"), ("accent", ACCENT.upper())):
        root.open("/admin").submit(f"/admin/{name}", value=value)
        assert root.follow().flashes == ["Saved. It holds everywhere within a second."], root.main
    for name in ("rules", "privacy", "guide"):
        root.fill_in(f"/admin/{name}", text=TEXT)
        assert root.follow().flashes == ["Saved. It holds everywhere within a second."], root.main


def has_face(browser: Browser, *pages: str) -> list[bool]:
    """Tell of each page whether it has name, contact and colour."""
    shown = []
    for address in pages:
        page = browser.open(address).page
        css = browser.open(page.one("link", rel="stylesheet")["href"])
        parts = [
            page.one("title").text.endswith(f" · {NAME}"),
            page.one("a", class_="wordmark").text == NAME,
            bool(page.one("footer").all("a", href=CONTACT)),
            f"--accent: light-dark({ACCENT}, #9db9d0);" in css.text,
        ]
        assert len(set(parts)) == 1, (address, parts)
        assert css.headers["Cache-Control"].endswith("immutable")
        shown.append(parts[0])
    return shown


@pytest.mark.parametrize("page_seconds", [0.0, 60.0])
def test_a_face_holds_in_every_process_within_a_second(
    page_seconds: float, root: Browser, store: Store, settings: Settings, switch_clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Two servers have each a reader and a member, who look at pages that are kept for much longer."""
    PageClock().rule(monkeypatch)
    kept = replace(settings, page_seconds=page_seconds)
    apps = [create_app(kept, build_store(store.connection, kept)) for _ in range(2)]
    bob = factories.user(store, "bob")
    browsers = [browser for app in apps for browser in (Browser(app), Browser(app).start_session(bob))]
    pages = ("/", "/new", "/a/1", "/rules", "/nowhere")
    files = ("/feed.atom", "/feed.json", "/manifest.webmanifest", "/opensearch.xml", "/groups.opml")
    for _ in range(2):
        assert [has_face(browser, *pages) for browser in browsers] == [[False] * 5] * 4
    tags = [[browser.open(file).headers["ETag"] for file in files] for browser in browsers]
    give_face(root)
    switch_clock.now += 1.01
    for browser, before in zip(browsers, tags, strict=True):
        assert has_face(browser, *pages) == [True] * 5
        assert "<strong>ferries</strong>" in browser.open("/rules").text
        assert "What this program" not in browser.text
        for file, tag in zip(files, before, strict=True):
            assert browser.open(file, headers={"If-None-Match": tag}).status == 200, file
        assert browser.open("/feed.json").json["title"].startswith(f"{NAME}: ")
        assert json.loads(browser.open("/manifest.webmanifest").text)["theme_color"] == ACCENT
    for name in ("name", "contact", "accent"):
        root.open("/admin").submit(f"/admin/{name}", value=" ")
    root.fill_in("/admin/rules", text="")
    switch_clock.now += 1.01
    for browser in browsers:
        assert has_face(browser, *pages) == [False] * 5
        assert "Post what is worth reading." in browser.open("/rules").main


def test_an_idle_process_has_the_stylesheet_that_another_names(
    root: Browser, store: Store, settings: Settings, switch_clock: Clock
) -> None:
    one, other = (Browser(create_app(settings, build_store(store.connection, settings))) for _ in range(2))
    other.open("/")
    give_face(root)
    switch_clock.now += 1.01
    address = one.open("/").page.one("link", rel="stylesheet")["href"]
    assert ACCENT in other.open(address).text
    assert other.headers["Cache-Control"].endswith("immutable")


def test_texts_are_shown_and_log_and_pages_repeat_no_markup(root: Browser, reader: Browser) -> None:
    give_face(root)
    for browser, address in ((reader, "/rules"), (root, "/guide")):
        text = browser.open(address).page.one("main").one(class_="text").text
        assert text == "Only ferries , see the log . <b>No HTML.</b>"
    assert "Your name, and what you post" in reader.open("/privacy").main, "what the program does stays true"
    assert "What this site adds Only ferries , see the log ." in reader.main
    assert_harmless(reader.page, schemes=("mailto:",))
    assert reader.open("/log").log == [
        "root changed the text of the guide for moderators",
        "root changed what the site adds to its privacy page",
        "root changed the text of the rules",
        "root changed the accent colour of the site",
        "root changed the contact of the site",
        "root changed the name of the site",
    ]
    assert reader.open("/log").page.all("p", class_="announcement") == []
    assert "ferr" not in reader.main.lower()
    root.fill_in("/admin/guide", text="")
    root.send("/admin/name", value="")
    assert reader.open("/log").log[:2] == [
        "root left the name of the site to the settings again",
        "root gave the guide for moderators its usual text again",
    ]


def test_a_text_is_previewed_before_it_is_saved(root: Browser, reader: Browser) -> None:
    root.open("/admin/rules")
    root.submit("/admin/rules", text=TEXT, preview="1")
    assert root.status == 200
    assert root.page.one("section", class_="preview").one("strong").text == "ferries"
    assert root.page.one("textarea").text == TEXT.replace("\n\n", " ")
    assert_harmless(root.page)
    assert "ferries" not in reader.open("/rules").main


def test_a_refused_text_keeps_what_was_typed(root: Browser, mod: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (mod.open("/admin/rules").status, mod.send("/admin/rules", text="x").status) == (403, 403)
    long = "x" * (MAX_TEXT_LENGTH + 1)
    root.fill_in("/admin/rules", text=long)
    assert (root.status, root.page.one("textarea").text) == (422, long)
    assert root.field_error("text").startswith("A text can have at most 20,000 characters")
    root.open("/admin/rules")
    monkeypatch.setattr(config, "PASSWORD_CHECK_SECONDS", 0)
    root.submit("/admin/rules", text=TEXT)
    assert (root.status, root.value("text").split()) == (403, TEXT.split())
    root.submit("/admin/rules", **{"own-password": PASSWORD})
    assert root.follow().page.one("textarea").text.startswith("Only **ferries**")


def test_the_last_texts_are_kept_and_lead_back(root: Browser, reader: Browser) -> None:
    for number in (*range(EARLIER_TEXTS + 2), EARLIER_TEXTS + 1):
        root.fill_in("/admin/rules", text=f"Text {number}")
    rows = root.follow().page.one("section", aria_labelledby="versions-heading").all("li")
    assert [row.one("a").text for row in rows] == [f"Text {number}" for number in range(EARLIER_TEXTS + 1, 0, -1)]
    assert ["in force" in row.text for row in rows] == [True] + [False] * EARLIER_TEXTS
    root.open(rows[2].one("a")["href"])
    assert (root.page.one("textarea").text, "Text 4" in root.page.one(class_="preview").text) == ("Text 4", True)
    assert reader.open("/rules").page.one(class_="text").text == "Text 6"
    root.submit("/admin/rules")
    assert reader.open("/rules").page.one(class_="text").text == "Text 4"
    root.fill_in("/admin/rules", text="")
    assert "Post what is worth reading." in reader.open("/rules").main
    root.open("/admin/rules")
    assert root.page.one("textarea").text == ""
    assert "Text 4" in root.page.one("section", aria_labelledby="versions-heading").text
    assert "in force" not in root.main


def test_what_the_operator_has_set_goes_first(make_app: MakeApp, root: Browser, tmp_path: Path) -> None:
    give_face(root)
    brand, pages = tmp_path / "brand", tmp_path / "pages"
    for folder in (brand, pages):
        folder.mkdir()
    write_brand(brand)
    (brand / "brand.toml").write_text('accent = "#224422"')
    for name in ("rules", "privacy", "guide"):
        (pages / f"{name}.zh.md").write_text("操作员")
    (pages / "rules.md").write_text("The operator's rules.")
    app = make_app(site_name="Harbour", contact="https://harbour.example/", brand_dir=str(brand), pages_dir=str(pages))
    reader, admin = Browser(app), Browser(app).start_session(root.user)
    page = reader.open("/rules").page
    assert page.one("title").text == "Rules · Harbour"
    assert page.one("footer").all("a", href="https://harbour.example/")
    assert "The operator's rules." in reader.main
    assert "#224422" in reader.open(page.one("link", rel="stylesheet")["href"]).text
    assert "操作员" in reader.open("/privacy", headers={"Accept-Language": "zh"}).main
    assert "What this site adds" in reader.open("/privacy").main
    assert admin.open("/admin").page.texts("p", role="note") == [
        "VOTEWEB_SITE_NAME says Harbour, and goes before this.",
        "VOTEWEB_CONTACT says https://harbour.example/, and goes before this.",
        "brand.toml says #224422, and goes before this.",
    ]
    assert "The operator's files go before this: rules.md, rules.zh.md." in admin.open("/admin/rules").main
    assert "go before this: guide.zh.md." in admin.open("/admin/guide").main


def test_a_text_takes_no_page_a_round_trip_more(
    root: Browser, reader: Browser, store: Store, switch_clock: Clock, count_round_trips: CountRoundTrips
) -> None:
    give_face(root)
    pages = [("/rules", reader, 0), ("/privacy", reader, 0), ("/guide", root, 1), ("/admin/rules", root, 1)]
    assert [count_round_trips(browser.open, address) for address, browser, _ in pages] == [trips for *_, trips in pages]

    def open_later() -> None:
        switch_clock.now += 1.01
        reader.open("/rules")

    assert count_round_trips(open_later) == 1, "the texts are read again only when one has changed"
