"""Examination: no finding on a sound site, and what each finding says; test_repair has all broken invariants."""

from contextlib import suppress
from typing import Any

import pytest

from tests import factories
from tests.store.doctor.damages import spoil
from tests.store.examination import broken, broken_keys, described, recorded, run, unchanged
from voteweb.core.errors import NoSuchGroup
from voteweb.core.models import LogAction, LogEntry
from voteweb.store import Store
from voteweb.store.doctor import Doctor, threads
from voteweb.store.scan import scanner as scanner_module
from voteweb.store.scan.scanner import Scanner


def test_groups_that_come_and_go_meanwhile_are_no_findings(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is deleted after the doctor has read which groups there are, or found its keys."""
    deletion = LogEntry(LogAction.DELETE_GROUP, "mod", about="short")
    run_atomic = Scanner.run_atomic

    def delete_first(scanner: Scanner, commands: list[Any]) -> Any:
        if any("info:short" in str(command) or "SISMEMBER" in command for command in commands):
            with suppress(NoSuchGroup):
                site.groups.delete("short", deletion)
        return run_atomic(scanner, commands)

    monkeypatch.setattr(Scanner, "run_atomic", delete_first)
    factories.group(site, "short")
    assert broken(site) == []
    assert not run(site, "SISMEMBER", "groups:", "short")


def test_an_examination_only_reads_and_lists_the_keys_once(site: Store) -> None:
    assert broken(site) == []
    run(site, "ZREM", "time:", "article:1")
    with unchanged(site), recorded(site) as trips:
        assert broken(site) == [("time:", "lacks article:1")]
    assert [command[:2] for commands in trips for command in commands if command[0] == "SCAN"] == [("SCAN", 0)]


def test_many_keys_are_kept_in_a_file(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner_module, "MAX_SPOOL_BYTES", 10)
    monkeypatch.setattr(scanner_module, "READ_BYTES", 10)
    site.imports.add([factories.story(time=1_700_000_000.0 + i) for i in range(250)])
    lacking = [f"article:{id}" for id in (150, 255, 6)]
    run(site, "ZREM", "score:", *lacking)
    run(site, "SADD", "group:line\nend", "article:1")
    findings = broken(site)
    assert sorted(what for key, what in findings if key == "score:") == [f"lacks {member}" for member in lacking]
    assert {key for key, _ in findings} == {"score:", "group:line\nend"}


@pytest.mark.parametrize(
    "key",
    (
        "article:1 voted:1 time: score: good: groups: group:go time:go score:go group-info:go posted:ann user:ann "
        "gone:ann reports: report:1 reported:bob log: log-by:mod log-kind:ban+mod log-about:ann log-entries: "
        "invite:open invites:bob reset:digest users: admins: leaving: link:digest user: article: thread:2 words:2 "
        "hidden:2 voted-comments:2-0 comments: commented:ann removing: inbox:ann unread:ann seen:bob inbox-feed:digest "
        "follows:bob comment-report:2.2 reported-comments:ann"
    ).split(),
)
def test_a_key_of_another_type_is_found_and_left_alone(site: Store, key: str) -> None:
    run(site, "DEL", key)
    run(site, "XADD", key, "*", "x", "y")
    doctor = Doctor(site.context)
    with unchanged(site):
        assert [described(site, finding)[0] for finding, _ in doctor.repair()] == [key]
    assert doctor.is_partial


@pytest.mark.parametrize(
    ("command", "finding"),
    [
        ("HINCRBY article:1 votes 1", ("article:1", "votes is 2, but base 0 and 1 voters make 1")),
        ("ZADD good: 5 article:1", ("good:", "holds article:1, which does not belong there")),
        ("ZADD time: 9 article:77", ("time:", "holds article:77, which is no article")),
        ("PERSIST voted:1", ("voted:1", "never expires")),
        (
            "HSET thread:2 5 77~1~0~1700000005.000000~-~bob",
            ("thread:2", "comment 2.5 answers 2.77, which is not older: it stands at the top level now"),
        ),
        ("SADD voted-comments:2-0 4294968295", ("thread:2", "comment 2.1 has 2 votes, but base 0 and 3 voters make 3")),
    ],
)
def test_a_finding_describes_what_is_wrong(site: Store, command: str, finding: tuple[str, str]) -> None:
    spoil(site, command)
    assert finding in broken(site)


def test_a_large_conversation_is_read_in_steps(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "STEP_SIZE", 3)
    monkeypatch.setattr(scanner_module, "MAX_VOTERS_PER_READ", 2)
    assert broken(site) == []
    spoil(site, "HSET thread:2 1 0~3~0~1700000001.000000~-~ann")
    assert broken_keys(site) == {"thread:2"}


def test_bits_are_not_compared_while_a_removal_hides_comments(site: Store) -> None:
    run(site, "SADD", "removing:", 2)
    spoil(site, "SETBIT hidden:2 7 0")
    spoil(site, "HINCRBY article:2 comments 1")
    assert broken(site) == []
    run(site, "SREM", "removing:", 2)
    assert broken_keys(site) == {"hidden:2", "article:2"}


def test_a_closed_article_needs_no_voters_but_may_keep_them(site: Store) -> None:
    assert run(site, "EXISTS", "voted:3") == 0
    run(site, "HSET", "article:3", "base", "0")  # as if posted here a week ago: the voters were counted
    for key in ("voted:2", "voted-comments:2-0"):  # as after RESTORE, which counts from its own time
        run(site, "PEXPIREAT", key, run(site, "PEXPIRETIME", key) + 5_000)
    assert broken(site) == []
