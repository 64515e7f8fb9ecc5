"""``voteweb jobs``: run the background jobs, each in one process of all that could, and keep this machine's index."""

import fcntl
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import click

from voteweb.cli import entry_point
from voteweb.cli.output import warn
from voteweb.cli.signals import SignalEvent
from voteweb.cli.site import ANSWER_TIMEOUT, Site, with_site
from voteweb.core.errors import Unavailable, VotewebError
from voteweb.core.jobs import (
    ACCOUNT_DELETIONS,
    BAN_REMOVALS,
    COMMENT_REMOVALS,
    DOMAIN_REMOVALS,
    GROUP_MERGES,
    JOBS,
    MAIL,
    RESCORING,
    UNDOING,
    Job,
)
from voteweb.search.engine import has_full_text_search
from voteweb.search.files import IndexFolder
from voteweb.search.health import start_warnings
from voteweb.search.indexer import Indexer
from voteweb.search.models import AlreadyIndexing
from voteweb.store.site.leases import Steps

#: Seconds between two checks of a worker whether its parent still lives; until then a killed parent's port stays taken.
PARENT_POLL_SECONDS = 0.2
#: Seconds within which a signal to all processes has reached this one too.
SIGNAL_DELAY_SECONDS = 0.3
#: Seconds until the index is tried again after another process had it, or after a failure.
RETRY_SECONDS = 10.0


def keep_index(indexer: Indexer, stop: threading.Event) -> None:
    """Keep the index up to date until *stop* is set; a failure is reported once, and tried again."""
    reported = ""
    while not stop.is_set():
        try:
            indexer.run(stop.is_set)
        except (AlreadyIndexing, Unavailable):
            pass  # another process does it; /healthz and the web server's log say so already
        except Exception as error:
            cause = error.__cause__ or error  # the message of an error of search is for those who search
            message = str(cause) if isinstance(cause, VotewebError | OSError) else f"{type(cause).__name__}: {cause}"
            if message != reported:
                warn(f"the index of search is not up to date: {message}")
            reported = message
        stop.wait(RETRY_SECONDS)


def mail_steps(site: Site) -> Steps:
    """Return what sends the mails of *site* that are due; nothing on a site without mail."""
    if not site.settings.mail_url:
        return lambda: iter(())
    # Other commands, and a site without mail, start without Flask.
    from voteweb.app import create_app
    from voteweb.web.mail.sending import send_due_mails

    # The metrics are those of the web server.
    settings = replace(site.store.context.unswitched, metrics_token="")  # nosec B106
    app = cache(lambda: create_app(settings, site.store))
    return lambda: send_due_mails(app())


#: Seconds that running steps have to finish when the process ends; they may be cut off and run again.
STOP_SECONDS = 5.0
#: The code of every job.
RUNNERS: dict[Job, Callable[[Site], Steps]] = {
    ACCOUNT_DELETIONS: lambda site: site.store.account_deletion.steps,
    COMMENT_REMOVALS: lambda site: site.store.removals.steps,
    BAN_REMOVALS: lambda site: site.store.bans.steps,
    DOMAIN_REMOVALS: lambda site: site.store.domain_rules.steps,
    GROUP_MERGES: lambda site: site.store.group_merges.steps,
    UNDOING: lambda site: site.store.undoing.steps,
    MAIL: mail_steps,
    RESCORING: lambda site: site.store.site_settings.rescoring_steps,
}


@click.command()
@click.option("--once", is_flag=True, help="Run every job once and bring the index up to date, then end, as for cron.")
@with_site(ANSWER_TIMEOUT)
def jobs(site: Site, once: bool) -> None:
    """Run the background jobs of the site until Ctrl-C, and keep what this machine searches up to date.

    "voteweb run" starts such a process itself; several of them share the jobs.
    """
    stop, signalled = threading.Event(), SignalEvent()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: signalled.set())
    if multiprocessing.parent_process():  # "voteweb run", which ends this process at Ctrl-C
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # At once: steps may be cut off and run again.
        threading.Thread(target=exit_with_parent, args=[0], daemon=True).start()
    else:  # under "voteweb run", that has said so
        for warning in start_warnings(is_on=bool(site.settings.search)):
            warn(warning)
    indexer = None
    if site.settings.search and has_full_text_search():
        indexer = Indexer(IndexFolder(site.settings.search_folder), site.store.search)
    if once:
        for job in site.store.jobs.waiting():
            site.store.jobs.run(job, RUNNERS[job](site), signalled.is_set)
        with suppress(AlreadyIndexing):
            if indexer:
                indexer.catch_up()
        return
    threads = [threading.Thread(target=_keep_running_jobs, args=[site, stop], daemon=True)]
    if indexer:
        threads.append(threading.Thread(target=keep_index, args=[indexer, stop], daemon=True))
    for thread in threads:
        thread.start()
    signalled.wait()
    stop.set()
    deadline = time.monotonic() + STOP_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


