"""The connection: a database that is away is said to be away, and nothing is sent more often than it may be."""

import contextlib
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore, private_server
from tests.helpers import until
from tests.store.examination import broken, run
from tests.store.test_listings import ids_of, page
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.models import Order
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.factory import open_connection


@contextmanager
def closed_port() -> Iterator[str]:
    """Yield the address of a port that is taken, but where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"redis://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def silent_port() -> Iterator[str]:
    """Yield the address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def absent_socket() -> Iterator[str]:
    yield "unix:///tmp/there-is-no-voteweb-here.sock"


@pytest.mark.parametrize("away", [closed_port, silent_port, absent_socket])
def test_a_database_that_is_away_is_unavailable(away: Any) -> None:
    with away() as url:
        store = open_store(Settings(redis_url=url, redis_deadline=0.15))
        ann = factories.User(1, "ann", "", factories.Role.MEMBER, 0.0, "")
        for act in (
            store.connection.ping,
            lambda: store.articles.get(1),
            lambda: store.articles.post(factories.draft(), ann, "form-0001"),
            lambda: store.votes.cast(1, ann),
        ):
            with pytest.raises(Unavailable):
                act()
        store.connection.client.close()


def test_opening_a_store_sends_nothing() -> None:
    with closed_port() as url:
        store = open_store(Settings(redis_url=url))
        store.pipeline().go()
        store.connection.client.close()


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1", "redis://127.0.0.1:port", "://", "redis+sentinel:/x"])
def test_what_is_no_address_is_refused_by_the_name_of_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(url, 1.0)


@pytest.mark.parametrize(
    "url", ["redis://:sec#ret@host", "redis://me:sec/ret@host", "redis://:sec?ret@h", "http://:sec@h"]
)
def test_an_address_that_is_refused_is_not_repeated_with_its_password(url: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        open_connection(url, 1.0)
    assert "sec" not in str(refusal.value)
    assert "%23" in str(refusal.value)


def test_all_is_well_again_when_the_database_is_back_without_another_client() -> None:
    with ExitStack() as cleanup:
        folder = Path(cleanup.enter_context(kept_folder()))
        with running(folder) as url:
            store = open_store(Settings(redis_url=url, redis_deadline=0.3))
            article, bob = factories.article(store), factories.user(store, "bob")
        for _ in range(2):
            with pytest.raises(Unavailable):
                store.votes.cast(article.id, bob)
        with running(folder):
            assert store.votes.cast(article.id, bob) == 2
            assert broken(store) == []
        store.connection.client.close()


@contextmanager
def kept_folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="vw-", dir="/tmp") as folder:
        yield folder


@contextmanager
def running(folder: Path) -> Iterator[str]:
    with open_database(Settings(data_dir=str(folder))) as found:
        yield found.redis_url


def test_a_database_that_comes_back_within_the_deadline_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([redis.ConnectionError("gone"), redis.BusyLoadingError("loading"), redis.TimeoutError("slow")])
    ping = store.connection.client.execute_command

    def flaky(*words: Any, **options: Any) -> Any:
        for failure in failures:
            raise failure
        return ping(*words, **options)

    monkeypatch.setattr(store.connection.client, "execute_command", flaky)
    store.connection.ping()


@contextmanager
def as_replica(store: Store) -> Iterator[None]:
    """Make the server refuse all writes, as one that has lost a failover does."""
    run(store, "REPLICAOF", "127.0.0.1", "1")
    try:
        yield
    finally:
        run(store, "REPLICAOF", "NO", "ONE")


def test_a_server_that_has_become_a_replica_is_away_for_writes(make_store: MakeStore) -> None:
    store = make_store(redis_deadline=0.15)
    article, bob = factories.article(store), factories.user(store, "bob")
    with as_replica(store), pytest.raises(Unavailable):
        store.votes.cast(article.id, bob)
    assert store.votes.cast(article.id, bob) == 2


def test_scripts_that_the_server_forgot_are_loaded_again(store: Store) -> None:
    run(store, "SCRIPT", "FLUSH")
    article = factories.article(store, groups=("go", "redis"))
    run(store, "SCRIPT", "FLUSH")
    assert ids_of(page(store, store.rankings.groups(["go", "redis"], Order.SCORE)).rows) == [article.id]
    run(store, "SCRIPT", "FLUSH")
    assert store.imports.add([factories.story(), factories.story()]) == 2
    assert broken(store) == []


def test_a_server_that_is_started_again_while_it_is_given_the_scripts_is_given_them_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, restarts = store.connection.load_scripts, iter([True])

    def load_and_restart() -> None:
        load()
        if next(restarts, False):
            run(store, "SCRIPT", "FLUSH")

    monkeypatch.setattr(Connection, "load_scripts", lambda self: load_and_restart())
    run(store, "SCRIPT", "FLUSH")
    factories.group(store, "go")
    assert run(store, "SMEMBERS", "groups:") == {"go"}


def test_a_healed_script_does_not_count_as_repeated(store: Store) -> None:
    factories.group(store, "go")
    run(store, "SCRIPT", "FLUSH")
    assert store.connection.script("make_group", ["groups:", "group-info:go"], [0, "", "make", "go", "", ""]) == (
        "exists",
        [],
        False,
    )


