"""Sentinel and clusters: the URLs of databases, and what Sentinels and nodes answer."""

import threading
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from redis.exceptions import MovedError

from tests.conftest import MakeStore
from tests.helpers import free_ports, until
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.store import open_store
from voteweb.store.connection import primary
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.primary import (
    Finder,
    PrimaryConnection,
    PrimaryPool,
    PrimaryUrl,
    ask_node,
    ask_sentinel,
    parse,
)

ANONYMOUS = {"username": None, "password": None}
ME = {"username": "me", "password": "p@ss"}
NAMELESS = {"username": None, "password": "secret"}


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("sentinel://a/news", PrimaryUrl((("a", 26_379),), "news", ANONYMOUS | {"db": 0}, ANONYMOUS)),
        (
            "sentinel://me:p%40ss@[::1]:5,[fe80::2]/n?db=3",
            PrimaryUrl((("::1", 5), ("fe80::2", 26_379)), "n", ME | {"db": 3}, ANONYMOUS),
        ),
        (
            "sentinel://:secret@a/news?sentinel_username=he&sentinel_password=o%26ther",
            PrimaryUrl((("a", 26_379),), "news", NAMELESS | {"db": 0}, {"username": "he", "password": "o&ther"}),
        ),
        ("cluster://a,[::1]:5/0", PrimaryUrl((("a", 6_379), ("::1", 5)), "", ANONYMOUS, ANONYMOUS)),
        ("cluster://me:p%40ss@a?db=0", PrimaryUrl((("a", 6_379),), "", ME, ME)),
    ],
)
@pytest.mark.parametrize("scheme", ["redis", "rediss"])
def test_a_url_has_addresses_name_and_credentials(scheme: str, url: str, parsed: PrimaryUrl) -> None:
    assert parse(f"{scheme}+{url}") == parsed


@pytest.mark.parametrize(
    "url",
    [
        *(f"redis+sentinel:{rest}" for rest in ("", "///news", "//a:1", "//a:1/news/0", "//a:1,/news")),
        *(f"redis+sentinel://a{rest}/news" for rest in (":1,a..b", ":port", ":99999")),
        *(f"redis+sentinel://a:1/news?{rest}" for rest in ("db=one", "socket_timeout=60")),
        *(f"redis+cluster:{rest}" for rest in ("//", "//user@", "//a:1,", "//a:port", "//a:1/news")),
        *("nonsense", "http://127.0.0.1", "redis://127.0.0.1:port", "redis://h/abc", "redis://a..b"),
        f"redis+cluster://a:1,{'a' * 64}.example",
        "redis+cluster://a:1?socket_timeout=60",
    ],
)
def test_an_invalid_url_is_refused_naming_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(Settings(redis_url=url, site="news"))


def test_clusters_have_only_database_0_and_need_a_site_name() -> None:
    for end in ("/1", "/0?db=3"):
        with pytest.raises(ConfigError, match=r"VOTEWEB_REDIS_URL .* only database 0"):
            open_connection(Settings(redis_url=f"redis+cluster://a:1{end}", site="news"))
    with pytest.raises(ConfigError, match="A cluster needs VOTEWEB_SITE"):
        open_store(Settings(redis_url="redis+cluster://a:1"))


#: What a Sentinel tells of a primary that is up.
UP = {"ip": "10.0.0.1", "port": 6379, "is_sdown": False, "is_odown": False, "is_disconnected": False}
SILENT = redis.TimeoutError("silent")