#: Seconds between two questions whether a job has something to do.
ASK_SECONDS = 3.0


def _keep_running_jobs(site: Site, stop: threading.Event) -> None:
    """Run each job that has something to do, in a thread of its own, until *stop* is set."""
    threads = dict[Job, threading.Thread]()
    runners = {job: RUNNERS[job](site) for job in JOBS}

    def start_waiting() -> None:
        for job in site.store.jobs.waiting():
            if job not in threads or not threads[job].is_alive():
                threads[job] = threading.Thread(target=_run, args=[site, job, runners[job], stop], daemon=True)
                threads[job].start()

    while not stop.is_set():
        _report_failure("the background jobs were not asked for", start_waiting)
        stop.wait(ASK_SECONDS)
    for thread in threads.values():
        thread.join()


def _run(site: Site, job: Job, steps: Steps, stop: threading.Event) -> None:
    """Run *job* once, and end at the earliest time of its next run."""
    _report_failure(f"the background job {job.name} failed", lambda: site.store.jobs.run(job, steps, stop.is_set))
    stop.wait(job.interval)


def _report_failure(message: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Unavailable:
        pass  # /healthz and the web server's log say so already
    except Exception as error:
        warn(f"{message}: {type(error).__name__}: {error}")


#: Seconds until the process is started again after it died: at first, and after it died several times in a row.
RESTART_SECONDS = 1.0
MAX_RESTART_SECONDS = 30.0
#: Seconds between two checks whether the site stops.
POLL_SECONDS = 0.2


@contextmanager
def background_jobs(lock: Path, is_stopping: Callable[[], bool]) -> Iterator[None]:
    """Run ``voteweb jobs`` in a process of its own until the block ends or the web server *is_stopping*.

    The web server waits for open requests first: the jobs end meanwhile, not after it. Their settings are those in the
    environment. Of several web servers that share the file *lock*, one at a time has such a process.
    """
    ended = threading.Event()

    def is_over(seconds: float) -> bool:
        """Return True as soon as the jobs are to end, or False after *seconds*."""
        deadline = time.monotonic() + seconds
        while not (ended.is_set() or is_stopping()):
            if (left := deadline - time.monotonic()) <= 0:
                return False
            ended.wait(min(left, POLL_SECONDS))
        return True

    thread = threading.Thread(target=_run_if_locked, args=[lock, is_over])
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _run_if_locked(lock: Path, is_over: Callable[[float], bool]) -> None:
    """Keep the jobs running as soon as this process has the *lock*; at once if there can be none."""
    with ExitStack() as stack:
        with suppress(OSError):  # without a folder, or on a file system without locks
            file = stack.enter_context(lock.open("w"))
            while not is_over(0):
                try:
                    # Of this process alone, not of the web server's forks: it ends with this process, however it ends.
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    is_over(RESTART_SECONDS)
        _keep_running(is_over)


def _keep_running(is_over: Callable[[float], bool]) -> None:
    # A fork shares what this process has imported: 25 MB of the 38 that a new process takes.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pause = RESTART_SECONDS
    while not is_over(0):
        process = context.Process(target=_run_jobs)
        process.start()
        while process.exitcode is None and not is_over(POLL_SECONDS):
            pass
        if process.exitcode is None:
            process.terminate()
            process.join(2 * STOP_SECONDS)
            process.kill()  # if it has not ended
            process.join()
        # A signal to all processes of the site may have reached that process first.
        elif not is_over(SIGNAL_DELAY_SECONDS):
            warn(f"the background jobs ended (status {process.exitcode}) and start again.")
            is_over(pause)
            pause = min(2 * pause, MAX_RESTART_SECONDS)


def _run_jobs() -> None:
    """Run ``voteweb jobs`` in this child process, whose name tells it from the web server's workers."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text("voteweb-jobs")
    sys.argv[1:] = ["jobs"]
    entry_point()


def exit_with_parent(grace: float) -> None:
    """End this process when its parent, that of multiprocessing, has ended, with *grace* seconds for what it does."""
    parent = multiprocessing.parent_process()
    while parent is None or os.getppid() == parent.pid:
        time.sleep(PARENT_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(1)
