"""The icons, the web manifest and structured data; tests/journeys/test_pages.py looks at icons in a browser."""

import json
import struct
from typing import Any
from xml.etree import ElementTree

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from tests.web.escaping import EVIL, HOSTILE, assert_harmless
from voteweb.core import config
from voteweb.store import Store

PNG = b"\x89PNG\r\n\x1a\n"


def png_size(content: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG file."""
    assert content.startswith(PNG)
    width, height = struct.unpack(">2I", content[16:24])
    return width, height


def test_icons_have_the_sizes_that_are_asked_for(reader: Browser) -> None:
    assert png_size(reader.open("/apple-touch-icon.png").response.data) == (180, 180)
    icon = reader.open("/favicon.ico").response.data
    assert reader.response.mimetype == "image/x-icon"
    _, kind, count = struct.unpack("<3H", icon[:6])
    entries = [struct.unpack("<4B2H2I", icon[6 + 16 * i : 22 + 16 * i]) for i in range(count)]
    assert (kind, [entry[:2] for entry in entries]) == (1, [(16, 16), (32, 32), (48, 48)])
    for width, height, *_, length, offset in entries:
        assert png_size(icon[offset : offset + length]) == (width, height)


def test_icon_has_colors_for_dark_pages(reader: Browser) -> None:
    assert b"@media (prefers-color-scheme: dark)" in reader.open("/static/icon.svg").response.data


def test_manifest_names_the_site_and_shares_to_the_form(make_browser: MakeBrowser) -> None:
    reader = make_browser(site_name='News "<b>" 新闻').open("/")
    manifest = json.loads(reader.open(reader.page.one("link", rel="manifest")["href"]).response.data)
    assert manifest["name"] == 'News "<b>" 新闻'
    for icon in manifest["icons"]:
        width, height = png_size(reader.open(icon["src"]).response.data)
        assert icon["sizes"] == f"{width}x{height}"
    assert (manifest["share_target"]["action"], manifest["share_target"]["params"]["url"]) == ("/submit", "link")


def test_shared_links_have_a_picture_and_the_sites_name(make_browser: MakeBrowser, store: Store) -> None:
    article = factories.article(store, title="A story")
    reader = make_browser(site_url="https://news.example").open(f"/a/{article.id}")
    properties = {meta["property"]: meta["content"] for meta in reader.page.all("meta") if "property" in meta.attrs}
    assert properties["og:image"].startswith("https://news.example/static/share.png?v=")
    assert properties["og:image:alt"] == "voteweb"
    description = ElementTree.fromstring(reader.open("/opensearch.xml").text)
    (image,) = description.findall("{*}Image")
    assert (image.get("type"), image.get("width"), image.get("height")) == ("image/svg+xml", "32", "32")
    assert png_size(reader.open("/static/share.png").response.data) == (1200, 630)


def described(browser: Browser, path: str) -> list[Any]:
    """Return the structured data of the page at *path*; the parser of HTML ends a script where browsers do."""
    scripts = browser.open(path).page.all("script", type="application/ld+json")
    return [json.loads(script.own_text) for script in scripts]


def test_article_with_comments_is_described_without_them(reader: Browser, bob: Browser, store: Store) -> None:
    factories.article(store, title=EVIL, text=f"*Words* {HOSTILE}{'x' * 900}", link="")
    assert described(reader, "/a/1") == []
    for text in (f"First words </script>{EVIL}", "Second words"):
        factories.comment(store, 1, factories.user(store, "bob"), text=text)
    (data,) = described(reader, "/a/1")
    assert_harmless(reader.page)
    assert (data["@type"], data["headline"], data["author"]["name"]) == ("DiscussionForumPosting", EVIL, "ann")
    assert data["text"].startswith("Words <b>&</b>")
    assert len(data["text"]) == config.DESCRIBED_TEXT_LENGTH + 1
    assert [count["userInteractionCount"] for count in data["interactionStatistic"]] == [1, 2]
    assert described(bob, "/a/1") == []  # it is for search engines


def test_link_with_comments_is_described_with_its_address(reader: Browser, store: Store) -> None:
    factories.article(store, link="https://example.com/?a=<b>", text="")
    factories.comment(store)
    (data,) = described(reader, "/a/1")
    assert data["sharedContent"]["url"] == "https://example.com/?a=%3Cb%3E"
