"""Static files: every address of one changes with its content, and each is sent as the client accepts it."""

import gzip
import re
from pathlib import Path

from tests.web.browser import Browser
from voteweb.web.base import static_files

FOR_EVER = "public, max-age=31536000, immutable"


def test_every_file_that_a_page_loads_has_a_version(reader: Browser) -> None:
    page = reader.open("/").page
    links = [link["href"] for link in page.all("link") if link["href"].startswith("/static/")]
    addresses = [*links, *(script["src"] for script in page.all("script") if "src" in script.attrs)]
    assert len(addresses) >= 3
    (script,) = page.all("script", type="module")
    body = reader.open(script["src"], headers={"Accept-Encoding": "gzip"}).response.data
    assert len(gzip.decompress(body).splitlines()) <= 650
    assert len(body) <= 8_192
    for address in addresses:
        response = reader.open(address).response
        assert (response.status_code, response.headers["Cache-Control"]) == (200, FOR_EVER), address


def test_scripts_of_the_folder_are_one_file_with_one_version(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("const a = 1;\n")
    (tmp_path / "b.js").write_text("const b = 2;\n")
    before = static_files.load(tmp_path)
    assert list(before) == ["site.js"]
    assert re.search("const a = 1;.*const b = 2;", before["site.js"].body.decode(), re.DOTALL)
    (tmp_path / "b.js").write_text("const b = 3;\n")
    static_files.load.cache_clear()
    assert static_files.load(tmp_path)["site.js"].address != before["site.js"].address


def test_stylesheet_is_sent_compressed_to_those_who_accept_it(reader: Browser) -> None:
    address = reader.open("/").page.one("link", rel="stylesheet")["href"]
    plain = reader.open(address, headers={"Accept-Encoding": "gzip;q=0, identity"}).response
    compressed = reader.open(address, headers={"Accept-Encoding": "br, gzip"}).response
    assert (compressed.headers["Content-Encoding"], "Content-Encoding" in plain.headers) == ("gzip", False)
    assert gzip.decompress(compressed.data) == plain.data
    assert len(compressed.data) < len(plain.data) / 3
    for response in (plain, compressed):
        assert int(response.headers["Content-Length"]) == len(response.data)
        assert response.headers["Vary"] == "Accept-Encoding"
        assert response.headers["Content-Type"] == "text/css; charset=utf-8"
    head = reader.client.head(address, headers={"Accept-Encoding": "gzip"})
    assert (head.data, head.headers["Content-Length"]) == (b"", compressed.headers["Content-Length"])
    part = reader.open(address, headers={"Range": "bytes=0-9"}).response
    assert (part.status_code, part.data) == (200, plain.data)
    for accepted in ("gzip", "identity"):
        reader.open(address, headers={"If-None-Match": plain.headers["ETag"], "Accept-Encoding": accepted})
        assert (reader.status, reader.response.data, reader.headers["Cache-Control"]) == (304, b"", FOR_EVER)


def test_other_versions_are_not_kept_and_nothing_else_is_served(reader: Browser) -> None:
    for address in ("/static/site.css", "/static/site.css?v=0123456789"):
        assert reader.open(address).status == 200
        assert reader.headers["Cache-Control"] == "public, no-cache"
    for name in ("nothing.css", "../app.py", "%2e%2e/app.py", "%00", ""):
        assert reader.open(f"/static/{name}").status == 404, name


CSS = Path(__file__).parents[2] / "static" / "site.css"


def test_looks_of_hovering_are_for_devices_that_can_hover() -> None:
    """A phone keeps the look of ``:hover`` after a tap, until something else is tapped."""
    rest, _, block = CSS.read_text("utf-8").partition("@media (hover: hover) {\n")
    block, _, after = block.partition("\n}\n")
    assert ":hover" in block
    assert ":hover" not in rest + after


def test_serif_faces_of_latin_come_before_the_chinese_one() -> None:
    """Else a machine without the first of them draws Latin quotation marks from the Chinese face, with a hole."""
    (faces,) = re.findall(r"--serif: (.*);", CSS.read_text("utf-8"))
    latin, _, chinese = faces.partition("CJK")
    assert '"Liberation Serif", "DejaVu Serif Condensed", "DejaVu Serif"' in latin
    assert chinese