def test_a_slow_script_runs_once_and_then_the_store_gives_up(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redis-py left alone sends it eleven times."""
    # A loop by the clock would never end: within a script Valkey's clock stands still.
    slow = "redis.call('INCR', KEYS[1]) for i = 1, 1e8 do end return { 'done' }"
    texts = scripts.sources() | {"slow": slow}
    monkeypatch.setattr(scripts, "sources", lambda: texts)
    store, watcher = make_store(redis_deadline=0.1), make_store()
    watcher.connection.load_scripts()
    with pytest.raises(Unavailable):
        store.connection.script("slow", ["count"], [])
    assert run(watcher, "GET", "count") == "1"


def test_a_fault_of_ours_is_not_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run(store, "RPUSH", "article:1", "x")
    sent = []
    send = store.connection.client.execute_command
    monkeypatch.setattr(
        store.connection.client, "execute_command", lambda *words, **more: sent.append(words) or send(*words, **more)
    )
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        store.connection.command("HGET", "article:1", "title")
    assert len(sent) == 1


def test_the_questions_of_a_trip_go_together_and_answers_come_to_who_asked(store: Store) -> None:
    pipeline = store.pipeline()
    one = pipeline.queue([("SET", "a", "1"), ("GET", "a")], lambda answers: answers[1])
    none = pipeline.queue([], lambda answers: len(answers))
    two = pipeline.queue([("GET", "a"), ("GET", "b")], tuple)
    pipeline.execute()
    assert (one.result, none.result, two.result) == ("1", 0, ("1", None))
    pipeline.execute()  # nothing is left to send
    again = pipeline.queue([("GET", "a")], lambda answers: answers[0])
    pipeline.execute()
    assert again.result == "1"


def test_an_atomic_pipeline_is_one_instant(store: Store) -> None:
    assert store.connection.run([("SET", "a", "1"), ("GET", "a")], atomic=True)[1] == "1"


def test_a_deadline_of_its_own_can_be_given_to_one_attempt(server_url: str) -> None:
    with closed_port() as url:
        connection: Connection = open_connection(url, 60.0)
        with pytest.raises(Unavailable):
            connection.retry_until_deadline(connection.client.ping, deadline=0.1)
        connection.client.close()


@contextmanager
def with_password(store: Store, password: str) -> Iterator[None]:
    """Make the server ask newcomers for a password."""
    client = store.connection.client
    client.config_set("requirepass", password)
    try:
        yield
    finally:
        client.config_set("requirepass", "")


def test_a_server_that_does_not_let_us_in_says_so_at_once(store: Store, server_url: str) -> None:
    stranger = open_store(Settings(redis_url=server_url, redis_deadline=60.0))
    with with_password(store, "secret"), pytest.raises(ConfigError, match="refuses us"):
        stranger.server.wait_until_ready(patience=60.0)
    stranger.connection.client.close()


def test_a_password_in_the_address_lets_us_in(store: Store, server_url: str) -> None:
    friend = open_store(Settings(redis_url=server_url.replace("://", "://:secret@"), redis_deadline=5.0))
    with with_password(store, "secret"):
        friend.server.wait_until_ready(patience=5.0)
    friend.connection.client.close()


def test_greeting_an_absent_server_gives_up() -> None:
    with closed_port() as url:
        store = open_store(Settings(redis_url=url))
        with pytest.raises(Unavailable):
            store.server_info.wait_until_ready(patience=0.1)
        store.connection.client.close()


def test_a_server_is_empty_until_somebody_posts_or_joins(store: Store) -> None:
    assert (store.server_info.is_empty(), store.users.has_admin()) == (True, False)
    factories.user(store)
    assert (store.server_info.is_empty(), store.users.has_admin()) == (False, False)


def test_a_server_counts_what_a_site_holds(store: Store) -> None:
    factories.article(store, factories.user(store), groups=("go", "redis"))
    factories.user(store, "bob")
    assert store.server_info.counts() == (1, 2, 2)


def test_two_servers_do_not_share_their_data(store: Store) -> None:
    factories.article(store)
    with private_server("valkey") as url:
        other = open_store(Settings(redis_url=url))
        assert other.server.is_empty()
        other.connection.client.close()


def test_a_server_busy_with_a_script_is_away_not_broken(server_url: str) -> None:
    url, threads = server_url, []
    store = open_connection(url, 0.3)
    before = store.client.config_get("busy-reply-threshold")["busy-reply-threshold"]
    store.client.config_set("busy-reply-threshold", 50)
    try:
        threads.append(threading.Thread(target=_run_for_ever, args=(url,)))
        threads[0].start()
        until(lambda: _is_busy(url))
        with pytest.raises(Unavailable):
            store.pipeline([("GET", "x")])
    finally:
        with open_connection(url, 5.0).client as client:
            client.script_kill()
        threads[0].join()
        store.client.config_set("busy-reply-threshold", before)
    store.ping()


def _run_for_ever(url: str) -> None:
    with contextlib.suppress(redis.RedisError), open_connection(url, 60.0).client as client:
        client.eval("while true do end", 0)


def _is_busy(url: str) -> bool:
    with open_connection(url, 5.0).client as client:
        try:
            client.ping()
        except redis.ResponseError as problem:
            return "BUSY" in str(problem)
    return False
