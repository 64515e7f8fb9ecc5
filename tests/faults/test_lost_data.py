"""FLUSHALL amid sign-ups, votes and reads: nobody gets a name, and only a restore, or an operator, goes on."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.helpers import short_folder, until
from tests.site_process import SiteProcess, StartSite, run_voteweb
from tests.storm import Storm
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.doctor import Doctor
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import NOUNS

pytestmark = pytest.mark.heavy

WORKERS = 2


class Crowd(Storm):
    """Visitors who sign up under ever new names, vote and read; ``answers`` counts what they got since it was empty."""

    def __init__(self, site: SiteProcess) -> None:
        super().__init__(threads=4)
        self._site = site
        self.names: list[str] = []
        self.answers: Counter[int] = Counter()

    def act(self, number: int) -> None:
        count = 0
        while not self.is_stopped:
            count += 1
            visitor, name = self._site.visitor(), f"name{number}-{count}"
            with suppress(
                OSError, HTTPException, LookupError, AssertionError
            ):  # a killed worker, a page without a form
                status = visitor.sign_up(name).status
                self._note(status)
                if status == 303:
                    self.names.append(name)
                    self._note(visitor.press("/new", "/a/1/vote").status)
            with suppress(OSError, HTTPException):
                self._note(visitor.get("/new").status)

    def _note(self, status: int) -> None:
        with self.lock:
            self.answers[status] += 1


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    """The embedded database of the site."""
    store = open_store(Settings(redis_url=f"unix://{folder}/database.sock", redis_deadline=10.0))
    yield store
    store.connection.close()


def serve(start_site: StartSite, folder: Path, *options: str) -> SiteProcess:
    options = ("--data", str(folder), "--workers", str(WORKERS), *options)
    return start_site(*options, VOTEWEB_LIMITS="0", VOTEWEB_SEARCH="0")


def lasting_keys(store: Store) -> list[str]:
    """Return the keys that no process of a site forgets by itself."""
    names = (str(key) for key in store.connection.client.scan_iter(count=1_000))
    return [key for key in names if NOUNS[store.keys.split(key)[0]].part is not Part.PASSING]


def test_an_emptied_site_serves_nobody_until_its_data_are_back(
    start_site: StartSite, folder: Path, store: Store
) -> None:
    site, copy = serve(start_site, folder, "--sample"), folder.with_name(f"{folder.name}.gz")
    crowd = Crowd(site)
    crowd.start()
    try:
        until(lambda: len(crowd.names) > 5)
        assert run_voteweb("backup", copy, "--data", folder).status == 0
        for _ in range(2):
            store.connection.client.flushall()
            refused_everywhere(crowd)
            before = len(crowd.names)
            assert lasting_keys(store) == []
            assert run_voteweb("doctor", "--data", folder).status == 1
            (killed, *others), begun = site.worker_pids(), crowd.answers[503]
            os.kill(killed, signal.SIGKILL)
            until(lambda killed=killed: len({*site.worker_pids()} - {killed}) == WORKERS)
            until(lambda begun=begun: crowd.answers[503] > begun + 30)
            assert set(crowd.answers) == {503}
            assert (others, len(crowd.names), site.is_healthy()) == (others, before, False)
            assert run_voteweb("restore", copy, "--data", folder).stderr == ""
            until(site.is_healthy)
            until(lambda before=before: len(crowd.names) > before + 5)
    finally:
        crowd.stop()
    assert list(Doctor(store.context).examine()) == []
    assert site.stop().status == 0
    copy.unlink()


def refused_everywhere(crowd: Crowd) -> None:
    """Return when all answers for a while have been refusals."""

    def is_refused() -> bool:
        with crowd.lock:
            if set(crowd.answers) - {503}:
                crowd.answers.clear()
            return crowd.answers[503] > 30

    crowd.answers.clear()
    until(is_refused)


def test_a_site_that_was_emptied_is_not_started(start_site: StartSite, folder: Path, store: Store) -> None:
    copy = folder.with_name(f"{folder.name}.gz")
    site = serve(start_site, folder, "--sample")
    assert run_voteweb("backup", copy, "--data", folder).status == 0
    store.connection.client.flushall()
    site.kill()  # no process is left that remembers
    exit = run_voteweb("run", "--port", "0", "--data", folder)
    assert (exit.status, exit.stdout) == (1, "")
    assert "`voteweb run --new`" in exit.stderr
    assert run_voteweb("restore", copy, "--data", folder).status == 0
    site = serve(start_site, folder)
    assert site.get("/a/1").status == 200
    assert site.stop().status == 0  # a killed one leaves its database running
    copy.unlink()
