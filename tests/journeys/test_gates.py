"""Page checkers that are not ours, over pages full of long, foreign and hostile words."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import needs
from tests.journeys.conftest import Visit
from tests.journeys.hostile import BY_ROLE, fill
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.models import User
from voteweb.store import Store

CHECKERS = Path(__file__).parents[2] / ".ci" / "node_modules"
#: Everything axe has for WCAG 2.2 AA, and its best practices.
AXE = """axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})
.then(found => found.violations)"""


@pytest.fixture
def full(store: Store, join: Callable[..., User], settings: Settings) -> Callable[[str], Browser]:
    """A full site; called with a name, gives that person's browser."""
    fill(store, join)
    app = create_app(settings, store)

    def person(name: str) -> Browser:
        browser = Browser(app)
        return browser.log_in(name) if name else browser

    return person


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(BY_ROLE), ids=["reader", "member", "moderator"])
def test_axe_finds_nothing(name: str, scheme: Any, full: Callable[[str], Browser], visit: Visit) -> None:
    needs((CHECKERS / "axe-core").exists(), "axe-core in .ci/node_modules")
    axe = (CHECKERS / "axe-core" / "axe.min.js").read_text("utf-8")
    person = visit(expect_complaints=True, width=360 if scheme == "dark" else 1280)
    if name:
        person.log_in(name)
    person.page.emulate_media(color_scheme=scheme)
    found = {}
    for place in BY_ROLE[name]:
        person.open(place).page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        person.page.evaluate(axe)
        violations = person.page.evaluate(AXE)
        if violations:
            found[place] = [(each["id"], [node["html"][:150] for node in each["nodes"][:3]]) for each in violations]
    assert found == {}


def test_the_validator_has_nothing_to_say(full: Callable[[str], Browser], tmp_path: Path) -> None:
    jar = CHECKERS / "vnu-jar" / "build" / "dist" / "vnu.jar"
    needs(jar.exists() and shutil.which("java"), "vnu-jar in .ci/node_modules, and java")
    for name, pages in BY_ROLE.items():
        person = full(name)
        for at, place in enumerate(pages):
            # The validator's word for a page of another status is about the status.
            (tmp_path / f"{name or 'reader'}-{at}.html").write_bytes(person.open(place).answer.data)
    shutil.copy(Path(__file__).parents[2] / "static" / "icon.svg", tmp_path)
    said = subprocess.run(
        ["java", "-jar", str(jar), "--format", "json", "--also-check-svg", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    messages = [each for each in json.loads(said)["messages"] if each["type"] != "info" or "subType" in each]
    told = {(Path(each["url"]).name, each["message"], each.get("extract", "")[:120]) for each in messages}
    assert told == set()


@pytest.mark.parametrize("name", list(BY_ROLE), ids=["reader", "member", "moderator"])
def test_a_crawl_without_script_meets_no_dead_end(name: str, full: Callable[[str], Browser]) -> None:
    """Every link from the front page on leads to a page, and every button to an address that takes it."""
    person = full(name)
    adapter = person.client.application.url_map.bind("localhost")
    seen, waiting, dead = {"/"}, ["/"], []
    while waiting:
        place = waiting.pop()
        person.open(place)
        if person.status >= 400 and place.partition("?")[0] not in ("/a/3", "/a/4"):  # gone, and say so
            dead.append((place, person.status))
        if person.status in (301, 303):
            waiting += {person.location} - seen
            seen.add(person.location)
            continue
        if "html" not in person.answer.headers["Content-Type"]:
            continue
        for link in person.page.all("a"):
            target = link["href"].partition("#")[0]
            if target.startswith("/") and target not in seen:
                seen.add(target)
                waiting.append(target)
        actions = [
            (form.attrs.get("method", "get"), form["action"]) for form in person.page.all("form") if "action" in form
        ]
        actions += [("post", button["formaction"]) for button in person.page.all("button") if "formaction" in button]
        for method, action in actions:
            if not adapter.test(action.partition("?")[0], method.upper()):
                dead.append((place, action))
    assert dead == []
    assert len(seen) > 40


@pytest.mark.parametrize("name", ["", "ann"], ids=["reader", "member"])
def test_a_list_page_is_light(name: str, full: Callable[[str], Browser], store: Store) -> None:
    person = full(name)
    for place in ("/?page=2", "/good", "/g/python", "/new?page=2"):
        body = person.open(place).answer.data
        rows = max(1, len(person.page.all("li", class_="article")))
        # /good may list twice a page's rows; the budget is a page of PAGE_SIZE.
        assert len(body) / max(1, rows / 25) <= 30_000, place
        assert len(gzip.compress(body)) <= 8_000, place
