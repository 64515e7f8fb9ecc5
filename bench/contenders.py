"""Contenders, and their measurement in turns, round after round, so that a disturbance affects all of them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.load import Request, Sample, send
from bench.processes import Server
from bench.sessions import Visitor, page_requests
from bench.sites import report_progress

#: Length of the warm-up before the first round, as a share of a measurement: it fills caches and loads code.
WARM_UP_SHARE = 0.3
#: Seconds of measurement in which every contender must answer at least one request.
MIN_RESPONSE_SECONDS = 3.0
#: A server is idle if it uses less than this share of its core for so many seconds; it is checked so often at most.
IDLE_SHARE, IDLE_CHECK_SECONDS, MAX_IDLE_CHECKS = 0.1, 0.02, 100
PAGE_SHOWN, FORM_ACCEPTED = (200,), (303,)


@dataclass(frozen=True, slots=True)
class Contender:
    """One row of the benchmark: a server, the requests it gets, and the checks that it did what they ask for.

    - ``make_requests`` prepares the database for one measurement and returns its requests.
    - ``statuses`` are those of responses that are no errors.
    - ``count_mismatches`` returns, after a measurement, how many of the accepted writes the database does not show.
    - ``expected_text`` must be on the first page, which is checked before each measurement.
    - ``baseline`` is the key of the contender that this one is compared with, "" for a baseline.
    """

    key: str
    label: str
    server: Server
    make_requests: Callable[[], Sequence[Request]]
    baseline: str = ""
    statuses: tuple[int, ...] = PAGE_SHOWN
    count_mismatches: Callable[[Sample], int] = lambda _sample: 0
    expected_text: str = ""


def page_contender(
    key: str, label: str, server: Server, paths: Sequence[str], members: Sequence[Visitor] = (), baseline: str = ""
) -> Contender:
    """Return a contender whose pages are requested by *members* in turn, or by a reader if there are none."""
    requests = page_requests(paths, members)
    name = members[0].name if members else ""
    return Contender(key, label, server, lambda: requests, baseline, expected_text=name)


def measure_rounds(contenders: Sequence[Contender], rounds: int, seconds: float) -> list[dict[str, Sample]]:
    """Return for each round the samples by the keys of the contenders, each of so many *seconds*."""
    for contender in contenders:
        _measure(contender, seconds * WARM_UP_SHARE)
    samples = []
    for number in range(1, rounds + 1):
        report_progress(f"round {number} of {rounds}, {len(contenders)} contenders")
        samples.append({contender.key: _measure(contender, seconds) for contender in contenders})
    return samples


def _measure(contender: Contender, seconds: float) -> Sample:
    requests, server = contender.make_requests(), contender.server
    wrong_pages = 0 if _shows_expected_page(contender, requests) else 1
    cpu_before = server.cpu_seconds()
    sample = send(server.origin, requests, contender.statuses, seconds)
    cpu_seconds = server.cpu_seconds() - cpu_before
    _wait_until_idle(server)
    errors = sample.errors + contender.count_mismatches(sample) + wrong_pages
    if not sample.requests and seconds < MIN_RESPONSE_SECONDS:
        return _measure(contender, seconds * 4)  # the machine may be too busy for such a short measurement
    return replace(sample, errors=errors if sample.requests else max(errors, 1), cpu_seconds=cpu_seconds)


def _wait_until_idle(server: Server) -> None:
    """Wait until *server* has answered the requests that were in flight at the end of a measurement."""
    before = server.cpu_seconds()
    for _ in range(MAX_IDLE_CHECKS):
        time.sleep(IDLE_CHECK_SECONDS)
        after = server.cpu_seconds()
        if after - before < IDLE_CHECK_SECONDS * IDLE_SHARE:
            return
        before = after


def _shows_expected_page(contender: Contender, requests: Sequence[Request]) -> bool:
    """Tell whether the first page has the expected content, which wrk does not check; no form is sent."""
    page = next((request for request in requests if request.method == "GET"), None)
    if not page:
        return True
    return contender.expected_text in Visitor(contender.server.origin).page(page.path, **page.headers).decode()
