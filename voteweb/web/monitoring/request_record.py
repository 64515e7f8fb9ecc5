"""What is noted of a request while it is answered: for its line in the log, for the counts, for an error's page."""

from random import getrandbits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_NAME = "voteweb.note"
#: The header of an answer that says how its request is called.
HEADER = "X-Request-Id"
#: The route of an address that the site does not have.
UNKNOWN_ROUTE = "unknown"
#: How the kept pages served a request: with one, by making one, or not at all.
HIT, MISS, PASS = "hit", "miss", "pass"


class RequestRecord:
    """One request: what it is called, and what became of it.

    ``id`` is what a person can quote, ``route`` the name of the view, ``status`` what was answered, ``member`` the id
    of who is logged in (0: a reader), ``page`` is HIT, MISS or PASS.
    """

    def __init__(self) -> None:
        self.id = f"{getrandbits(48):012x}"  # nosec B311 - tells requests apart; whoever guesses one has nothing
        self.route = UNKNOWN_ROUTE
        self.status = "500"  # of a request that breaks before it is answered
        self.member = 0
        self.page = PASS


def start(environ: "WSGIEnvironment") -> RequestRecord:
    """Return a new note for the request of *environ*, where :func:`of` finds it."""
    note = environ[_NAME] = RequestRecord()
    return note


def get(environ: "WSGIEnvironment") -> RequestRecord:
    """Return the note of the request of *environ*; where nobody watches, one that nobody reads."""
    note: RequestRecord | None = environ.get(_NAME)
    return note or RequestRecord()
