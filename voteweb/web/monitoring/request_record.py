"""The record of one request, for its line in the access log, the metrics and the error page."""

from random import getrandbits
from typing import TYPE_CHECKING

from voteweb.core.models import User

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_ENVIRON_KEY = "voteweb.request_record"
#: The response header that contains the id of the request.
HEADER = "X-Request-Id"
#: The route of a request that matches none.
UNKNOWN_ROUTE = "unknown"
#: The ways of the page cache with a request: sent a cached page, cached a new one, or let the request pass.
HIT, MISS, PASS = "hit", "miss", "pass"


class RequestRecord:
    """The record of one request.

    ``id`` is what a person can quote, ``route`` the endpoint, ``status`` the status code of the response, ``member``
    the id of the logged-in member (0: a reader), ``cache_status`` is HIT, MISS or PASS.
    """

    def __init__(self) -> None:
        self.id = f"{getrandbits(48):012x}"  # it tells requests apart, and gives access to nothing  # nosec B311
        self.route = UNKNOWN_ROUTE
        self.status = "500"  # stays if the app raises before it starts a response
        self.member = 0
        self.cache_status = PASS

    def complete(self, endpoint: str | None, viewer: User | None) -> None:
        """Record who asked for what, once that is known."""
        self.route = endpoint or UNKNOWN_ROUTE
        if viewer:
            self.member = viewer.id


def start(environ: "WSGIEnvironment") -> RequestRecord:
    """Return a new record for the request of *environ*, where :func:`get` finds it."""
    record = environ[_ENVIRON_KEY] = RequestRecord()
    return record


def record_hit(environ: "WSGIEnvironment", route: str) -> None:
    """Record that the page cache has answered the request of *environ* with a page of *route*, if that is monitored."""
    record: RequestRecord | None = environ.get(_ENVIRON_KEY)
    if record is not None:
        record.route, record.cache_status = route, HIT


def get(environ: "WSGIEnvironment") -> RequestRecord:
    """Return the record of the request of *environ*; if it has none, a new one that nobody reads."""
    record: RequestRecord | None = environ.get(_ENVIRON_KEY)
    return record or RequestRecord()
