"""The HTML of every page: valid, light, and without a link or button that leads nowhere."""

import gzip
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.helpers import needs
from tests.journeys.conftest import VisitWithoutScript
from tests.journeys.full_site import ADMIN, GONE, MEMBER, PAGES
from tests.web.browser import Browser
from voteweb.core.settings import Settings

ROOT = Path(__file__).parents[2]
#: The W3C's HTML validator.
VNU = ROOT / ".ci" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("filled")]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Lists as long as on a site: the pages must be light."""
    return replace(settings, page_size=Settings.page_size)


def test_validator_finds_no_error(visit_without_script: VisitWithoutScript, tmp_path: Path) -> None:
    needs(VNU.exists() and shutil.which("java"), "vnu-jar in .ci/node_modules, and java")
    for name, paths in PAGES.items():
        browser = visit_without_script(name)
        for number, path in enumerate(paths):
            # From files, since the validator complains of a URL whose status is not 200.
            (tmp_path / f"{name or 'reader'}-{number}.html").write_bytes(browser.open(path).response.data)
    shutil.copy(ROOT / "static" / "icon.svg", tmp_path)
    output = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-Xss2m", "-jar", VNU, "--format", "json", "--also-check-svg", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    errors = {
        (Path(message["url"]).name, message["message"], message.get("extract", "")[:120])
        for message in json.loads(output)["messages"]
        if message["type"] != "info" or "subType" in message
    }
    assert errors == set()


@pytest.mark.parametrize("name", ["", MEMBER, ADMIN], ids=["reader", "member", "admin"])
def test_crawl_without_script_finds_no_dead_end(name: str, visit_without_script: VisitWithoutScript) -> None:
    """Every link from the front page on leads to a page, and every button to an address that takes its method."""
    browser = visit_without_script(name)
    routes = browser.client.application.url_map.bind("localhost")
    seen, waiting, dead_ends = {"/"}, ["/"], []
    while waiting:
        path = waiting.pop()
        browser.open(path)
        if browser.status >= 400 and path.partition("?")[0] not in GONE:
            dead_ends.append((path, browser.status))
        targets = [browser.location] if browser.status in (301, 303) else []
        if "html" in browser.headers["Content-Type"] and not targets:
            targets = [link["href"].partition("#")[0] for link in browser.page.all("a")]
            dead_ends += [(path, action) for action, method in actions(browser) if not routes.test(action, method)]
        # A form of log-in is visited once, not once for each page that it may return to.
        new = {re.sub("next=[^&]*", "next=/", target) for target in targets if target.startswith("/")} - seen
        seen |= new
        waiting += new
    assert dead_ends == []
    assert len(seen) > 40


def actions(browser: Browser) -> list[tuple[str, str]]:
    """Return the path and method of every form and button of the page."""
    forms = [(form["action"], form.attrs.get("method", "get")) for form in browser.page.all("form") if "action" in form]
    buttons = [(button["formaction"], "post") for button in browser.page.all("button") if "formaction" in button]
    return [(urlsplit(action).path, method.upper()) for action, method in forms + buttons]


def test_list_pages_are_light(visit_without_script: VisitWithoutScript) -> None:
    browser = visit_without_script(MEMBER)
    for path in ("/?page=2", "/good", "/g/python", "/new?page=2"):
        assert len(gzip.compress(browser.open(path).response.data)) <= 8_000, path
