"""The icons and the web manifest; tests/journeys/test_icons.py looks at them in a browser."""

import json
import struct

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
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


def test_manifest_names_the_site_and_shares_to_the_form(make_browser: MakeBrowser) -> None:
    reader = make_browser(site_name='News "<b>" 新闻').open("/")
    manifest = json.loads(reader.open(reader.page.one("link", rel="manifest")["href"]).response.data)
    assert reader.response.mimetype == "application/manifest+json"
    assert manifest["name"] == 'News "<b>" 新闻'
    for icon in manifest["icons"]:
        width, height = png_size(reader.open(icon["src"]).response.data)
        assert icon["sizes"] == f"{width}x{height}"
    assert (manifest["share_target"]["action"], manifest["share_target"]["method"]) == ("/submit", "GET")
    assert manifest["share_target"]["params"] == {"title": "title", "text": "text", "url": "link"}


def test_shared_links_have_a_picture_and_the_name_of_the_site(make_browser: MakeBrowser, store: Store) -> None:
    article = factories.article(store, title="A story")
    reader = make_browser(site_url="https://news.example").open(f"/a/{article.id}")
    properties = {meta["property"]: meta["content"] for meta in reader.page.all("meta") if "property" in meta.attrs}
    assert properties["og:title"] == "A story · voteweb"
    assert properties["og:image"].startswith("https://news.example/static/share.png?v=")
    assert png_size(reader.open("/static/share.png").response.data) == (1200, 630)
