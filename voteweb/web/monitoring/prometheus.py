"""The metrics of a site in the format of Prometheus.

Where PROMETHEUS_MULTIPROC_DIR names a folder, all workers of a site count there together, each in files of its own.
The counts of a worker that has ended stay, so the folder must be empty when the site starts.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb import __version__
from voteweb.core import clock
from voteweb.core.config import METRICS_DIR_VARIABLE
from voteweb.search.models import State
from voteweb.store.accounts.mail import MailStatus
from voteweb.store.server.health import BackupFacts, Sizes
from voteweb.web.monitoring.events import Event


class Facts(NamedTuple):
    """The facts that gauges show.

    *is_up* tells whether Redis answers. *sizes* and *mail* are None if it does not or their data are damaged, *mail*
    also on a site without mail; *backup* is None if there never was a good one. On a site that *has_search*, *search*
    is the state of the machine's index, None if there is none yet. *reasons* are those for which the site is degraded.
    *site* is its name on a shared database, if it has one.
    """

    sizes: Sizes | None = None
    backup: BackupFacts | None = None
    mail: MailStatus | None = None
    has_search: bool = False
    search: State | None = None
    reasons: int = 0
    is_up: bool = False
    site: str = ""


class GaugeCollector:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def collect(self) -> Iterator[Metric]:
        sizes, backup = self._facts.sizes, self._facts.backup
        build = GaugeMetricFamily(
            "voteweb_build", "Always 1; the labels are the version and VOTEWEB_SITE.", labels=["version", "site"]
        )
        build.add_metric([__version__, self._facts.site], 1)
        yield build
        yield _gauge("workers", "Web server processes that run.", _living_workers())
        yield _gauge("degraded_reasons", "Reasons that /healthz gives.", self._facts.reasons)
        yield _gauge("redis_up", "Whether Redis answers.", self._facts.is_up)
        if self._facts.is_up:
            ahead = "Seconds that the database's clock is ahead of this machine's."
            yield _gauge("clock_difference_seconds", ahead, clock.difference())
        if sizes:
            yield _gauge("articles", "Articles that are listed.", sizes.articles)
            yield _gauge("members", "Members who ever joined, and the posters of imported articles.", sizes.members)
            yield _gauge("open_reports", "Articles and comments with open reports.", sizes.open_reports)
            if sizes.memory is not None:
                yield _gauge("redis_memory_bytes", "Memory that Redis uses.", sizes.memory)
                yield _gauge("redis_max_memory_bytes", "Memory that Redis may use; 0: no limit.", sizes.max_memory)
        if backup:
            age = max(clock.now() - backup.time, 0)
            yield _gauge("backup_age_seconds", "Seconds since the last good backup.", age)
            yield _gauge("backup_bytes", "Size of the last good backup.", backup.size)
        if self._facts.mail:
            yield from _mail_gauges(self._facts.mail)
        if self._facts.has_search:
            yield from _search_gauges(self._facts.search)


def _gauge(name: str, description: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"voteweb_{name}", description, value=float(value))


def _living_workers() -> int:
    """Return how many processes count together and run; each has files named after its id."""
    folder = os.environ.get(METRICS_DIR_VARIABLE)
    if not folder:
        return 1
    ids = {int(path.stem.rpartition("_")[2]) for path in Path(folder).glob("counter_*.db")}
    return sum(map(_is_running, ids - {os.getppid()}))  # the main process has made an app too, to try it


def _is_running(id: int) -> bool:
    try:
        os.kill(id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs for somebody else
        return True
    return True


def _mail_gauges(status: MailStatus) -> Iterator[Metric]:
    failing = clock.now() - status.failing if status.failing else 0
    yield _gauge("mail_failing_seconds", "Seconds for which mails have failed.", failing)
    yield _gauge("mails_due", "Mails that are due and not sent.", status.due)
    ended = CounterMetricFamily("voteweb_mails", "Attempts to send a mail, by outcome.", labels=["outcome"])
    for outcome, count in status.ended.items():
        ended.add_metric([outcome], count)
    yield ended


def _search_gauges(state: State | None) -> Iterator[GaugeMetricFamily]:
    yield _gauge("search_up", "Whether this machine has an index.", state is not None)
    if state:
        yield _gauge(
            "search_lag_seconds", "Seconds since the index was up to date.", max(time.time() - state.checked, 0)
        )
        rows = GaugeMetricFamily("voteweb_search_rows", "Articles and comments in the index.", labels=["kind"])
        rows.add_metric(["articles"], state.articles)
        rows.add_metric(["comments"], state.comments)
        yield rows


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
        self._searches = Histogram(
            "voteweb_search_seconds",
            "Searches in the index by outcome, with the time that they waited for their turn; a page of results may "
            "need two.",
            ["outcome"],
            buckets=_SEARCH_BUCKETS,
            registry=registry,
        )
        self._counters = {
            event: Counter(name, description, labels, registry=registry)
            for event in Event
            for name, description, labels in [event.value]
        }
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

    def count(self, event: Event, *labels: str) -> None:
        counter = self._counters[event]
        (counter.labels(*labels) if labels else counter).inc()

    def render(self, facts: Facts) -> bytes:
        """Return the metrics of all workers of the site, and gauges of the *facts*, as text."""
        counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else self._registry  # type: ignore[no-untyped-call]
        return generate_latest(counts) + generate_latest(GaugeCollector(facts))
