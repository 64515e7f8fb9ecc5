"""Leases: one process runs a background job, and another takes it up when that one is gone."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.store.concurrency import at_once
from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.jobs import ACCOUNT_DELETIONS, JOBS
from voteweb.store import Store

LEASE = "lease:account-deletions"


def never() -> bool:
    return False


def test_a_job_is_run_by_one_process_at_a_time(store: Store) -> None:
    running, most = 0, 0

    def steps() -> Iterator[None]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            yield
        running -= 1

    at_once([partial(store.jobs.run, ACCOUNT_DELETIONS, steps, never)] * 10)
    assert (running, most) == (0, 1)
    assert not run(store, "EXISTS", LEASE)
    assert float(run(store, "HGET", "jobs:", "account-deletions")) > 0
    assert broken(store) == []


def test_a_lease_expires_unless_each_step_keeps_it(store: Store) -> None:
    def steps() -> Iterator[None]:
        for _ in range(3):
            assert config.LEASE_SECONDS - 2 <= run(store, "TTL", LEASE) <= config.LEASE_SECONDS
            run(store, "EXPIRE", LEASE, 5)
            yield

    assert store.jobs.run(ACCOUNT_DELETIONS, steps, never)


@pytest.mark.parametrize("other", ["another process", ""])
def test_a_process_that_lost_its_lease_stops(store: Store, other: str) -> None:
    done = []

    def steps() -> Iterator[None]:
        for number in range(3):
            done.append(number)
            run(store, "SET", LEASE, other) if other else run(store, "DEL", LEASE)
            yield

    assert not store.jobs.run(ACCOUNT_DELETIONS, steps, never)
    assert done == [0]
    assert (run(store, "GET", LEASE) or "") == other
    assert not run(store, "EXISTS", "jobs:")


def test_a_failed_or_stopped_job_is_free_and_not_done(store: Store) -> None:
    def fail() -> Iterator[None]:
        yield
        raise RuntimeError("failed")

    with pytest.raises(RuntimeError):
        store.jobs.run(ACCOUNT_DELETIONS, fail, never)
    assert not store.jobs.run(ACCOUNT_DELETIONS, lambda: iter([None, None]), lambda: True)
    assert not run(store, "EXISTS", LEASE, "jobs:")
    assert store.jobs.run(ACCOUNT_DELETIONS, lambda: iter([]), never)


def test_a_job_that_nobody_runs_is_overdue(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.jobs.warnings() == []
    monkeypatch.setattr(config, "OVERDUE_SECONDS", 0)
    warnings = store.jobs.warnings()
    assert len(warnings) == len(JOBS)
    assert warnings[0].startswith("The background job account-deletions is overdue")
    run(store, "SET", LEASE, "a process", "EX", 60)
    assert store.jobs.warnings() == warnings[1:]
