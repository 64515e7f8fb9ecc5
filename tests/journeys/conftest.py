"""A live site on a real server, and Chromium to visit it."""

import logging
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import BaseWSGIServer, make_server

from tests import factories
from tests.helpers import needs
from tests.journeys import full_site
from tests.journeys.visitor import PASSWORD, Visitor
from tests.web.browser import Browser as BrowserWithoutScript
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.models import Role
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

#: Opens the browser of a member by name and role, or of a reader.
Visit = Callable[..., Visitor]
#: Returns a member's browser without script, by name and role, or a reader's.
VisitWithoutScript = Callable[..., BrowserWithoutScript]


#: The arguments of ``Visit`` for one kind of browser: whether scripts run, and the width in CSS pixels.
Window = dict[str, Any]
NARROW: Window = {"script": True, "width": 360}
WIDE: Window = {"script": False, "width": 1280}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium, in which each visitor has a context: its cookies, its storage and its window."""
    # Without a window that nobody sees, it takes half of the time.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    needs(path, "chromium-headless-shell or chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        yield browser
        browser.close()


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
    """A web server without a site, which logs no requests."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, Flask(__name__), threaded=True)
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


@pytest.fixture(
    params=[
        pytest.param(NARROW, id="narrow-script"),
        pytest.param(WIDE, id="wide-no-script", marks=pytest.mark.heavy),
    ]
)
def window(request: pytest.FixtureRequest) -> Window:
    """The kind of browser of a visit.

    `make test` visits without script in tests/web alone, which sends the same forms.
    """
    return cast(Window, request.param)


@pytest.fixture
def visit_without_script(app: Flask, store: Store, password_hash: str) -> VisitWithoutScript:
    """A function that returns the browser without script of a member by name, who may be new, or of a reader."""

    def visit(name: str = "", role: Role = Role.MEMBER) -> BrowserWithoutScript:
        browser = BrowserWithoutScript(app)
        return browser.start_session(factories.user(store, name, role, password_hash)) if name else browser

    return visit


@pytest.fixture
def visit(
    chromium: Browser, site_url: str, visit_without_script: VisitWithoutScript, request: pytest.FixtureRequest
) -> Iterator[Visit]:
    """A function that opens the browser of a member by name, logged in and created if unknown, or of a reader.

    Fails afterwards if a console has an unexpected error, or a page requested a foreign address. Where the test failed,
    a screenshot of the last page of each visitor is kept in SCREENSHOTS.
    """
    visitors: list[Visitor] = []
    failed_before = request.session.testsfailed

    def open_browser(
        name: str = "",
        role: Role = Role.MEMBER,
        *,
        script: bool = True,
        width: int = 1280,
        height: int = 800,
        expect_errors: bool = False,
        **options: Any,
    ) -> Visitor:
        context = chromium.new_context(
            java_script_enabled=script,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
            **options,
        )
        context.set_default_timeout(5_000)
        if name:
            cookie = visit_without_script(name, role).session_cookie
            context.add_cookies([{"name": "voteweb", "value": cookie, "url": site_url}])
        visitors.append(Visitor(context.new_page(), site_url, expect_errors))
        return visitors[-1]

    yield open_browser
    for number, visitor in enumerate(visitors):
        if request.session.testsfailed > failed_before:
            test_name = re.sub(r"[^\w-]+", "-", request.node.name)
            visitor.page.screenshot(path=SCREENSHOTS / f"{test_name}-{number}.png")
        visitor.page.context.close()
    for visitor in visitors:
        assert visitor.expect_errors or not visitor.console_errors, visitor.console_errors
        assert not visitor.foreign_requests, visitor.foreign_requests


@pytest.fixture
def filled(store: Store, index_site: Callable[[], None]) -> None:
    """Fill the site with long, foreign and hostile texts, and with a page in every state."""
    full_site.fill(store)
    index_site()
