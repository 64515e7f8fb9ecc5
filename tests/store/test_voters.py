"""Voters as moderators see them, the names of members by their ids, and the looks at votes."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.models import Article, User
from voteweb.core.voters import VoterList
from voteweb.store import Store


def voters(store: Store, article: Article) -> VoterList:
    return store.read(store.voters.queue, article.id)


@pytest.fixture
def article(store: Store) -> Article:
    return factories.article(store, factories.user(store, "Ann"))


def test_marks_tell_a_ring_from_others(store: Store, article: Article, bob: User) -> None:
    ring = [store.users.make(f"Ring{number}", "", network="198.51.100.0/24") for number in range(3)]
    others = [factories.article(store, ring[0]) for _ in range(3)]
    for member in (*ring, bob):
        store.votes.cast(article.id, member)
    for member in ring[1:]:
        for other in others:
            store.votes.cast(other.id, member)
    rows = voters(store, article).rows
    assert [row.user.name for row in rows] == ["Ring2", "Ring1", "Ring0", "bob", "Ann"]
    assert [row.is_new for row in rows] == [bool(row.neighbours) for row in rows] == [*3 * [True], False, False]
    # What the first of them posted counts as its vote.
    assert rows[2].coincidences == (("Ring1", 4, 4), ("Ring2", 4, 4))
    assert set(rows[0].neighbours) == {"Ring0", "Ring1"}
    alike = store.read(store.voters.queue, ring[1])
    assert {row.user.name: len(row.coincidences) for row in alike.rows} == {f"Ring{number}": 2 for number in range(3)}
    assert store.read(store.voters.queue, bob).rows == ()


def test_who_signed_up_just_before_the_article_is_new(store: Store, article: Article) -> None:
    for name, days in (("soon", 6), ("old", 8)):
        member = store.users.make(name, "", network="")
        run(store, "HSET", f"user:{name}", "signed-up", article.time - days * 86_400)
        store.votes.cast(article.id, member)
    assert [(row.user.name, row.is_new) for row in voters(store, article).rows[:2]] == [("soon", True), ("old", False)]


def test_voters_without_an_account_are_named_as_they_are_stored(store: Store, article: Article) -> None:
    gone = factories.user(store, "gone")
    store.votes.cast(article.id, gone)
    run(store, "SADD", f"voted:{article.id}", "user:7", "99999999999999999999", "nan")
    store.account_deletion.start(gone, delete_articles=False)
    found = voters(store, article)
    assert (found.total, [row.user.name for row in found.rows]) == (5, ["Ann"])
    assert set(found.others) == {"user:7", "99999999999999999999", "nan", str(gone.id)}
    run(store, "SET", "voted:9", "another program's")
    assert store.read(store.voters.queue, 9) == (0, (), ())


def test_of_many_voters_the_newest_members_are_shown(
    store: Store, article: Article, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "SHOWN_VOTERS", 2)
    for member in factories.users(store, 3):
        store.votes.cast(article.id, member)
    found = voters(store, article)
    assert (found.total, [row.user.name for row in found.rows]) == (4, ["member2", "member1"])


def test_names_are_found_by_id_until_their_members_leave(store: Store) -> None:
    first = factories.user(store, "Ann")
    run(store, "SET", "user:", config.MEMBER_BLOCK - 1)
    store.users.make_missing(["Bob", "cid"])
    store.users.make("Dan", "", network="198.51.100.0/24")
    ids = {name: store.users.get(name).id for name in ("Bob", "cid", "Dan")}
    assert ids["Bob"] == config.MEMBER_BLOCK
    names = store.read(store.voters.queue_names, [first.id, *ids.values(), 7])
    assert names == {first.id: "ann", ids["Bob"]: "bob", ids["cid"]: "cid", ids["Dan"]: "dan"}
    store.account_deletion.start(store.users.get("cid"), delete_articles=False)
    assert store.read(store.voters.queue_names, [ids["cid"]]) == {}


def test_a_look_is_kept_once_a_day_for_each_thing(
    store: Store, article: Article, mod: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(store, "ZADD", "looks:", time.time() - config.LOOK_SECONDS - 1, "1 a1 2026-01-01", 9, "another program's")
    for what in (article, bob, article):
        store.voters.note_look(mod, what)
    assert [look[1:] for look in store.read(store.voters.queue_looks, 1).rows] == [
        (mod.id, "a", article.id),
        (mod.id, "u", bob.id),
    ]
    assert 0 < run(store, "TTL", "looks:") <= config.LOOK_SECONDS
    assert run(store, "ZCARD", "looks:") == 2
    monkeypatch.setattr(config, "MAX_LOOKS", 1)
    store.voters.note_look(mod, User(7, "x", "", mod.role, 0.0, ""))
    assert [look.id for look in store.read(store.voters.queue_looks, 1).rows] == [7]
    assert broken(store) == []
