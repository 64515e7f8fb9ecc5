"""Leases: one process runs a background job, and another takes it up when that one is gone."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import redis

from tests.conftest import MakeStore
from tests.store.concurrency import at_once
from tests.store.examination import broken, run, server_setting, snapshot
from voteweb.core import config
from voteweb.core.errors import DataLost
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
from voteweb.store import Store
from voteweb.store.connection import connection, transport

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
            assert config.LEASE_SECONDS - 10 <= run(store, "TTL", LEASE) <= config.LEASE_SECONDS
            run(store, "EXPIRE", LEASE, 15)
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


#: What each job has to do, and the command that makes it.
WORK: list[tuple[Job, tuple[str, ...]]] = [
    (ACCOUNT_DELETIONS, ("SADD", "leaving:", "ann")),
    (COMMENT_REMOVALS, ("SADD", "removing:", "1")),
    (BAN_REMOVALS, ("SADD", "ban-removals:", "ann")),
    (BAN_REMOVALS, ("ZADD", "ban-answers:", "1", "ann")),
    (DOMAIN_REMOVALS, ("HSET", "domain-rules:", "evil.example", '{"rule": "refuse", "removes": "article:1"}')),
    (GROUP_MERGES, ("SADD", "merging:", "go")),
    (GROUP_MERGES, ("HSET", "planned-merges:", "go", '{"into": "java", "time": "1"}')),
    (UNDOING, ("HSET", "undoing:", "ann", "1")),
    (MAIL, ("ZADD", "outbox:", "1", "reset ann")),
    (RESCORING, ("HSET", "site:", "rescoring-since", "1")),
]
#: What is to be done later, or is done.
LATER = [
    ("ZADD", "ban-answers:", "9e9", "ann"),
    ("ZADD", "outbox:", "9e9", "reset ann"),
    ("HSET", "domain-rules:", "evil.example", '{"rule": "refuse"}'),
    ("HSET", "planned-merges:", "lua", '{"into": "java", "time": "9e9"}'),
    ("HSET", "planned-merges:", "c", '{"into": "java", "time": "x"}'),
]


@pytest.fixture
def sites(make_store: MakeStore) -> list[Store]:
    """The stores of four processes of a site with mail that was served."""
    mail = {"mail_url": "smtp://127.0.0.1:1", "mail_from": "news@news.example", "site_url": "https://news.example"}
    stores = [make_store(**mail) for _ in range(4)]
    for store in stores:
        store.site_settings.take_settings()
    return stores


def hashes_written(store: Store) -> int:
    """Return how often the server has written fields of a hash."""
    calls = store.connection.client.info("commandstats").get("cmdstat_hset", {"calls": 0})
    return int(calls["calls"])


def test_a_job_with_something_to_do_waits_unless_it_runs(sites: list[Store]) -> None:
    first, *_ = sites
    assert {job for job, _ in WORK} == set(JOBS)
    for command in LATER:
        run(first, *command)
    assert first.jobs.waiting() == []
    for job, command in WORK:
        run(first, *command)
        assert first.jobs.waiting() == [job], command
        run(first, "SET", f"lease:{job.name}", "another process")
        assert first.jobs.waiting() == [], command
        run(first, "DEL", f"lease:{job.name}")
        run(first, "DEL", command[1]) if job != RESCORING else run(first, "HDEL", "site:", command[2])


def test_a_site_without_mail_has_none_to_send(store: Store) -> None:
    run(store, "ZADD", "outbox:", "1", "reset ann")
    assert store.jobs.waiting() == []


def test_idle_jobs_are_noted_with_one_write_a_minute(sites: list[Store]) -> None:
    first, before = sites[0], hashes_written(sites[0])
    for minute in range(1, 4):
        at_once([store.jobs.waiting for store in sites * 5])
        assert hashes_written(first) - before == minute
        run(first, "HINCRBYFLOAT", "jobs:", "mail", -config.NOTE_SECONDS)
    assert run(first, "HLEN", "jobs:") == len(JOBS)


def test_jobs_leave_no_answers_behind(sites: list[Store]) -> None:
    store = sites[0]
    assert store.jobs.run(ACCOUNT_DELETIONS, lambda: iter([None]), never)
    assert store.jobs.waiting() == []
    assert sorted(run(store, "KEYS", "*")) == ["jobs:", "schema:", "site:"]


def test_a_lease_whose_answer_was_lost_is_held(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.connection.load_scripts()
    lost: list[object] = []

    def lossy(*args: Any, **options: Any) -> list[Any]:
        replies = transport.send(*args, **options)
        if args[1][0][0] == "EVALSHA" and not lost:
            lost.append(replies)
            raise redis.ConnectionError("the answer is lost")
        return replies

    monkeypatch.setattr(connection, "send", lossy)
    assert store.jobs.run(ACCOUNT_DELETIONS, lambda: iter([None]), never)
    assert lost


def test_jobs_are_taken_and_noted_on_a_full_server(sites: list[Store]) -> None:
    store, done = sites[0], []
    run(store, "SADD", "leaving:", "ann")
    with server_setting(store, "maxmemory", 1):
        assert store.jobs.waiting() == [ACCOUNT_DELETIONS]
        assert store.jobs.run(ACCOUNT_DELETIONS, lambda: iter(done), never)
    assert run(store, "HLEN", "jobs:") == len(JOBS)


def test_damaged_data_of_one_job_stop_no_other(sites: list[Store]) -> None:
    run(sites[0], "SET", "ban-answers:", "no ranking")
    assert sites[0].jobs.waiting() == list(JOBS)


@pytest.mark.parametrize("command", [["FLUSHALL"], ["SET", "restoring:", "1"], ["HSET", "site:", "id", "f" * 16]])
def test_no_job_is_run_on_data_that_are_lost(sites: list[Store], command: list[str]) -> None:
    store = sites[0]
    run(store, *command)
    run(store, "SADD", "leaving:", "ann")
    before = snapshot(store)
    with pytest.raises(DataLost):
        store.jobs.waiting()
    assert snapshot(store) == before
