"""Count the files, functions and calls of the package that one request of each kind runs: ``python -m tests.trace``."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import voteweb
from tests import factories
from tests.conftest import SECRET_KEY
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store
from voteweb.web.requests import site_switches

PACKAGE = str(Path(voteweb.__file__).parent)
ARTICLES = 30
#: The names of code that is part of a function; some Pythons do not call it.
NO_FUNCTIONS = {"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


class Trace:
    """The calls of functions of the package, of generators at each value, while it is entered."""

    def __init__(self) -> None:
        self.calls: list[CodeType] = []
        self.deepest = self._depth = 0

    def __enter__(self) -> "Trace":
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_name in NO_FUNCTIONS:
            return
        if event == "call":
            self.calls.append(code)
            self._depth += 1
            self.deepest = max(self.deepest, self._depth)
        elif event == "return":
            self._depth -= 1

    def __str__(self) -> str:
        files = {code.co_filename for code in self.calls}
        return f"{len(files):5} {len(set(self.calls)):9} {len(self.calls):6} {self.deepest:7}"


def traces(settings: Settings) -> Iterator[tuple[str, Trace]]:
    """Yield a trace of each kind of request, of an act after the same one on another article."""
    site_switches.REFRESH_SECONDS = 3600.0  # no request reads them, whenever it comes
    app = create_app(settings)
    store: Store = app.extensions["voteweb.store"]
    for _ in range(ARTICLES):
        factories.article(store, factories.user(store, "ann"), groups=("python",))
    member, visitor = (Browser(app).start_session(factories.user(store, name)) for name in ("bob", "eve"))
    moderator = Browser(app).start_session(factories.user(store, "mod", Role.MODERATOR))
    acts: dict[str, tuple[Browser, str, dict[str, str]]] = {
        "vote": (member, "vote", {}),
        "comment": (member, "comment", {"text": "Well said."}),
        "removal": (moderator, "remove", {"reason": "Spam."}),
    }
    for name, (browser, action, fields) in acts.items():
        for id in (1, 2):
            token = browser.csrf_token()
            with Trace() as trace:
                browser.post(f"/a/{id}/{action}", {"csrf_token": token, "once": factories.token(), **fields})
            assert browser.status == 303, browser.text
        yield name, trace
    visitor.open("/groups")  # all but lists and their rows is in the caches
    for name, browser in {"list, rendered": visitor, "list, kept": visitor, "list, read afresh": member}.items():
        with Trace() as trace:
            browser.open("/")
        assert browser.status == 200
        yield name, trace


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, open_database(Settings(data_dir=folder)) as database:
        settings = Settings(
            redis_url=database.redis_url, secret_key=SECRET_KEY, data_dir=folder, log="off", page_seconds=60.0
        )
        print(f"{'':24}files functions  calls deepest")
        for name, trace in traces(settings):
            print(f"{name:24}{trace}")


if __name__ == "__main__":
    main()
