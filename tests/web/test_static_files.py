"""Static files: every address of one changes with its content, and each is sent as the client accepts it."""

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.web.browser import Browser
from voteweb.web import static_files

FOR_EVER = "public, max-age=31536000, immutable"
#: What a script or stylesheet may load: any text that looks like a script, and any url() or @import.
LOADED = {
    "text/javascript": r"""["'`]([^"'`\s]+\.js(?:\?[^"'`]*)?)["'`]""",
    "text/css": r"""(?:url\(|@import)\s*["']?([^"')\s]+)""",
}


def loaded_files(reader: Browser, address: str) -> set[str]:
    """Return the addresses of *address* and of all that it loads; each must be served as the file of that address."""
    found, left = set(), [address]
    while left:
        address = left.pop()
        if address in found:
            continue
        found.add(address)
        response = reader.open(address).response
        assert (response.status_code, response.headers["Cache-Control"]) == (200, FOR_EVER), address
        if pattern := LOADED.get(response.mimetype):
            left += [urljoin(address, target) for target in re.findall(pattern, response.text)]
    return found


def test_every_file_that_a_page_loads_has_a_version(reader: Browser) -> None:
    page = reader.open("/").page
    links = [link["href"] for link in page.all("link") if link["href"].startswith("/static/")]
    roots = [*links, *(script["src"] for script in page.all("script") if "src" in script.attrs)]
    assert len(roots) >= 4
    for address in roots:
        loaded_files(reader, address)


def test_every_script_is_a_static_file_that_loads_only_others(reader: Browser) -> None:
    with reader.client.application.app_context():
        addresses = [file.address for file in static_files.files().values()]
    loaded = set().union(*(loaded_files(reader, address) for address in addresses))
    assert loaded == set(addresses)


def test_a_change_reaches_the_addresses_of_all_that_load_the_file(tmp_path: Path) -> None:
    def addresses() -> dict[str, str]:
        static_files.load.cache_clear()
        return {name: file.address for name, file in static_files.load(tmp_path).items()}

    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nimport"./d.js";\n')
    (tmp_path / "b.js").write_text("export const b = () => import('./c.js');\nexport * from './d.js';\n")
    (tmp_path / "c.js").write_text("// nothing is loaded from here\n")
    (tmp_path / "d.js").write_text("export const d = 1;\n")
    (tmp_path / "x.css").write_text('@import "y.css"; p { background: url(./z.svg) }')
    (tmp_path / "y.css").write_text("p { background: url( 'z.svg' ) }")
    (tmp_path / "z.svg").write_text("<svg/>")
    before = addresses()
    (tmp_path / "c.js").write_text("// changed\n")
    (tmp_path / "z.svg").write_text("<svg></svg>")
    after = addresses()
    assert {name for name in before if before[name] == after[name]} == {"d.js"}
    files = static_files.load(tmp_path)
    for name, loads in {"a.js": ["b.js", "d.js"], "b.js": ["c.js", "d.js"], "x.css": ["y.css", "z.svg"]}.items():
        text = files[name].body.decode()
        assert all(f"{target}?v={files[target].version}" in text for target in loads), text


@pytest.mark.parametrize("target", ["a.js", "nowhere.js"])
def test_files_in_a_circle_or_missing_are_refused(target: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import "./b.js";\n')
    (tmp_path / "b.js").write_text(f'import "./{target}";\n')
    with pytest.raises(ValueError, match=f"The static file b.js loads {target}"):
        static_files.load(tmp_path)


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
        assert (reader.status, reader.response.data, reader.response.headers["Cache-Control"]) == (304, b"", FOR_EVER)


@pytest.mark.parametrize("address", ["/static/site.css", "/static/site.css?v=0123456789"])
def test_file_of_another_version_is_not_kept(address: str, reader: Browser) -> None:
    assert reader.open(address).status == 200
    assert reader.response.headers["Cache-Control"] == "public, no-cache"


@pytest.mark.parametrize("name", ["nothing.css", "../app.py", "%2e%2e/app.py", "%00", ""])
def test_nothing_else_is_served(name: str, reader: Browser) -> None:
    assert reader.open(f"/static/{name}").status == 404


def test_all_scripts_have_400_lines_at_most() -> None:
    scripts = list((Path(__file__).parents[2] / "static").glob("*.js"))
    assert 0 < sum(len(path.read_text().splitlines()) for path in scripts) <= 400
