"""The metrics of a site in the format of Prometheus.

Where PROMETHEUS_MULTIPROC_DIR names a folder, all workers of a site count there together, each in files of its own.
The counts of a worker that has ended stay, so the folder must be empty when the site starts.
"""

import os
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb.core.config import METRICS_DIR_VARIABLE

#: Upper bounds in seconds: a cached page is in the first, a plain page within 5 ms, a password hash within 50 ms.
_REQUEST_BUCKETS = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)
#: Upper bounds in seconds: on one machine a round trip is in the first two; after 2 s a page gives up.
_ROUND_TRIP_BUCKETS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)


class PrometheusMetrics:
    """The counters and histograms of one site."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        self._requests = Histogram(
            "voteweb_request_seconds",
            "Requests by route and status, until the response is ready; page tells whether a cached page was sent "
            "(hit), a page was cached (miss), or the page cache was not used (pass).",
            ("route", "status", "page"),
            buckets=_REQUEST_BUCKETS,
            registry=registry,
        )
        self._round_trips = Histogram(
            "voteweb_redis_seconds",
            "Round trips to Redis, including failed ones.",
            buckets=_ROUND_TRIP_BUCKETS,
            registry=registry,
        )
        self._votes = Counter(
            "voteweb_votes", "Attempts to vote or to take a vote back, by outcome.", ["outcome"], registry=registry
        )
        self._refusals = Counter("voteweb_limits", "Requests refused by a rate limit.", ["limit"], registry=registry)
        # Finding a series by its labels takes as long as counting in it.
        self._request_series: dict[tuple[str, str, str], Histogram] = {}

    def observe_request(self, route: str, status: str, cache_status: str, seconds: float) -> None:
        labels = route, status, cache_status
        series = self._request_series.get(labels)
        if series is None:
            series = self._request_series[labels] = self._requests.labels(*labels)
        series.observe(seconds)

    def observe_round_trip(self, seconds: float) -> None:
        self._round_trips.observe(seconds)

    def count_vote(self, outcome: str) -> None:
        self._votes.labels(outcome).inc()

    def count_refusal(self, kind: str) -> None:
        self._refusals.labels(kind).inc()

    def render(self, sizes: tuple[int, int] | None) -> bytes:
        """Return the metrics of all workers of the site as text.

        *sizes* are the number of listed articles and the last id given to a member, None if Redis does not answer.
        """
        counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else self._registry  # type: ignore[no-untyped-call]
        return generate_latest(counts) + generate_latest(_SizeCollector(sizes))


class _SizeCollector:
    """Gauges that are read from Redis for each scrape."""

    def __init__(self, sizes: tuple[int, int] | None) -> None:
        self._sizes = sizes

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("voteweb_redis_up", "Whether Redis answers.", value=float(self._sizes is not None))
        if self._sizes:
            articles, members = self._sizes
            yield GaugeMetricFamily("voteweb_articles", "Articles that are listed.", value=articles)
            description = "Members who have ever joined, including the posters of imported articles."
            yield GaugeMetricFamily("voteweb_members", description, value=members)
