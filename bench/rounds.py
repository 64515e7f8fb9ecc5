"""Rounds: every contender in its turn, again and again, so that what disturbs the machine disturbs them all."""

from collections.abc import Sequence
from dataclasses import replace

from bench.contenders import Contender
from bench.load import Load, Sample, Shot
from bench.run import Run
from bench.visitor import Visitor

#: Share of a measurement that goes before the first of each contender: caches fill, code is loaded.
WARM = 0.3
#: Seconds after which a contender that has answered nothing at all is at fault.
PATIENCE = 3.0


def run(contenders: Sequence[Contender], about: Run) -> list[dict[str, Sample]]:
    """Return the samples of each round by the contenders' keys."""
    for each in contenders:
        _measure(each, about.load, about.seconds * WARM)
    found = []
    for number in range(1, about.rounds + 1):
        about.tell(f"round {number} of {about.rounds}, {len(contenders)} contenders")
        found.append({each.key: _measure(each, about.load, about.seconds) for each in contenders})
    return found


def _measure(contender: Contender, load: Load, seconds: float) -> Sample:
    requests = contender.requests()
    wrong = not _is_good(contender, requests[0])
    busy = contender.server.busy()
    sample = load.run(contender.server.origin, requests, contender.expect, seconds, contender.connections)
    busy = contender.server.busy() - busy
    errors = sample.errors + contender.undone(sample) + wrong
    if not sample.requests and seconds < PATIENCE:
        return _measure(contender, load, seconds * 4)  # so short a time on so busy a machine tells nothing
    return replace(sample, errors=errors if sample.requests else max(errors, 1), busy=busy)


def _is_good(contender: Contender, first: Shot) -> bool:
    """Tell whether a page is what it should be: the generators look at statuses only. An act is not tried."""
    if first.method != "GET":
        return True
    answer = Visitor(contender.server.origin).open(first.path, **first.headers)
    return answer.status == contender.expect.status and contender.shows in answer.body.decode()
