"""Statistics of samples: percentiles, medians, and ratios within a round."""

from collections.abc import Mapping, Sequence
from statistics import median

from bench.load.measurement import Sample


def percentile(ascending: Sequence[float], percent: float) -> float:
    """Return the smallest of the *ascending* values that at least *percent* of them do not exceed."""
    index = -(-len(ascending) * percent // 100) - 1
    return ascending[min(max(int(index), 0), len(ascending) - 1)]


def rate_ratios(samples: Sequence[Sample], baselines: Sequence[Sample]) -> list[float]:
    """Return the rate over that of the baseline in the same round: a disturbance of both cancels out."""
    return [sample.rate / baseline.rate for sample, baseline in zip(samples, baselines, strict=True)]


def cpu_ratios(samples: Sequence[Sample], baselines: Sequence[Sample]) -> list[float]:
    """Return the baseline's processor time a request over that of the sample, for each round."""
    pairs = zip(samples, baselines, strict=True)
    return [baseline.cpu_per_request / sample.cpu_per_request for sample, baseline in pairs if sample.cpu_seconds]


def median_sample(samples: Sequence[Sample]) -> Sample:
    """Return the medians of *samples*, with the sum of their errors."""
    return Sample(
        requests=round(median(sample.requests for sample in samples)),
        seconds=median(sample.seconds for sample in samples),
        p50=median(sample.p50 for sample in samples),
        p99=median(sample.p99 for sample in samples),
        errors=sum(sample.errors for sample in samples),
        cpu_seconds=median(sample.cpu_seconds for sample in samples),
    )


def samples_by_contender(rounds: Sequence[Mapping[str, Sample]]) -> dict[str, list[Sample]]:
    """Return the samples of all *rounds* by the key of the contender."""
    return {key: [samples[key] for samples in rounds] for key in (rounds[0] if rounds else {})}
