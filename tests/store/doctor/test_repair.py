"""Repair: derived data follow the articles and their voters, and nothing else is changed."""

import time
from random import Random
from typing import Any

import pytest

from tests import factories
from tests.store.doctor.damages import CONSEQUENCES, DAMAGES, UNREPAIRABLE, changed_keys, named_keys, spoil
from tests.store.examination import broken, described, run, snapshot, unchanged, without_prefix
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def repair(store: Store) -> list[tuple[str, str]]:
    """Repair the site; return the key and fault of each finding that was repaired."""
    return [described(store, finding) for finding, is_repaired in Doctor(store.context).repair() if is_repaired]


def repair_rest(store: Store) -> list[tuple[str, str]]:
    """Repair the site; return the key of each finding that was not repaired, and why not."""
    return [
        (without_prefix(store, finding.key), finding.why_not)
        for finding, is_repaired in Doctor(store.context).repair()
        if not is_repaired
    ]


#: Damages that are tried alone: those with consequences, and those of what the doctor judges other keys by.
ALONE = [
    row
    for row in DAMAGES
    if row[0] not in UNREPAIRABLE and (row[0] in CONSEQUENCES or row[0].split()[1].startswith(("article:", "groups:")))
]
#: The others are tried together, in as many parts; of those that are tried alone, every fourth by `make test`.
PARTS, SAMPLE = 24, 4
TOGETHER = [row for row in DAMAGES if row[0] not in UNREPAIRABLE and row not in ALONE]


@pytest.mark.parametrize(
    "damages",
    [
        *(TOGETHER[part::PARTS] for part in range(PARTS)),
        *(pytest.param([row], marks=pytest.mark.heavy if n % SAMPLE else ()) for n, row in enumerate(ALONE)),
    ],
    ids=lambda damages: damages[0][0],
)
def test_broken_invariants_are_found_by_their_keys_and_repaired(
    site: Store, damages: list[tuple[str, set[str]]]
) -> None:
    first, before = damages[0][0], snapshot(site)
    for command, _ in damages:
        spoil(site, command)
    findings = broken(site)
    assert named_keys(findings) == set().union(*(keys for _, keys in damages))
    assert set(repair(site)) <= set(findings) or first in CONSEQUENCES
    assert broken(site) == []
    assert changed_keys(before, snapshot(site)) == CONSEQUENCES.get(first, set())


@pytest.mark.parametrize("command", UNREPAIRABLE)
def test_unrepairable_damage_is_reported_with_its_reason(site: Store, command: str) -> None:
    spoil(site, command)
    assert named_keys(broken(site)) == dict(DAMAGES)[command]
    rest = sorted(repair_rest(site))
    assert [key for key, _ in rest] == [key for key, _ in UNREPAIRABLE[command]]
    for (_, why_not), (_, wanted) in zip(rest, UNREPAIRABLE[command], strict=True):
        assert wanted in why_not
    with unchanged(site):
        assert sorted(repair_rest(site)) == rest


def test_repairing_a_sound_site_writes_nothing(site: Store) -> None:
    writes = run(site, "INFO", "persistence")["rdb_changes_since_last_save"]
    with unchanged(site):
        assert list(Doctor(site.context).repair()) == []
    assert run(site, "INFO", "persistence")["rdb_changes_since_last_save"] == writes


@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("HSET report:daily x y", "HGETALL report:daily"),
        ("SET hidden:foo x", "GET hidden:foo"),
        ("SADD voted-comments:abc 5 x", "SMEMBERS voted-comments:abc"),
        ("HSET user:bob password bcrypt", "HGET user:bob password"),
        ("HSET user:bob front zz", "HGET user:bob front"),
        ("HSET user:bob name B", "HGET user:bob name"),
        ("HDEL article:2 title", "ZRANGE saved:bob 0 -1"),
        (
            'HSET domain-rules: a.example {"action":"refuse","why":"x","by":"command-line","time":"1"}',
            "HGETALL domain-rules:",
        ),
    ],
)
def test_what_another_program_wrote_is_no_loss_to_repair(site: Store, command: str, read: str) -> None:
    run(site, "ZADD", "saved:bob", 1, "article:2")
    spoil(site, command)
    before = run(site, *read.split())
    repair(site)
    assert run(site, *read.split()) == before


def test_an_article_later_than_tomorrow_is_named(site: Store) -> None:
    spoil(site, "HSET article:1 time 9999999999")  # as if posted while a clock was wrong
    reason = "a clock was wrong: set the field with HSET, then repair again"
    assert repair_rest(site) == [("article:1", reason)]
    spoil(site, f"HSET article:1 time {time.time()}")
    repair(site)
    assert broken(site) == []


@pytest.mark.parametrize(
    ("votes", "base", "voters", "repaired"),
    [
        ("many", "0", True, ("1", "0")),  # computed from the voters
        ("1", "few", True, ("1", "0")),
        ("7", "few", True, ("7", "6")),
        ("7", "0", True, ("7", "6")),  # votes do not fall: voters may be lost
        ("0", "3", True, ("4", "3")),
        ("many", "few", True, None),  # one of the two must be valid
        ("many", "0", False, None),  # nothing else has the number
        ("7", "", False, ("7", "7")),
        ("1.5", "0", True, ("1", "0")),
    ],
)
def test_invalid_numbers_are_computed_where_possible(
    store: Store, votes: str, base: str, voters: bool, repaired: tuple[str, str] | None
) -> None:
    id = factories.article(store).id
    run(store, "HSET", f"article:{id}", "votes", votes, "base", base)
    if not voters:
        run(store, "DEL", f"voted:{id}")
    assert (repair_rest(store) == []) == (repaired is not None)
    assert run(store, "HMGET", f"article:{id}", "votes", "base") == list(repaired or (votes, base))


