"""The metrics of a site in the format of Prometheus.

Where PROMETHEUS_MULTIPROC_DIR names a folder, all workers of a site count there together, each in files of its own.
The counts of a worker that has ended stay, so the folder must be empty when the site starts.
"""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb.core.config import METRICS_DIR_VARIABLE
from voteweb.web.monitoring.gauges import Facts, GaugeCollector

#: Upper bounds in seconds: a cached page is in the first, a plain page within 5 ms, a password hash within 50 ms.
_REQUEST_BUCKETS = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)
#: Upper bounds in seconds: on one machine a round trip is in the first two; after 2 s a page gives up.
_ROUND_TRIP_BUCKETS = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5)
#: Upper bounds in seconds: newest first within 5 ms, by relevance within 50 ms; after 0.2 s a search gives up.
_SEARCH_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5)


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
        self._searches = Histogram(
            "voteweb_search_seconds",
            "Searches in the index by outcome, with the time that they waited for their turn; a page of results may "
            "need two.",
            ["outcome"],
            buckets=_SEARCH_BUCKETS,
            registry=registry,
        )
        self._logins = Counter("voteweb_logins", "Attempts to log in, by outcome.", ["outcome"], registry=registry)
        self._signups = Counter("voteweb_signups", "Members who signed up.", registry=registry)
        self._damages = Counter(
            "voteweb_damaged", "Requests that met damaged data and were answered with 503.", registry=registry
        )
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

    def observe_search(self, outcome: str, seconds: float) -> None:
        self._searches.labels(outcome).observe(seconds)

    def count_vote(self, outcome: str) -> None:
        self._votes.labels(outcome).inc()

    def count_refusal(self, kind: str) -> None:
        self._refusals.labels(kind).inc()

    def count_login(self, outcome: str) -> None:
        self._logins.labels(outcome).inc()

    def count_signup(self) -> None:
        self._signups.inc()

    def count_damage(self) -> None:
        self._damages.inc()

    def render(self, facts: Facts) -> bytes:
        """Return the metrics of all workers of the site, and gauges of the *facts*, as text."""
        counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else self._registry  # type: ignore[no-untyped-call]
        return generate_latest(counts) + generate_latest(GaugeCollector(facts))
