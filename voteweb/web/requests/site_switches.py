"""The switches of the site as this process knows them: read by a request at most once a second.

So a switch holds within a second in every process, which makes a round trip a second for it at most. While the
database is away, the last known switches hold.
"""

from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import cast

from flask import Flask, Response, current_app, g, request

from voteweb.core.errors import DataLost, ReadOnly, Unavailable, VotewebError
from voteweb.core.rate_limits import MODERATE, member_limit
from voteweb.core.site_switches import SiteSwitches, SwitchName
from voteweb.web.base import static_files
from voteweb.web.base.context import request_app, store
from voteweb.web.requests import rate_limits

_EXTENSION = "voteweb.site_switches"
#: Endpoints that need no switches, and answer while the database does not.
_WITHOUT_SWITCHES = {"static", "status.health", "status.metrics", "api_description.openapi"}
#: Seconds for which a process does not ask again.
REFRESH_SECONDS = 1.0


class KnownSwitches:
    """The switches that a process has read last."""

    def __init__(self) -> None:
        #: The same object until one of them changes.
        self.known = SiteSwitches()
        self._due = 0.0
        #: Whether the database had lost the data when it was asked last.
        self.is_lost = False
        self._lock = Lock()

    @property
    def is_due(self) -> bool:
        return monotonic() >= self._due

    def current(self) -> SiteSwitches:
        """Return the switches, read again by one request if that is due."""
        if self.is_due and self._lock.acquire(blocking=False):
            try:
                self.read()
            finally:
                self._lock.release()
        return self.known

    def read(self) -> None:
        """Read the switches again, unless the database is away.

        One that has kept this request waiting is asked again only after twice that time, so that pages which do not
        need it are served meanwhile.
        """
        began = monotonic()
        self._due = began + REFRESH_SECONDS
        try:
            switches = store().site_settings.read_switches()
            self.known = self.known if self.known == switches else switches
            self.is_lost = False
        except DataLost as error:
            if not self.is_lost:
                current_app.logger.error("%s", error)
            self.is_lost = True
        except Unavailable:
            ended = monotonic()
            self._due = ended + REFRESH_SECONDS + 2 * (ended - began)


def init_app(app: Flask) -> None:
    app.extensions[_EXTENSION] = KnownSwitches()

    @app.before_request
    def read_if_due() -> None:
        if request.method == "OPTIONS":
            return
        if request.endpoint not in _WITHOUT_SWITCHES:
            refuse_lost()
        elif request.endpoint == "static" and not static_files.is_current():
            current()  # another process has learnt of a new accent already


def known() -> KnownSwitches:
    return cast(KnownSwitches, request_app().extensions[_EXTENSION])


def known_to(app: Flask) -> SiteSwitches:
    """Return the switches that *app* knows, read again if that is due and the database answers."""
    switches: KnownSwitches = app.extensions[_EXTENSION]
    if switches.is_due:
        with app.app_context(), suppress(VotewebError):
            switches.current()
    return switches.known


def current() -> SiteSwitches:
    """Return the switches of the site, at most a second old while the database answers."""
    return known().current()


def refuse_lost() -> None:
    """Raise DataLost if the database has lost the data, as this process knows within a second."""
    current()
    if known().is_lost:
        raise DataLost


#: The forms that are accepted besides those of moderators and admins: they change nothing of the site.
_ACCEPTED = {
    "auth.login", "auth.second_factor", "auth.logout", "auth.reset", "recovery.recover", "mail.recover",
    "account.second_factor", "account.logout_everywhere", "account.end_sessions", "programs.withdraw",
    "language.choose",
}  # fmt: skip
#: Views whose forms refuse it too, though others check their token.
_SHOWN_AGAIN = {"answers.answer", "moderation.report"}


def error() -> ReadOnly | None:
    """Return the refusal of a change, in the operator's words; None while the site accepts changes."""
    switch = current().get(SwitchName.READ_ONLY)
    if switch is None:
        return None
    return ReadOnly(ReadOnly.with_words, words=switch.words) if switch.words else ReadOnly()


def check_form(*, handled_by_form: bool) -> None:
    """Raise ReadOnly if this form is refused; one *handled_by_form* is shown again instead, with what was typed."""
    refused = error()
    if refused is None or request.endpoint in _ACCEPTED or member_limit(request.endpoint, "POST") is MODERATE:
        return
    rate_limits.skip_member_hit()  # nobody's limit is used up meanwhile
    if not handled_by_form and request.endpoint not in _SHOWN_AGAIN:
        raise refused
    g.read_only = refused


def refusal() -> ReadOnly | None:
    """Return the refusal that the form of this request shows, None if it is accepted."""
    refused: ReadOnly | None = g.get("read_only")
    return refused


def add_retry_after(response: Response) -> None:
    """Tell when to try again, if *response* is a form that was refused."""
    if response.status_code == ReadOnly.status:
        response.headers["Retry-After"] = str(ReadOnly.retry_after)
