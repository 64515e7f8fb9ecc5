"""``voteweb jobs``: run the background jobs, each in one process of all that could, and keep this machine's index."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import click

from voteweb.cli.index import keep_index, new_indexer
from voteweb.cli.mail import mail_steps
from voteweb.cli.site import ANSWER_TIMEOUT, Site, with_site
from voteweb.cli.workers import exit_with_parent
from voteweb.core.errors import Unavailable
from voteweb.core.jobs import ACCOUNT_DELETIONS, BAN_REMOVALS, COMMENT_REMOVALS, JOBS, MAIL, RESCORING, Job
from voteweb.search.engine import has_full_text_search
from voteweb.search.errors import AlreadyIndexing
from voteweb.search.health import start_warnings
from voteweb.store.site.leases import Steps

#: Seconds that running steps have to finish when the process ends; they may be cut off and run again.
STOP_SECONDS = 5.0
#: The code of every job.
RUNNERS: dict[Job, Callable[[Site], Steps]] = {
    ACCOUNT_DELETIONS: lambda site: site.store.account_deletion.steps,
    COMMENT_REMOVALS: lambda site: site.store.removals.steps,
    BAN_REMOVALS: lambda site: site.store.bans.steps,
    MAIL: mail_steps,
    RESCORING: lambda site: site.store.site.rescoring_steps,
}


@click.command()
@click.option("--once", is_flag=True, help="Run every job once and bring the index up to date, then end, as for cron.")
@click.option("--parent", type=int, hidden=True, help="End when the process of this id has ended; leave Ctrl-C to it.")
@with_site(ANSWER_TIMEOUT)
def jobs(site: Site, once: bool, parent: int | None) -> None:
    """Run the background jobs of the site until Ctrl-C, and keep what this machine searches up to date.

    "voteweb run" does this already. Start it beside another web server, such as gunicorn, on each machine; several of
    these processes share the jobs.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if parent is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=exit_with_parent, args=[STOP_SECONDS, parent], daemon=True).start()
    else:  # under "voteweb run", that has said so
        for warning in start_warnings(is_on=bool(site.settings.search)):
            click.echo(f"Warning: {warning}", err=True)
    has_search = site.settings.search and has_full_text_search()
    if once:
        for job in JOBS:
            site.store.jobs.run(job, RUNNERS[job](site), stop.is_set)
        with suppress(AlreadyIndexing):
            if has_search:
                new_indexer(site).catch_up()
        return
    threads = [threading.Thread(target=_repeat, args=[site, job, stop], daemon=True) for job in JOBS]
    if has_search:
        threads.append(threading.Thread(target=keep_index, args=[new_indexer(site), stop], daemon=True))
    for thread in threads:
        thread.start()
    stop.wait()
    deadline = time.monotonic() + STOP_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _repeat(site: Site, job: Job, stop: threading.Event) -> None:
    """Run *job* again and again until *stop* is set; a failure is reported, and the next run follows in time."""
    while not stop.is_set():
        try:
            site.store.connection.ping()  # which sets the clock of this process
            site.store.jobs.run(job, RUNNERS[job](site), stop.is_set)
        except Unavailable:
            pass  # /healthz and the web server's log say so already
        except Exception as error:
            click.echo(f"Warning: the background job {job.name} failed: {type(error).__name__}: {error}", err=True)
        stop.wait(job.interval)
