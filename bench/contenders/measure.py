"""Interleaved measurement: every contender in turn, round after round, so that a disturbance affects all of them."""

import time
from collections.abc import Sequence
from dataclasses import replace

from bench.contenders.contender import PAGE_SHOWN, Contender
from bench.http_session import HttpSession
from bench.load.measurement import LoadGenerator, Request, Sample
from bench.processes import Server
from bench.run_context import RunContext

#: Length of the warm-up before the first round, as a share of a measurement: it fills caches and loads code.
WARM_UP_SHARE = 0.3
#: Seconds of measurement in which every contender must answer at least one request.
MIN_RESPONSE_SECONDS = 3.0
#: A server is idle if it uses less than this share of its core for so many seconds; it is checked so often at most.
IDLE_SHARE, IDLE_CHECK_SECONDS, MAX_IDLE_CHECKS = 0.1, 0.02, 100


def measure_rounds(contenders: Sequence[Contender], context: RunContext) -> list[dict[str, Sample]]:
    """Return for each round the samples by the keys of the contenders."""
    for contender in contenders:
        _measure(contender, context.generator, context.seconds * WARM_UP_SHARE)
    rounds = []
    for number in range(1, context.rounds + 1):
        context.report_progress(f"round {number} of {context.rounds}, {len(contenders)} contenders")
        rounds.append(
            {contender.key: _measure(contender, context.generator, context.seconds) for contender in contenders}
        )
    return rounds


def _measure(contender: Contender, generator: LoadGenerator, seconds: float) -> Sample:
    requests = contender.make_requests()
    wrong_pages = 0 if _shows_expected_page(contender, requests) else 1
    cpu_before = contender.server.cpu_seconds()
    sample = generator.run(contender.server.origin, requests, contender.expected, seconds, contender.connections)
    cpu_seconds = contender.server.cpu_seconds() - cpu_before
    _wait_until_idle(contender.server)
    errors = sample.errors + contender.count_mismatches(sample) + wrong_pages
    if not sample.requests and seconds < MIN_RESPONSE_SECONDS:
        return _measure(contender, generator, seconds * 4)  # the machine may be too busy for such a short measurement
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
    """Tell whether the first page has the expected content, which load generators do not check; no form is sent."""
    page = next((request for request in requests if request.method == "GET"), None)
    if not page:
        return True
    response = HttpSession(contender.server.origin).get(page.path, **page.headers)
    return response.status == PAGE_SHOWN.statuses[0] and contender.expected_text in response.body.decode()