@pytest.mark.parametrize(("cast", "numbers"), [(0, ["1", "1"]), (2, ["3", "1"])])
def test_a_vote_by_nobody_stays_counted(store: Store, cast: int, numbers: list[str]) -> None:
    article = factories.article(store, factories.user(store, "ann"))
    for voter in factories.users(store, cast):
        store.votes.cast(article.id, voter)
    run(store, "DEL", "user:ann")
    repair(store)
    stored = run(store, "HMGET", f"article:{article.id}", "votes", "base", "closes")
    assert (stored[:2], run(store, "SCARD", f"voted:{article.id}")) == (numbers, cast)
    assert stored[2] is None or float(stored[2]) > time.time() + 60, "voting goes on"


def test_invalid_group_names_are_left_to_the_operator(site: Store) -> None:
    run(site, "HSET", "article:3", "groups", "a/b")
    run(site, "SADD", "group:c d", "article:3")
    assert repair_rest(site) == [
        ("article:3", "a/b is no name for a group: take it out of the field groups"),
        ("group:c d", "c d is no name for a group: another program made this key"),
    ]


@pytest.mark.parametrize("key", "group:java user:eve report:1 thread:2 article:2 changes: log-entries:".split())
def test_beside_a_key_of_another_type_the_rest_is_repaired(site: Store, key: str) -> None:
    with unchanged(site):
        run(site, "RENAME", key, "aside")
        run(site, "SET", key, "hello")
        spoil(site, "ZREM posted:ann article:1")
        assert repair(site) == [("posted:ann", "lacks article:1")]
        assert repair_rest(site) == [(key, "its content may be another program's: RENAME it, then repair again")]
        run(site, "RENAME", "aside", key)
    assert broken(site) == []


@pytest.mark.parametrize(
    ("key", "article"), [("thread:2", "article:2"), ("voted:2", "article:2"), ("was:1", "article:1")]
)
def test_an_article_with_a_key_of_another_type_is_repaired(site: Store, key: str, article: str) -> None:
    if run(site, "EXISTS", key):
        run(site, "RENAME", key, "aside")
    run(site, "SET", key, "hello")
    for ranking in ("time:", "score:"):
        run(site, "ZREM", ranking, article)
    run(site, "HSET", article, "answered", 5)
    assert {("time:", f"lacks {article}"), ("score:", f"lacks {article}")} <= set(repair(site))
    assert [reason for _, reason in repair_rest(site)] == [
        "its content may be another program's: RENAME it, then repair again"
    ]
    assert run(site, "HGET", article, "answered") is None
    assert run(site, "GET", key) == "hello"
    assert run(site, "HGET", "article:2", "votes") == "3", "nobody knows that its voters are lost"


def test_what_other_programs_made_is_a_note_and_stays(site: Store) -> None:
    bob = run(site, "HGET", "user:bob", "id")
    run(site, "HSET", "article:3", "poster", bob)
    repair(site)  # the lists of the former poster
    run(site, "HSET", "article:g77", "title", "Theirs", "voted", 5)
    run(site, "SADD", "voted:article:7", 5, "user:9")
    run(site, "SET", "score:some:thing", "else")
    with unchanged(site):
        findings = list(Doctor(site.context).repair())
    assert {without_prefix(site, finding.key) for finding, _ in findings} == {
        *("article:3", "article:g77", "voted:article:7", "score:some:thing")
    }
    assert {(finding.is_note, is_repaired) for finding, is_repaired in findings} == {(True, False)}


def test_what_needs_a_key_of_another_type_is_not_repaired(site: Store) -> None:
    run(site, "ZREM", "time:", "article:1")
    run(site, "RENAME", "score:", "aside")
    run(site, "RPUSH", "score:", "x")
    with unchanged(site):
        assert repair_rest(site) == [("score:", "its content may be another program's: RENAME it, then repair again")]


def any_damage(random: Random, key: str, kind: str, content: Any) -> tuple[object, ...]:
    """Return a command that damages any key of any type."""
    part, value = random.choice(sorted(content, key=str)), random.choice(("", "x", "-1", "nan", "1" * 30, "編 b"))
    member = part[0] if kind == "zset" else part
    changes: dict[str, list[tuple[object, ...]]] = {
        "hash": [("HDEL", key, part), ("HSET", key, part, value), ("HSET", key, value, part)],
        "zset": [("ZREM", key, member), ("ZADD", key, random.choice((-1, 9, "inf")), member), ("ZADD", key, 1, value)],
        "set": [("SREM", key, part), ("SADD", key, value)],
        "list": [("LSET", key, 0, value), ("LPOP", key), ("RPUSH", key, part)],
        "string": [("SET", key, value)],
    }
    return random.choice([*changes.get(kind, ()), ("DEL", key), ("EXPIRE", key, 60)])


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(6, 60))])
def test_whatever_is_damaged_a_repair_says_what_it_leaves(site: Store, seed: int) -> None:
    random = Random(seed)
    keys = snapshot(site)
    commands = [any_damage(random, key, *keys[key][:2]) for key in random.sample(sorted(keys), 8)]
    for command in commands:
        run(site, *command)
    rest = [described(site, finding) for finding, is_repaired in Doctor(site.context).repair() if not is_repaired]
    assert sorted(broken(site)) == sorted(rest), commands
