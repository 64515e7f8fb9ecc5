"""A live site on a real server, and Chromium to look at it with: script on and off, narrow and wide."""

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from tests import factories
from tests.helpers import needs
from tests.journeys.visitor import PASSWORD, Visitor
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.models import Role, User
from voteweb.store import Store

FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]

SCREENSHOTS = Path(__file__).parents[2] / ".screenshots"

Visit = Callable[..., Visitor]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    needs(path, "chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, chromium_sandbox=False)
        yield browser
        browser.close()


class _Quiet(WSGIRequestHandler):
    """Logs nothing: the tests look at answers."""

    def log(self, type: str, message: str, *args: object) -> None:
        pass


@pytest.fixture
def site(settings: Settings, store: Store) -> Iterator[str]:
    """The address of a site that is being served."""
    server = make_server("127.0.0.1", 0, create_app(settings, store), threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def password_hash() -> str:
    """The hash of everybody's password."""
    return passwords.hash_password(PASSWORD)


@pytest.fixture
def join(store: Store, password_hash: str) -> Callable[..., User]:
    """Makes members who can log in."""

    def make(name: str, role: Role = Role.MEMBER) -> User:
        return factories.user(store, name, role, password_hash)

    return make


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def script(request: pytest.FixtureRequest) -> bool:
    """Whether scripts run."""
    return bool(request.param)


@pytest.fixture(params=[360, 1280], ids=["narrow", "wide"])
def width(request: pytest.FixtureRequest) -> int:
    """The width of the window in CSS pixels."""
    return int(request.param)


@pytest.fixture
def visit(chromium: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Opens browsers of people, and looks afterwards whether any of them had something to complain about.

    The last page of each is kept as a picture in a folder that is not committed, to look at.
    """
    visitors: list[Visitor] = []

    def open_browser(*, script: bool = True, width: int = 1280, expect_complaints: bool = False) -> Visitor:
        context = chromium.new_context(
            base_url=site,
            java_script_enabled=script,
            viewport={"width": width, "height": 800},
            reduced_motion="reduce",
        )
        context.set_default_timeout(5_000)
        visitors.append(Visitor(context, site, expect_complaints))
        return visitors[-1]

    yield open_browser
    SCREENSHOTS.mkdir(exist_ok=True)
    for at, visitor in enumerate(visitors):
        name = re.sub(r"[^\w-]+", "-", request.node.name)
        with suppress(Error):  # a page that is just being left has no picture; the journey has been judged already
            visitor.page.screenshot(path=SCREENSHOTS / f"{name}-{at}.png")
        visitor.context.close()
    for visitor in visitors:
        assert visitor.expect_complaints or not visitor.complaints, visitor.complaints
        assert not visitor.strangers, visitor.strangers
