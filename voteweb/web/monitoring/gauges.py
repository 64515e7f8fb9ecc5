"""Gauges of what is read for each scrape: the site's sizes, its database, its workers and its index of search."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from voteweb import __version__
from voteweb.core import clock
from voteweb.core.config import METRICS_DIR_VARIABLE
from voteweb.search.models import State
from voteweb.store.accounts.mail import MailStatus
from voteweb.store.server.health import BackupFacts, Sizes


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
    """The gauges for one scrape."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def collect(self) -> Iterator[Metric]:
        """Yield each gauge."""
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
