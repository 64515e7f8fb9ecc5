"""The metrics of a site in the format of Prometheus.

Where PROMETHEUS_MULTIPROC_DIR names a folder, all workers of a site count there together, each in files of its own.
The counts of a worker that has ended stay, so the folder must be empty when the site starts.
"""

import os
import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb.core.config import METRICS_DIR_VARIABLE
from voteweb.search.models import State
from voteweb.store.last_backup import BackupFacts
from voteweb.store.mail import MailStatus

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

    def render(
        self,
        sizes: tuple[int, int] | None,
        search: State | None = None,
        *,
        has_search: bool = False,
        backup: BackupFacts | None = None,
        mail: MailStatus | None = None,
    ) -> bytes:
        """Return the metrics of all workers of the site as text.

        *sizes* are the number of listed articles and the last id given to a member, None if Redis does not answer. On a
        site that *has_search*, *search* is the state of the machine's index, None if there is none yet. *backup* is
        the last good one, None if there never was one. On a site with mail, *mail* is how that goes.
        """
        counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else self._registry  # type: ignore[no-untyped-call]
        text = generate_latest(counts) + generate_latest(_SizeCollector(sizes, search, has_search, backup))
        return text + generate_latest(_MailCollector(mail)) if mail else text


class _SizeCollector:
    """Gauges of what is read for each scrape."""

    def __init__(
        self, sizes: tuple[int, int] | None, search: State | None, has_search: bool, backup: BackupFacts | None
    ) -> None:
        self._sizes, self._backup = sizes, backup
        self._search, self._has_search = search, has_search

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("voteweb_redis_up", "Whether Redis answers.", value=float(self._sizes is not None))
        if self._sizes:
            articles, members = self._sizes
            yield GaugeMetricFamily("voteweb_articles", "Articles that are listed.", value=articles)
            description = "Members who have ever joined, including the posters of imported articles."
            yield GaugeMetricFamily("voteweb_members", description, value=members)
        if self._backup:
            age, size = max(time.time() - self._backup.time, 0), self._backup.size
            yield GaugeMetricFamily("voteweb_backup_age_seconds", "Seconds since the last good backup.", value=age)
            yield GaugeMetricFamily("voteweb_backup_bytes", "Size of the last good backup.", value=size)
        if self._has_search:
            yield from _search_gauges(self._search)


class _MailCollector:
    """The mails of a site, as its database counts them."""

    def __init__(self, status: MailStatus) -> None:
        self._status = status

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        status = self._status
        failing = time.time() - status.failing if status.failing else 0
        yield GaugeMetricFamily("voteweb_mail_failing_seconds", "Seconds for which mails have failed.", value=failing)
        yield GaugeMetricFamily("voteweb_mails_due", "Mails that are due and not sent.", value=status.due)
        ended = CounterMetricFamily("voteweb_mails", "Attempts to send a mail, by outcome.", labels=["outcome"])
        for outcome, count in status.ended.items():
            ended.add_metric([outcome], count)
        yield ended


def _search_gauges(state: State | None) -> Iterator[GaugeMetricFamily]:
    yield GaugeMetricFamily("voteweb_search_up", "Whether this machine has an index.", value=float(state is not None))
    if state:
        age = max(time.time() - state.checked, 0)
        yield GaugeMetricFamily("voteweb_search_lag_seconds", "Seconds since the index was up to date.", value=age)
        rows = GaugeMetricFamily("voteweb_search_rows", "Articles and comments in the index.", labels=["kind"])
        rows.add_metric(["articles"], state.articles)
        rows.add_metric(["comments"], state.comments)
        yield rows
