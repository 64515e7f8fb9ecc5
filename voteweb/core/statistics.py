"""Statistics of the site by UTC day. Nothing in them is about a member."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

#: Buckets of waiting times per doubling: a median read from them is off by a tenth at most.
_BUCKETS_PER_DOUBLING = 4
_MAX_BUCKET = 99


class DayCounts(NamedTuple):
    """The acts of one ``day`` (YYYY-MM-DD); ``waits`` are numbers of settled reports by bucket of waiting time."""

    day: str
    posts: int = 0
    votes: int = 0
    comments: int = 0
    sign_ups: int = 0
    reports: int = 0
    settled: int = 0
    waits: Mapping[int, int] | None = None


def wait_bucket(seconds: float) -> int:
    """Return the bucket of a waiting time: each is a quarter of a doubling wide, from one minute on."""
    minutes = max(seconds, 0) / 60
    return min(int(_BUCKETS_PER_DOUBLING * math.log2(minutes + 1)), _MAX_BUCKET)


def median_wait(days: Iterable[DayCounts]) -> float | None:
    """Return the median time in seconds until reports were settled, from the middle of its bucket; None for none."""
    counts: dict[int, int] = {}
    for day in days:
        for bucket, count in (day.waits or {}).items():
            counts[bucket] = counts.get(bucket, 0) + count
    half = sum(counts.values()) / 2
    for bucket in sorted(counts):
        half -= counts[bucket]
        if half <= 0:
            return 60 * (2 ** ((bucket + 0.5) / _BUCKETS_PER_DOUBLING) - 1)
    return None
