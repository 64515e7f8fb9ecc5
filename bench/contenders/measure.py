"""Interleaved measurement: every contender in turn, round after round, so that a disturbance affects all of them."""

from collections.abc import Sequence
from dataclasses import replace

from bench.contenders.contender import Contender
from bench.http_session import HttpSession
from bench.load.measurement import LoadGenerator, Request, Sample
from bench.run_context import RunContext

#: Length of the warm-up before the first round, as a share of a measurement: it fills caches and loads code.
WARM_UP_SHARE = 0.3
#: Seconds of measurement in which every contender must answer at least one request.
MIN_RESPONSE_SECONDS = 3.0


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
    wrong_pages = 0 if _shows_expected_page(contender, requests[0]) else 1
    cpu_before = contender.server.cpu_seconds()
    sample = generator.run(contender.server.origin, requests, contender.expected, seconds, contender.connections)
    cpu_seconds = contender.server.cpu_seconds() - cpu_before
    errors = sample.errors + contender.count_mismatches(sample) + wrong_pages
    if not sample.requests and seconds < MIN_RESPONSE_SECONDS:
        return _measure(contender, generator, seconds * 4)  # the machine may be too busy for such a short measurement
    return replace(sample, errors=errors if sample.requests else max(errors, 1), cpu_seconds=cpu_seconds)


def _shows_expected_page(contender: Contender, request: Request) -> bool:
    """Tell whether a page has the expected content, which load generators do not check; a form is not sent."""
    if request.method != "GET":
        return True
    response = HttpSession(contender.server.origin).get(request.path, **request.headers)
    return response.status == contender.expected.status and contender.expected_text in response.body.decode()
