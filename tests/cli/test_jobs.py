"""``voteweb jobs``, alone and as a part of ``voteweb run``: killed, doubled, stopped."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests import factories
from tests.helpers import PATIENCE, until
from tests.pausable_proxy import PausableProxy
from tests.site_process import SECRET, StartSite, run_voteweb, start_voteweb
from tests.store.examination import broken, run
from voteweb.cli.jobs import RUNNERS
from voteweb.core.jobs import JOBS
from voteweb.core.models import User
from voteweb.store import Store

LEASE = "lease:account-deletions"
ARTICLES = 120


@pytest.fixture
def leaver(store: Store) -> User:
    """A member with many articles who has left; nobody has begun with the articles."""
    ann = factories.user(store)
    for _ in range(ARTICLES):
        factories.article(store, ann)
    store.account_deletion.start(ann, delete_articles=True)
    return ann


def test_every_job_has_its_code() -> None:
    assert list(RUNNERS) == list(JOBS)


def remaining(store: Store) -> int:
    return int(run(store, "ZCARD", "posted:ann") + run(store, "ZCARD", "gone:ann"))


def exists(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def test_a_deletion_that_no_web_server_finished_is_taken_up(store: Store, server_url: str, leaver: User) -> None:
    assert run_voteweb("jobs", "--once", VOTEWEB_REDIS_URL=server_url) == (0, "", "")
    assert (store.account_deletion.unfinished(), remaining(store)) == ([], 0)
    assert broken(store) == []


@pytest.mark.heavy
def test_a_stopped_process_gives_its_lease_back(store: Store, proxy: PausableProxy, leaver: User) -> None:
    proxy.delay = 0.02  # a step takes seconds: a busy machine sends the signal before its end, too
    pipe = subprocess.PIPE
    with start_voteweb("jobs", env={"VOTEWEB_REDIS_URL": proxy.url}, stdout=pipe, stderr=pipe) as process:
        until(lambda: remaining(store) < ARTICLES)
        process.send_signal(signal.SIGINT)
        proxy.delay = 0.0  # the step ends in the time that a process has to stop
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0
    assert not run(store, "EXISTS", LEASE)
    assert store.account_deletion.unfinished() == ["ann"]


@pytest.mark.heavy
def test_a_job_that_fails_is_reported_and_repeated(store: Store, server_url: str) -> None:
    run(store, "SET", "leaving:", "no set")
    result = run_voteweb("jobs", "--once", VOTEWEB_REDIS_URL=server_url)
    assert result.status == 1
    assert "WRONGTYPE" in result.stderr
    with start_voteweb("jobs", env={"VOTEWEB_REDIS_URL": server_url}, stderr=subprocess.PIPE) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("Warning: the background job account-deletions failed:")
        process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.mark.heavy
def test_the_site_starts_its_background_jobs_again(start_site: StartSite, store: Store, server_url: str) -> None:
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    until(site.jobs_pids)
    (killed,) = site.jobs_pids()
    os.kill(killed, signal.SIGKILL)
    until(lambda: site.jobs_pids() not in ([], [killed]))
    site.process.terminate()
    _, stderr = site.process.communicate(timeout=PATIENCE)
    assert site.process.returncode == 0
    assert "Warning: the background jobs ended (status -9) and start again." in stderr


@pytest.mark.heavy
def test_one_of_two_web_servers_on_a_machine_runs_jobs(
    start_site: StartSite, store: Store, server_url: str, tmp_path: Path
) -> None:
    env = {"VOTEWEB_REDIS_URL": server_url, "VOTEWEB_DATA_DIR": str(tmp_path / "new"), "VOTEWEB_SEARCH": "1", **SECRET}
    first = start_site(**env)
    until(first.jobs_pids)
    second = start_site(**env)
    until(second.is_healthy)
    assert second.jobs_pids() == []
    (orphan,) = first.jobs_pids()
    first.process.send_signal(signal.SIGKILL)
    until(lambda: not exists(orphan))
    until(second.jobs_pids)
