"""Dumping: each article is read at one instant, in portions, and unsound data are refused."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests import factories
from tests.store.backup.copying import articles_of, back_up
from tests.store.examination import run, without_prefix
from voteweb.store import Store
from voteweb.store.backup import Backup, LineChecks
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import key_type


def test_a_backup_scans_the_databases_keys_only_a_few_times(small: Store) -> None:
    def scans() -> int:
        return int(small.connection.client.info("commandstats").get("cmdstat_scan", {"calls": 0})["calls"])

    before = scans()
    back_up(small)
    assert scans() - before <= 5


def test_an_article_deleted_during_the_backup_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_atomic = Scanner.run_atomic

    def delete_before_voters(self: Scanner, commands: Sequence[Command]) -> list[Any]:
        if any(command[0] == "SMEMBERS" for command in commands):
            run(store, "DEL", "article:1")
        return run_atomic(self, commands)

    factories.article(store, link="")
    monkeypatch.setattr(Scanner, "run_atomic", delete_before_voters)
    assert articles_of(back_up(store)) == {}


def test_all_of_many_voters_are_dumped(store: Store) -> None:
    for id in range(1, 4):
        factories.article(store, link="")
        run(store, "SADD", f"voted:{id}", *range(1, 4_001))
    assert [len(line.value) for line in back_up(store) if line.noun == "voted"] == [4_000] * 3


@pytest.mark.parametrize("kind", ["wrong type", "no text"])
@pytest.mark.parametrize(
    "key", "article:1 voted:1 report:1 user:ann log-entries: once:1-token-01 imported:7 words:1 user:".split()
)
def test_one_damaged_key_is_skipped_and_named(small: Store, key: str, kind: str) -> None:
    factories.comment(small, 1, small.users.get("ann"))
    if kind == "wrong type":
        run(small, "DEL", key)
        run(small, "XADD", key, "*", "x", "y")
    else:  # bytes that are no UTF-8, in a key that keeps its type
        write = {"hash": ("HSET", key, "1"), "set": ("SADD", key), "list": ("RPUSH", key), "string": ("SET", key)}
        run(small, *write[str(key_type(small.keys, key))], b"\xff")
    skipped: list[str] = []
    lines = list(Backup(small.context).lines(skipped))
    assert [without_prefix(small, name) for name in skipped] == [key]
    checks = LineChecks()
    assert [fault for line in lines for fault in checks.faults(line)] == []


def test_a_key_whose_name_is_no_text_is_skipped(small: Store) -> None:
    name = small.keys.user("x").encode() + b"\xff"
    small.connection.client.hset(name, "id", "7")  # run() spells keys as text
    skipped: list[str] = []
    lines = list(Backup(small.context).lines(skipped))
    assert skipped == [repr(name)]
    assert [line.name for line in lines if line.noun == "user" and line.name] == ["ann"]
