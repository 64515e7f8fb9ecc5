"""The switches of the site as this process knows them: read by a request at most once a second.

So a switch holds within a second in every process, which makes a round trip a second for it at most. While the
database is away, the last known switches hold.
"""

from threading import Lock
from time import monotonic
from typing import cast

from flask import Flask, current_app, request

from voteweb.core.config import Settings
from voteweb.core.errors import Unavailable
from voteweb.core.site_switches import SiteSwitches
from voteweb.web.context import store

_EXTENSION = "voteweb.site_switches"
#: What answers without switches, also while the database does not answer.
_WITHOUT_SWITCHES = {"static", "status.health", "status.metrics"}
#: Seconds for which a process does not ask again.
REFRESH_SECONDS = 1.0


class KnownSwitches:
    """The switches that a process has read last, over the *settings* with which it was started."""

    def __init__(self, settings: Settings) -> None:
        self.start_settings = settings
        self._known = SiteSwitches()
        self._due = 0.0
        self._lock = Lock()

    def current(self) -> SiteSwitches:
        """Return the switches, read again by one request if that is due."""
        if monotonic() >= self._due and self._lock.acquire(blocking=False):
            try:
                self.read()
            finally:
                self._lock.release()
        return self._known

    def read(self) -> None:
        """Read the switches again, unless the database is away.

        One that has kept this request waiting is asked again only after twice that time, so that pages which do not
        need it are served meanwhile.
        """
        began = monotonic()
        self._due = began + REFRESH_SECONDS
        try:
            self._known = store().site.read_switches()
            current_app.extensions["voteweb.settings"] = self._known.settings(self.start_settings)
        except Unavailable:
            ended = monotonic()
            self._due = ended + REFRESH_SECONDS + 2 * (ended - began)


def init_app(app: Flask, settings: Settings) -> None:
    """Give *app* its switches, which override its *settings*."""
    app.extensions[_EXTENSION] = KnownSwitches(settings)

    @app.before_request
    def read_if_due() -> None:
        if request.endpoint not in _WITHOUT_SWITCHES:
            current()


def _of_app() -> KnownSwitches:
    return cast(KnownSwitches, current_app.extensions[_EXTENSION])


def current() -> SiteSwitches:
    """Return the switches of the site, at most a second old while the database answers."""
    return _of_app().current()


def read_again() -> None:
    """Read the switches now: one of them has been set by this request."""
    _of_app().read()


def start_settings() -> Settings:
    """Return the settings without the switches that override them."""
    return _of_app().start_settings
