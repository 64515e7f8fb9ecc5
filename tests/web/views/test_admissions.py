"""Admissions: on a site that approves members, a new one waits until a moderator decides."""

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeBrowser
from voteweb.core import config
from voteweb.store import Store

WAITS = "Your account waits for a moderator to let you in."
REQUEST = "I write about <b>compilers</b> & parsers."


@pytest.fixture
def hal(make_browser: MakeBrowser) -> Browser:
    """A member who has just signed up and waits."""
    browser = make_browser(signup="approve").open("/signup")
    return browser.submit("/signup", username="Hal", password=PASSWORD, request=REQUEST)


def test_new_member_is_logged_in_and_told_to_wait(hal: Browser, store: Store) -> None:
    assert (hal.status, hal.is_logged_in()) == (303, True)
    assert hal.log_out().log_in("hal").status == 303
    for address in ("/", "/account", "/new"):
        assert WAITS in hal.open(address).page.all("p", role="note")[0].text
    assert (hal.open("/submit").status, WAITS in hal.intro) == (403, True)
    factories.article(store)
    assert WAITS in hal.send("/a/1/vote").follow().flashes[0]
    assert WAITS in hal.send("/a/1/report", reason="spam").intro
    assert store.users.get("hal").request == REQUEST


def test_only_a_site_that_approves_asks_for_a_sentence(make_browser: MakeBrowser, store: Store) -> None:
    browser = make_browser(signup="approve").open("/signup")
    browser.submit("/signup", username="Hal", password=PASSWORD, request="  hi  ")
    assert (browser.status, store.users.find("hal")) == (422, None)
    assert browser.field_error("request")
    reader = make_browser().fill_in("/signup", username="carl", password=PASSWORD, request=REQUEST)
    assert (reader.status, store.users.get("carl").held, store.users.get("carl").request) == (303, 0, "")


def test_moderator_sees_who_waits_and_lets_them_in(hal: Browser, mod: Browser, store: Store) -> None:
    assert mod.open("/").page.one("a", href="/queue").text == "Queue 1"
    mod.open("/queue")
    assert mod.page.texts("q") == [REQUEST]
    mod.submit("/u/Hal/admit")
    assert mod.follow().flashes == ["Hal has been let in."]
    assert mod.page.one("div", class_="empty").text.startswith("Nothing waits.")
    assert (hal.open("/submit").status, hal.page.all("p", role="note")) == (200, [])
    assert "let Hal in" in mod.open("/log").text


def test_refused_member_is_told_why(hal: Browser, mod: Browser, store: Store) -> None:
    mod.open("/queue").submit("/u/Hal/refuse", reason=" ")
    assert (mod.status, mod.refusal[:21]) == (422, "Please give a reason.")
    assert mod.page.one("main").values("action", "form") == ["/u/Hal/admit", "/u/Hal/refuse"]
    mod.submit("/u/Hal/refuse", reason="An advertisement.")
    assert mod.location == "/queue#people"
    assert mod.follow().flashes == ["Hal has been refused, and reads your reason on trying to log in."]
    told = "The moderators did not let this account in: An advertisement."
    assert hal.open("/").flashes == [told]
    assert not hal.is_logged_in()
    hal.log_in("hal")
    assert (hal.status, told in hal.alert) == (422, True)
    assert "did not let Hal in" in mod.open("/log").text
    mod.send("/u/Hal/refuse", reason="Again.")
    assert mod.follow().flashes == ["Another moderator has decided about Hal already."]
    mod.open("/u/hal").submit("/u/Hal/admit")
    assert hal.log_in("hal").status == 303


def test_page_of_who_waits_is_for_moderators_and_themselves(
    hal: Browser, mod: Browser, reader: Browser, bob: Browser
) -> None:
    statuses = [browser.open("/u/hal").status for browser in (reader, bob, hal, mod)]
    assert statuses == [404, 404, 200, 200]
    assert reader.open("/u/hal.atom").status == 404
    assert not mod.page.all("a", href="/u/Hal/ban")


def test_queue_names_others_of_the_same_network(make_browser: MakeBrowser, mod: Browser) -> None:
    for name in ("hal", "ian"):
        browser = make_browser(signup="approve").open("/signup")
        browser.submit("/signup", username=name, password=PASSWORD, request=REQUEST)
    texts = mod.open("/queue").page.texts("p", class_="meta")
    assert [text for text in texts if text.startswith("Signed up")] == [
        "Signed up from the same network: ian",
        "Signed up from the same network: hal",
    ]


def test_queue_has_pages(mod: Browser, store: Store) -> None:
    for number in range(config.QUEUE_SIZE + 1):
        store.users.make(f"name{number}", "", network="", request=REQUEST)
    assert len(mod.open("/queue").page.all("q")) == config.QUEUE_SIZE
    mod.open_next()
    assert mod.page.by_id("people-heading").text == f"People who wait to be let in {config.QUEUE_SIZE + 1}"
    assert len(mod.page.all("q")) == 1
    assert mod.open("/queue?people=3").location == "/queue#people"
    mod.open("/queue?people=2").submit("/u/name25/refuse", reason=" ")
    assert mod.form("/u/name25/refuse").one("p", role="alert")
