"""A contender: a server, the requests it gets, and the checks that it did what they ask for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.constants import CONNECTIONS
from bench.contenders.requests import MemberSession, page_requests
from bench.load.measurement import ExpectedResponse, Request, Sample
from bench.processes import Server

PAGE_SHOWN = ExpectedResponse()
FORM_ACCEPTED = ExpectedResponse((303,), forbidden_location="/login")
PAGE_OR_FORM = ExpectedResponse((200, 303), forbidden_location="/login")


def no_mismatches(_sample: Sample) -> int:
    """Return 0: a page has no effect that could be missing."""
    return 0


@dataclass(frozen=True, slots=True)
class Contender:
    """One row of the benchmark.

    - ``make_requests`` prepares the database for one measurement and returns its requests.
    - ``count_mismatches`` returns, after a measurement, how many of the accepted writes the database does not show.
    - ``expected_text`` must be on the first page, which is checked before each measurement.
    - ``baseline`` is the key of the contender that this one is compared with, "" for a baseline.
    """

    key: str
    label: str
    server: Server
    make_requests: Callable[[], Sequence[Request]]
    expected: ExpectedResponse = PAGE_SHOWN
    baseline: str = ""
    count_mismatches: Callable[[Sample], int] = no_mismatches
    connections: int = CONNECTIONS
    expected_text: str = ""


def page_contender(
    key: str, label: str, server: Server, paths: Sequence[str], members: Sequence[MemberSession] = (), **fields: Any
) -> Contender:
    """Return a contender whose pages are requested by *members* in turn, or by a reader if there are none."""
    requests = page_requests(paths, members)
    fields.setdefault("expected_text", members[0].name if members else "")
    return Contender(key, label, server, lambda: requests, **fields)