class Servers:
    """Sentinels or nodes, by a clock of their own, with what each answers; those that have none are silent.

    The answer of a Sentinel is the state of the primary, that of a node the address of the one that has all slots.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.now = 0.0
        #: Each server that was asked, and the seconds it had.
        self.asked: list[tuple[str, float]] = []
        self.promoted = "10.0.0.1"

    def monotonic(self) -> float:
        return self.now

    def client(self, host: str, _port: int, *, socket_timeout: float, socket_connect_timeout: float, **_: Any) -> Any:
        assert socket_connect_timeout == socket_timeout
        self.asked.append((host, socket_timeout))

        def answer(_: str) -> Any:
            answer = self.answers.get(host, SILENT)
            if answer is SILENT:
                self.now += socket_timeout
            if isinstance(answer, Exception):
                raise answer
            return answer

        client = SimpleNamespace(
            sentinel_get_master_addr_by_name=lambda _: (self.promoted, 6379),
            sentinel_master=answer,
            execute_command=lambda command: [[0, 0, [*answer(command), "its id"]]],
        )
        return nullcontext(client)

    def sentinels(self, hosts: Collection[str]) -> Finder:
        return Finder([(host, 1) for host in hosts], ask_sentinel("news"), {}, seconds=0.5, prefix="no primary: ")

    def nodes(self, hosts: Collection[str]) -> Finder:
        return Finder([(host, 1) for host in hosts], ask_node(0), {}, seconds=0.5)


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Servers:
    """Servers in the place of redis-py's clients; no look-up holds for longer than its answer."""
    servers = Servers()
    monkeypatch.setattr(primary, "redis", SimpleNamespace(**vars(redis) | {"Redis": servers.client}))
    monkeypatch.setattr(primary, "time", servers)
    monkeypatch.setattr(primary, "LOOK_UP_SECONDS", 0.0)
    return servers


@pytest.mark.parametrize(
    "other",
    [
        UP | {"is_odown": True},
        UP | {"is_disconnected": True},
        redis.ConnectionError("refused"),
        redis.AuthenticationError("a password is required"),
        redis.ResponseError("No such master with that name"),
    ],
)
def test_the_sentinel_that_knew_last_is_asked_first(servers: Servers, other: Any) -> None:
    servers.answers = {"a": other, "b": other, "c": UP}
    finder = servers.sentinels("abc")
    for _ in range(3):
        assert finder.address() == ("10.0.0.1", 6379)
    assert [host for host, _ in servers.asked] == ["a", "b", "c", "c", "c"]


def test_without_a_primary_every_sentinels_reason_is_reported(servers: Servers) -> None:
    others = {"a": redis.ResponseError("No such master"), "b": UP | {"is_sdown": True}}
    servers.answers = others | {"c": redis.AuthenticationError("no password")}
    with pytest.raises(redis.ConnectionError, match="no primary: No such master; the primary is down; no") as failure:
        servers.sentinels("abc").address()
    assert type(failure.value) is redis.ConnectionError


def test_look_up_ends_in_time_and_the_next_asks_others(servers: Servers) -> None:
    for finder in (servers.sentinels("abcdef"), servers.nodes("abcdef")):
        servers.now, servers.asked = 0.0, []
        for number in (1, 2, 3):
            with pytest.raises(redis.TimeoutError):
                finder.address()
            assert servers.now == number * 0.5
        assert servers.asked == [(host, 0.25) for host in "abcdef"]


