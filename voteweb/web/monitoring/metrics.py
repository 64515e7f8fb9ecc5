"""The metrics of a site in the format of Prometheus, which only a site with VOTEWEB_METRICS_TOKEN shows.

Where PROMETHEUS_MULTIPROC_DIR names a folder, all workers of a site count there together, each in files of its own.
prometheus_client reads it when it is imported. The counts of a worker that has ended stay, so the folder must be empty
when the site starts.
"""

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from voteweb import __version__
from voteweb.core import clock
from voteweb.core.config import METRICS_DIR_VARIABLE
from voteweb.core.settings import Settings
from voteweb.search.index import SearchIndex
from voteweb.search.models import State
from voteweb.store import Store
from voteweb.store.accounts.mail import MailStatus
from voteweb.store.server.health import BackupFacts, Sizes

disable_created_metrics()  # type: ignore[no-untyped-call]
_registry = CollectorRegistry()
#: The outcome is a VoteFlash or the code of a refusal.
VOTES = Counter("voteweb_votes", "Attempts to vote or to take one back, by outcome.", ["outcome"], registry=_registry)
REFUSALS = Counter("voteweb_limits", "Requests refused by a rate limit.", ["limit"], registry=_registry)
#: The outcome is a LogInOutcome.
LOG_INS = Counter("voteweb_logins", "Attempts to log in, by outcome.", ["outcome"], registry=_registry)
SIGN_UPS = Counter("voteweb_signups", "Members who signed up.", registry=_registry)
DAMAGES = Counter("voteweb_damaged", "Requests that met damaged data and were answered with 503.", registry=_registry)
#: Upper bounds in seconds: a cached page is in the first, a plain page within 5 ms, a password hash within 50 ms.
REQUESTS = Histogram(
    "voteweb_request_seconds",
    "Requests by route and status, until the response is ready; page tells whether a cached page was sent (hit), a "
    "page was cached (miss), or the page cache was not used (pass).",
    ["route", "status", "page"],
    buckets=(0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5),
    registry=_registry,
)
#: Finding a series by its labels takes as long as counting in it.
request_series, vote_series = cache(REQUESTS.labels), cache(VOTES.labels)
#: Upper bounds in seconds: on one machine a round trip is in the first two; after 2 s a page gives up.
_ROUND_TRIPS = Histogram(
    "voteweb_redis_seconds",
    "Round trips to Redis, including failed ones.",
    buckets=(0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.5),
    registry=_registry,
)
#: Upper bounds in seconds: newest first within 5 ms, by relevance within 50 ms; after 0.2 s a search gives up.
SEARCHES = Histogram(
    "voteweb_search_seconds",
    "Searches in the index by outcome, with the time that they waited for their turn; a page of results may need two.",
    ["outcome"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5),
    registry=_registry,
)


def init_app(settings: Settings, store: Store, index: SearchIndex | None) -> None:
    """Count the round trips of *store* and the searches of *index*, if *settings* have a token to read metrics."""
    if settings.metrics_token:
        DAMAGES.inc(0)  # makes the files by which a worker is counted, also if it is a fork
        store.connection.on_round_trip = _ROUND_TRIPS.observe
        if index:
            index.on_search = lambda outcome, seconds: SEARCHES.labels(outcome).observe(seconds)


class Facts(NamedTuple):
    """The facts that gauges show, as prometheus_client collects them.

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

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily(
            "voteweb_build", "Always 1; the labels are the version and VOTEWEB_SITE.", labels=["version", "site"]
        )
        build.add_metric([__version__, self.site], 1)
        yield build
        for name, description, value in self._gauges():
            yield GaugeMetricFamily(f"voteweb_{name}", description, value=float(value))
        if self.mail:
            ended = CounterMetricFamily("voteweb_mails", "Attempts to send a mail, by outcome.", labels=["outcome"])
            for outcome, count in self.mail.ended.items():
                ended.add_metric([outcome], count)
            yield ended
        if self.search:
            rows = GaugeMetricFamily("voteweb_search_rows", "Articles and comments in the index.", labels=["kind"])
            rows.add_metric(["articles"], self.search.articles)
            rows.add_metric(["comments"], self.search.comments)
            yield rows

    def _gauges(self) -> Iterator[tuple[str, str, float]]:
        """Yield the names, descriptions and values of the gauges without labels."""
        yield "workers", "Web server processes that run.", _living_workers()
        yield "degraded_reasons", "Reasons that /healthz gives.", self.reasons
        yield "redis_up", "Whether Redis answers.", self.is_up
        if self.is_up:
            ahead = "Seconds that the database's clock is ahead of this machine's."
            yield "clock_difference_seconds", ahead, clock.difference()
        if self.sizes:
            yield "articles", "Articles that are listed.", self.sizes.articles
            yield "members", "Members who ever joined, and the posters of imported articles.", self.sizes.members
            yield "open_reports", "Articles and comments with open reports.", self.sizes.open_reports
            if self.sizes.memory is not None:
                yield "redis_memory_bytes", "Memory that Redis uses.", self.sizes.memory
                yield "redis_max_memory_bytes", "Memory that Redis may use; 0: no limit.", self.sizes.max_memory
        if self.backup:
            yield "backup_age_seconds", "Seconds since the last good backup.", max(clock.now() - self.backup.time, 0)
            yield "backup_bytes", "Size of the last good backup.", self.backup.size
        if self.mail:
            failing = clock.now() - self.mail.failing if self.mail.failing else 0
            yield "mail_failing_seconds", "Seconds for which mails have failed.", failing
            yield "mails_due", "Mails that are due and not sent.", self.mail.due
        if self.has_search:
            yield "search_up", "Whether this machine has an index.", self.search is not None
        if self.search:
            lag = max(time.time() - self.search.checked, 0)
            yield "search_lag_seconds", "Seconds since the index was up to date.", lag


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


def render(facts: Facts) -> bytes:
    """Return the metrics of all workers of the site, and gauges of the *facts*, as text."""
    counts = MultiProcessCollector(None) if os.environ.get(METRICS_DIR_VARIABLE) else _registry  # type: ignore[no-untyped-call]
    return generate_latest(counts) + generate_latest(facts)
