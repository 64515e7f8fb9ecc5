"""Replicas: who is answered by one, what is waited for, and ids that a failover gave twice."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import factories
from tests.conftest import MakeStore, private_server
from tests.helpers import until
from tests.machines import free_ports
from tests.store.examination import broken, run, snapshot
from voteweb.core.config import Settings
from voteweb.core.errors import AlreadyVoted, Conflict, NameTaken, Unavailable
from voteweb.core.models import LogAction, Order
from voteweb.store import Store, build_store, open_store
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.replicas import Replicas
from voteweb.store.moderation_log import NewLogEntry
from voteweb.store.rankings import Ranking


@pytest.fixture
def other() -> Iterator[Store]:
    """The store on another server, which stands for a replica; its articles are called "late"."""
    with private_server("valkey") as url:
        store = open_store(Settings(redis_url=url))
        factories.article(store, title="late", groups=("go", "redis"))
        yield store
        store.connection.close()


@pytest.fixture
def both(make_store: MakeStore, other: Store) -> Store:
    """A store of which *other* is the replica; its own articles are called "fresh"."""
    primary = make_store()
    factories.article(primary, title="fresh", groups=("go", "redis"))
    connection = Connection(primary.connection.client, 0.3, replicas=Replicas(other.connection.client))
    return build_store(connection, Settings())


def titles(store: Store, which: Ranking, *, reader: bool) -> list[str]:
    pipeline = store.pipeline(reader=reader)
    page = store.listings.queue_page(pipeline, which, 1)
    pipeline.execute()
    return [row.title for row in page.result.rows]


BY_SCORE = store.rankings.site(Order.SCORE)


def test_a_reader_is_answered_by_a_replica_and_a_member_never(both: Store) -> None:
    assert titles(both, BY_SCORE, reader=True) == ["late"]
    assert titles(both, BY_SCORE, reader=False) == ["fresh"]


def test_what_must_write_is_answered_by_the_primary(both: Store) -> None:
    assert titles(both, store.rankings.groups(["go", "redis"], Order.SCORE), reader=True) == ["fresh"]


def test_a_tie_across_the_edge_of_a_page_is_read_where_the_page_was(both: Store, other: Store) -> None:
    for store, title in ((both, "fresh"), (other, "late")):
        run(store, "FLUSHALL")
        for _ in range(30):
            factories.imported(store, title=title, time=1_000_000_000.0, votes=1)
        for id in range(1, 31):  # of one score, as a program after the book may leave them
            run(store, "HSET", f"article:{id}", "time", "1000000000.000000")
            run(store, "ZADD", "score:", 1_000_000_432, f"article:{id}")
    assert set(titles(both, BY_SCORE, reader=True)) == {"late"}
    assert set(titles(both, BY_SCORE, reader=False)) == {"fresh"}


def test_while_the_replica_is_away_or_loading_the_primary_answers(both: Store, other: Store) -> None:
    other.connection.client.shutdown(nosave=True)
    assert titles(both, BY_SCORE, reader=True) == ["fresh"]


def test_a_replica_that_has_lost_its_primary_answers_only_while_that_is_away_from_us_too(
    both: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(other, "REPLICAOF", "127.0.0.1", "1")
    assert titles(both, BY_SCORE, reader=True) == ["fresh"]
    nowhere = open_connection("unix:///tmp/there-is-no-voteweb-here.sock", 0.1)
    monkeypatch.setattr(both.connection, "client", nowhere.client)
    assert titles(both, BY_SCORE, reader=True) == ["late"]
    with pytest.raises(Unavailable):
        titles(both, BY_SCORE, reader=False)


def test_a_replica_that_serves_nothing_without_its_primary_is_away(both: Store, other: Store) -> None:
    run(other, "CONFIG", "SET", "replica-serve-stale-data", "no")
    run(other, "REPLICAOF", "127.0.0.1", "1")
    assert titles(both, BY_SCORE, reader=True) == ["fresh"]


def test_a_vote_that_no_replica_has_is_not_answered_but_may_stand(make_store: MakeStore) -> None:
    careful = make_store(redis_deadline=0.2, wait_replicas=3)
    plain = make_store()
    article, bob = factories.article(plain), factories.user(plain, "bob")
    for _ in range(2):
        with pytest.raises(Unavailable):
            careful.votes.cast(article.id, bob)
    with pytest.raises(AlreadyVoted):
        plain.votes.cast(article.id, bob)
    assert plain.articles.get(article.id).votes == 2
    assert broken(plain) == []


@contextmanager
def following(replica: Store, primary: Store) -> Iterator[int]:
    """Make one server a replica of another, and yield the number of replicas that this one then has."""
    before = run(primary, "CONFIG", "GET", "port")["port"]
    port = before if before != "0" else free_ports(1)[0]
    run(primary, "CONFIG", "SET", "port", port, "repl-diskless-sync-delay", 0)
    run(replica, "REPLICAOF", "127.0.0.1", port)
    try:
        until(lambda: run(replica, "ROLE")[3] == "connected", patience=30)
        yield len(run(primary, "ROLE")[2])
    finally:
        run(replica, "REPLICAOF", "NO", "ONE")
        run(primary, "CONFIG", "SET", "port", before)


@contextmanager
def hanging(store: Store) -> Iterator[None]:
    process = int(run(store, "INFO", "server")["process_id"])
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_vote_is_answered_once_the_replicas_have_it_and_so_is_that_it_was_cast_before(
    make_store: MakeStore, other: Store
) -> None:
    """The second answer writes nothing, and Valkey by itself waits only for what a connection wrote."""
    primary = make_store()
    article, (bob, cid) = factories.article(primary), factories.users(primary, 2)
    with following(other, primary) as replicas:
        careful = make_store(wait_replicas=replicas)
        assert careful.votes.cast(article.id, bob) == 2
        with hanging(other):
            hasty = make_store(wait_replicas=replicas, redis_deadline=0.3)
            for _ in range(2):
                with pytest.raises(Unavailable):
                    hasty.votes.cast(article.id, cid)
            with pytest.raises(Unavailable):
                hasty.votes.cast(article.id, bob)
        with pytest.raises(AlreadyVoted):
            careful.votes.cast(article.id, cid)
        assert run(other, "SCARD", f"voted:{article.id}") == 3
    assert broken(primary) == []


def test_waiting_for_more_replicas_than_there_are_is_told(make_store: MakeStore) -> None:
    (warning,) = make_store(wait_replicas=5).checks.warnings()
    assert warning.startswith("VOTEWEB_WAIT_REPLICAS is 5, but")


def test_a_primary_that_would_take_votes_without_its_replicas_is_told_of(store: Store, other: Store) -> None:
    least = run(store, "CONFIG", "GET", "min-replicas-to-write")["min-replicas-to-write"]
    run(store, "CONFIG", "SET", "min-replicas-to-write", 0)
    try:
        with following(other, store):
            (warning,) = store.health.warnings()
    finally:
        run(store, "CONFIG", "SET", "min-replicas-to-write", least)
    assert warning.startswith("min-replicas-to-write is 0")


def test_an_article_whose_id_was_given_twice_takes_the_next(store: Store) -> None:
    first = factories.article(store)
    run(store, "SET", "article:", 0)
    second = factories.article(store)
    assert (first.id, second.id) == (1, 2)
    assert broken(store) == []


def test_imported_stories_whose_ids_were_given_twice_take_the_next(store: Store) -> None:
    first = factories.article(store)
    run(store, "SET", "article:", 0)
    assert store.imports.add([factories.story(title=f"Story {i}") for i in range(3)]) == 3
    assert store.articles.get(first.id) == first
    assert run(store, "ZCARD", "time:") == 4
    assert broken(store) == []


def test_a_member_is_given_an_id_that_nobody_has_by_the_act_that_makes_the_member(store: Store) -> None:
    ids = {factories.user(store, name).id for name in ("ann", "bob", "cid")}
    store.imports.add([factories.story(poster="dan"), factories.story(poster="eve")])
    assert ids | {store.users.get("dan").id, store.users.get("eve").id} == {1, 2, 3, 4, 5}
    with pytest.raises(NameTaken):
        store.users.make("Ann", "")
    assert factories.user(store, "fay").id == 6  # a name that is taken costs none


def test_an_act_whose_entry_in_the_log_is_another_act_is_refused_before_it_is_done(store: Store) -> None:
    factories.article(store)
    entry = NewLogEntry(LogAction.REMOVE, "Mod", about="ann", article=1, title="title", why="spam")
    store.removals.remove(1, entry)
    run(store, "SET", "log-entry:", 0)
    before = snapshot(store)
    with pytest.raises(Conflict):
        store.removals.restore(1, NewLogEntry(LogAction.RESTORE, "Mod", about="ann", article=1, title="title"))
    assert snapshot(store) == before | {"log-entry:": ("string", "1", -1)}
    store.removals.restore(1, NewLogEntry(LogAction.RESTORE, "Mod", about="ann", article=1, title="title"))
    assert broken(store) == []
