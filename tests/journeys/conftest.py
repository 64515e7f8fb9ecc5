"""A live site on a real server, and Chromium to visit it."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

import pytest
from flask import Flask
from playwright.sync_api import Browser, CDPSession, Error, Page, sync_playwright
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from tests import factories
from tests.helpers import needs
from tests.journeys import full_site
from tests.journeys.visitor import PASSWORD, Visitor
from tests.web.browser import Browser as BrowserWithoutScript
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.models import Role, User
from voteweb.core.settings import Settings
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.store import Store

FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]

SCREENSHOTS = Path(__file__).parents[2] / ".screenshots"

#: Articles on a page of a list.
ROWS = 5

#: Creates a member who can log in, by name and role.
Join = Callable[..., User]
#: Opens the browser of a member by name, or of a reader.
Visit = Callable[..., Visitor]
#: Returns a member's browser without script, by name, or a reader's.
VisitWithoutScript = Callable[[str], BrowserWithoutScript]


class Window(TypedDict):
    """The arguments of ``visit`` for one kind of browser."""

    script: bool
    width: int


class PagePool:
    """Pages for visitors, each in a context of its own; later tests use them again, since a new one takes long."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[Page] = []
        self._devtools: dict[Page, CDPSession] = {}

    def take(self, script: bool, width: int) -> Page:
        """Return an empty page without cookies."""
        page = self._free.pop() if self._free else self._new()
        page.set_viewport_size({"width": width, "height": 800})
        self._devtools[page].send("Emulation.setScriptExecutionDisabled", {"value": not script})
        return page

    def _new(self) -> Page:
        context = self._browser.new_context(reduced_motion="reduce")
        context.set_default_timeout(5_000)
        page = context.new_page()
        self._devtools[page] = context.new_cdp_session(page)
        return page

    def give_back(self, page: Page) -> None:
        """Empty *page* for the next visitor."""
        try:
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
            page.goto("about:blank")
            page.unroute_all()
            page.context.clear_cookies()
            page.emulate_media(color_scheme="light")
        except Error:  # a page that is being loaded, or never was, cannot be emptied
            page.context.close()
        else:
            self._free.append(page)


@pytest.fixture(scope="session")
def pages() -> Iterator[PagePool]:
    """The pages of one Chromium, which all tests of a worker share."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    needs(path, "chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        yield PagePool(browser)
        browser.close()


class _QuietHandler(WSGIRequestHandler):
    """Log nothing."""

    def log(self, type: str, message: str, *args: object) -> None:
        pass


@cache
def _app(settings: Settings) -> Flask:
    """Return one app for all tests of this process: its routes and templates are costly."""
    return create_app(settings)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Short lists: every row takes time."""
    return replace(settings, page_size=ROWS)


@pytest.fixture
def search_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the index of the site."""
    return tmp_path_factory.mktemp("search")


@pytest.fixture
def app(settings: Settings, store: Store, search_folder: Path) -> Flask:
    app = _app(settings)
    app.extensions["voteweb.search"] = SearchIndex(search_folder)
    app.extensions["voteweb.store"] = store
    return app


@pytest.fixture
def index_site(store: Store, search_folder: Path) -> Callable[[], None]:
    """A function that brings the index of the site up to date."""
    return Indexer(IndexFolder(search_folder), store.search).catch_up


@pytest.fixture(scope="session")
def server() -> Iterator[BaseWSGIServer]:
    """A web server without a site, always at the same port: browsers keep the static files from test to test."""
    server = make_server("127.0.0.1", 0, Flask(__name__), threaded=True, request_handler=_QuietHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def site_url(server: BaseWSGIServer, app: Flask) -> str:
    """The URL of the site, which is being served."""
    server.app = app
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture(scope="session")
def password_hash() -> str:
    """The hash of every member's password."""
    return passwords.hash_password(PASSWORD)


@pytest.fixture
def join(store: Store, password_hash: str) -> Join:
    """A function that creates a member who can log in."""

    def create(name: str, role: Role = Role.MEMBER) -> User:
        return factories.user(store, name, role, password_hash)

    return create


NARROW, WIDE = Window(script=True, width=360), Window(script=False, width=1280)


@pytest.fixture(
    params=[
        pytest.param(NARROW, id="narrow-script"),
        pytest.param(WIDE, id="wide-no-script", marks=pytest.mark.heavy),
    ]
)
def window(request: pytest.FixtureRequest) -> Window:
    """Whether scripts run, and the width of the window in CSS pixels.

    `make test` visits without script in tests/web alone, which sends the same forms.
    """
    return cast(Window, request.param)


@pytest.fixture
def visit_without_script(app: Flask, store: Store) -> VisitWithoutScript:
    """A function that returns the browser without script of a member by name, or of a reader."""

    def visit(name: str = "") -> BrowserWithoutScript:
        browser = BrowserWithoutScript(app)
        return browser.start_session(store.users.get(name)) if name else browser

    return visit


@pytest.fixture
def visit(
    pages: PagePool, site_url: str, visit_without_script: VisitWithoutScript, request: pytest.FixtureRequest
) -> Iterator[Visit]:
    """A function that opens the browser of a member by name, logged in, or of a reader.

    Fails afterwards if a console has an unexpected error, or a page requested a foreign address. A screenshot of the
    last page of each visitor is kept in SCREENSHOTS.
    """
    visitors: list[Visitor] = []

    def open_browser(name: str = "", *, script: bool = True, width: int = 1280, expect_errors: bool = False) -> Visitor:
        page = pages.take(script, width)
        if name:
            cookie = visit_without_script(name).client.get_cookie("voteweb")
            assert cookie is not None
            page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": site_url}])
        visitors.append(Visitor(page, site_url, expect_errors))
        return visitors[-1]

    yield open_browser
    SCREENSHOTS.mkdir(exist_ok=True)
    for number, visitor in enumerate(visitors):
        test_name = re.sub(r"[^\w-]+", "-", request.node.name)
        with suppress(Error):  # a page that is being left has no picture, and the journey has passed
            visitor.page.screenshot(path=SCREENSHOTS / f"{test_name}-{number}.png")
        visitor.stop_recording()
        pages.give_back(visitor.page)
    for visitor in visitors:
        assert visitor.expect_errors or not visitor.console_errors, visitor.console_errors
        assert not visitor.foreign_requests, visitor.foreign_requests


@pytest.fixture
def filled(store: Store, join: Join, index_site: Callable[[], None]) -> None:
    """Fill the site with long, foreign and hostile texts, and with a page in every state."""
    full_site.fill(store, join)
    index_site()
