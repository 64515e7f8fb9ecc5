"""A site with a made-up brand: its pictures, colours, links and texts, and what they cannot do."""

import json
from pathlib import Path

import pytest

from tests.brand import write_brand
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser

ZH = {"Accept-Language": "zh"}


@pytest.fixture
def branded(make_browser: MakeBrowser, tmp_path: Path) -> Browser:
    """A reader of a site with a brand."""
    return make_browser(brand_dir=str(write_brand(tmp_path)), site_name="Ferry <Gazette>", page_seconds=1)


def test_pages_have_logo_icon_and_footer(branded: Browser) -> None:
    page = branded.open("/").page
    logo = page.one("a", class_="wordmark").one("img")
    assert logo["src"].startswith("/static/brand-logo.svg?v=")
    assert (logo["alt"], logo["width"], logo["height"]) == ("Ferry <Gazette>", "101", "28")
    icon = page.one("link", rel="icon")
    assert icon["href"].startswith("/static/brand-icon.svg?v=")
    footer = page.one("footer")
    assert footer.values("href", "a")[-3:] == [
        "https://ferry.example/times", "https://ferry.example/", "https://ferry.example/quay",
    ]  # fmt: skip
    assert "Published by the Ferry Society" in footer.text
    assert "渡口新闻" in branded.open("/", headers=ZH).page.one("footer").text
    assert branded.open("/nowhere").page.one("footer").all("a", href="https://ferry.example/times")


def test_stylesheet_has_the_accent_at_an_address_of_its_own(branded: Browser, reader: Browser) -> None:
    own, common = (person.open("/").page.one("link", rel="stylesheet")["href"] for person in (branded, reader))
    assert own != common
    css = branded.open(own).response
    assert css.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    text = css.text
    assert text.index("#f0957f);") < text.index("--accent: light-dark(#0b4f8a, #9db9d0);")
    assert "#0b4f8a" not in reader.open(common).text


def test_pictures_are_pictures_only(branded: Browser) -> None:
    page = branded.open("/").page
    response = branded.open(page.one("a", class_="wordmark").one("img")["src"]).response
    assert response.mimetype == "image/svg+xml"
    sandbox, policy = response.headers.get_all("Content-Security-Policy")
    assert "default-src 'none'; script-src 'self'" in policy
    assert sandbox == "sandbox"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("/favicon.ico", "/apple-touch-icon.png"):
        assert branded.open(path).response.mimetype == "image/png"
    manifest = json.loads(branded.open("/manifest.webmanifest").response.data)
    assert manifest["theme_color"] == "#0b4f8a"
    assert [icon["sizes"] for icon in manifest["icons"]] == ["any", "192x192"]


def test_an_svg_icon_alone_shows_nothing_of_the_program(make_browser: MakeBrowser, tmp_path: Path) -> None:
    write_brand(tmp_path)
    for name in ("icon.png", "logo.svg"):
        (tmp_path / name).unlink()
    reader = make_browser(brand_dir=str(tmp_path))
    page = reader.open("/about").page
    assert page.one("a", class_="wordmark").one("img")["src"].startswith("/static/brand-icon.svg?v=")
    assert not page.all("link", rel="apple-touch-icon")
    assert not page.all("meta", property="og:image")
    assert reader.open("/favicon.ico").status == 404
