"""What is counted for Prometheus: requests, votes, refusals of limits and the time that Redis takes.

Where PROMETHEUS_MULTIPROC_DIR names a folder, the processes of a site count there together, each in files of its own;
what one that has ended had counted stays counted, so the folder must be empty at the start of a site.
"""

import os
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb.core.config import METRICS_DIR_VARIABLE

#: Upper bounds in seconds: a kept page is in the first, a plain page within 5 ms, a password's hash within 50.
_REQUESTS = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)
#: Upper bounds in seconds: within one machine a round trip is in the first two, and 2 is when a page gives up.
_TRIPS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)


class Metrics:
    """The counts of one site."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = mine = CollectorRegistry()
        self._requests = Histogram(
            "voteweb_request_seconds",
            "Requests by route and status, until the answer is ready; page says whether a kept page was sent (hit), "
            "made (miss), or not looked for (pass).",
            ("route", "status", "page"),
            buckets=_REQUESTS,
            registry=mine,
        )
        self._trips = Histogram(
            "voteweb_redis_seconds", "Round trips to Redis, failed ones too.", buckets=_TRIPS, registry=mine
        )
        self._votes = Counter(
            "voteweb_votes",
            "Attempts to vote or to take a vote back, by what became of them.",
            ["outcome"],
            registry=mine,
        )
        self._limits = Counter("voteweb_limits", "Acts that a limit has refused.", ["limit"], registry=mine)
        # Looking a series up by its labels takes as long as counting in it.
        self._series: dict[tuple[str, str, str], Histogram] = {}

    def request(self, route: str, status: str, page: str, seconds: float) -> None:
        """Count a request."""
        key = route, status, page
        series = self._series.get(key)
        if series is None:
            series = self._series[key] = self._requests.labels(*key)
        series.observe(seconds)

    def trip(self, seconds: float) -> None:
        """Count a round trip to Redis."""
        self._trips.observe(seconds)

    def vote(self, outcome: str) -> None:
        """Count an attempt to vote, or to take a vote back."""
        self._votes.labels(outcome).inc()

    def limit(self, kind: str) -> None:
        """Count an act that was refused."""
        self._limits.labels(kind).inc()

    def text(self, sizes: tuple[int, int] | None) -> bytes:
        """Return what all processes of the site have counted, as Prometheus reads it.

        *sizes* are how many articles are listed and the last number given to a member; None where Redis does not say.
        """
        counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else self._registry  # type: ignore[no-untyped-call]
        return generate_latest(counts) + generate_latest(_Sizes(sizes))


class _Sizes:
    """What is not counted, but looked up whenever it is asked for."""

    def __init__(self, sizes: tuple[int, int] | None) -> None:
        self._sizes = sizes

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield what is known."""
        yield GaugeMetricFamily("voteweb_redis_up", "Whether Redis answers.", value=float(self._sizes is not None))
        if self._sizes:
            articles, members = self._sizes
            yield GaugeMetricFamily("voteweb_articles", "Articles that are listed.", value=articles)
            about = "Members there have ever been, with the posters of imported articles."
            yield GaugeMetricFamily("voteweb_members", about, value=members)