def test_even_a_failed_look_up_holds_for_all_threads(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(primary, "LOOK_UP_SECONDS", 0.1)
    finder = servers.sentinels("a")
    for _ in range(2):
        with pytest.raises(redis.TimeoutError):
            finder.address()
    assert len(servers.asked) == 1


def test_a_watcher_learns_of_changes_not_from_silence(servers: Servers) -> None:
    servers.answers = {"a": UP}
    finder = servers.sentinels("a")
    assert finder.address() == ("10.0.0.1", 6379)
    servers.promoted = "10.0.0.2"
    servers.answers = {"a": UP | {"is_odown": True}}  # before replicas follow it
    for _ in range(2):
        finder.check()
        assert finder.primary == ("10.0.0.2", 6379)
        servers.answers = {}


def test_a_watcher_overwrites_nothing_learned_meanwhile(servers: Servers) -> None:
    def ask_late(*_: object) -> tuple[primary.Address, tuple[()]]:
        servers.now += 0.1
        finder.follow(MovedError("0 10.0.0.3:6379"))
        return ("10.0.0.1", 6379), ()

    finder = Finder([("a", 1)], ask_late, {}, seconds=0.5)
    finder.check()
    assert finder.primary == ("10.0.0.3", 6379)


def test_one_thread_watches_until_connections_are_closed(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(primary, "WATCH_SECONDS", 0.001)
    servers.answers, others = {"a": UP}, threading.enumerate()
    finder = servers.sentinels("a")
    finder.is_watching = True
    for _ in range(2):
        assert finder.address() == ("10.0.0.1", 6379)
    (watcher,) = (thread for thread in threading.enumerate() if thread not in others)
    servers.answers = {"a": {}}  # as no Sentinel answers
    asked = len(servers.asked)
    until(lambda: len(servers.asked) > asked + 1)
    servers.answers, servers.promoted = {"a": UP}, "10.0.0.2"
    until(lambda: finder.primary == ("10.0.0.2", 6379))
    finder.close()
    until(lambda: not watcher.is_alive())


def test_known_nodes_are_asked_before_others_of_the_url(servers: Servers) -> None:
    servers.answers = {"url": ("known", 1), "known": ("known", 1)}
    finder = servers.nodes(["url"])
    assert [finder.address() for _ in range(3)] == [("known", 1)] * 3
    del servers.answers["known"]  # as all nodes that were known may have been replaced
    assert finder.address() == ("known", 1)
    assert [host for host, _ in servers.asked] == ["url", "known", "known", "known", "url"]


@pytest.fixture
def port(make_store: MakeStore) -> Iterator[int]:
    """A port of the server, which is in no cluster."""
    plain, (port,) = make_store(), free_ports(1)
    plain.connection.client.config_set("port", port)
    yield port
    plain.connection.client.config_set("port", 0)


@pytest.mark.usefixtures("single_server")
def test_a_greeting_may_take_less_time_than_a_command(port: int) -> None:
    greetings: list[float] = []

    class Connection(PrimaryConnection):
        def on_connect_check_health(self, check_health: bool = True) -> None:
            greetings.append(self.socket_timeout)
            super().on_connect_check_health(check_health)

    finder: Any = SimpleNamespace(address=lambda: ("127.0.0.1", port), close=lambda: None)
    limits = {"socket_connect_timeout": 20.0, "socket_timeout": 60.0}
    with redis.Redis.from_pool(PrimaryPool(finder, connection_class=Connection, **limits)) as client:
        assert client.blpop(["absent"], 0.2) is None
    assert greetings == [20.0]


@pytest.mark.usefixtures("single_server")
def test_connections_to_a_former_primary_end_even_in_use(port: int) -> None:
    here, failures = ("127.0.0.1", port), list[redis.RedisError]()
    finder: Any = SimpleNamespace(address=lambda: here, primary=here, close=lambda: None)
    pool = PrimaryPool(finder, connection_class=PrimaryConnection)
    client, idle = redis.Redis.from_pool(pool), pool.get_connection()

    def wait_for_answer() -> None:
        try:
            client.blpop(["absent"], 60)
        except redis.RedisError as error:
            failures.append(error)

    thread = threading.Thread(target=wait_for_answer)
    thread.start()
    until(lambda: client.info("clients")["blocked_clients"])
    pool.release(idle)
    pool.drop_others()
    assert idle.is_connected
    finder.primary = ("127.0.0.1", 1)
    pool.drop_others()
    thread.join()
    assert not idle.is_connected
    assert [type(error) for error in failures] == [redis.ConnectionError]
    client.close()


@pytest.mark.usefixtures("single_server")
def test_a_server_in_no_cluster_is_refused_with_its_words(port: int) -> None:
    store = open_store(Settings(redis_url=f"redis+cluster://127.0.0.1:{port}", site="news"))
    with pytest.raises(ConfigError, match="refuses us: This instance has cluster support disabled"):
        store.health.wait_until_ready(10.0)
    store.connection.close()
