"""Sums over samples: percentiles, medians, ratios within a round."""

from collections.abc import Mapping, Sequence
from statistics import median

from bench.load import Sample


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the value of *ordered* (ascending, not empty) that *percent* of all do not exceed."""
    at = -(-len(ordered) * percent // 100) - 1
    return ordered[min(max(int(at), 0), len(ordered) - 1)]


def ratios(mine: Sequence[Sample], others: Sequence[Sample]) -> list[float]:
    """Return my rate over the other's, round by round: what a noisy neighbour does to both cancels out."""
    return [a.rate / b.rate for a, b in zip(mine, others, strict=True)]


def costs(mine: Sequence[Sample], others: Sequence[Sample]) -> list[float]:
    """Return the other's processor time a request over mine, round by round."""
    return [b.cost / a.cost for a, b in zip(mine, others, strict=True) if a.busy]


def middle(samples: Sequence[Sample]) -> Sample:
    """Return the sample of the medians of *samples*; its errors are those of all."""
    return Sample(
        requests=round(median(each.requests for each in samples)),
        seconds=median(each.seconds for each in samples),
        p50=median(each.p50 for each in samples),
        p99=median(each.p99 for each in samples),
        errors=sum(each.errors for each in samples),
        busy=median(each.busy for each in samples),
    )


def transposed(rounds: Sequence[Mapping[str, Sample]]) -> dict[str, list[Sample]]:
    """Return the samples of each contender over all *rounds*."""
    return {key: [each[key] for each in rounds] for key in (rounds[0] if rounds else {})}
