"""The URLs of clusters, and what opening one asks for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import redis

from tests.conftest import MakeStore
from tests.helpers import free_ports
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store import open_store
from voteweb.store.connection import cluster
from voteweb.store.connection.cluster import Address, ClusterUrl, SlotConnection, SlotOwner, SlotPool, parse
from voteweb.store.connection.factory import open_connection
from voteweb.store.schema.keys import Keys

ANONYMOUS = {"username": None, "password": None}


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("redis+cluster://a:1,b:2,c:3/", ClusterUrl((("a", 1), ("b", 2), ("c", 3)), ANONYMOUS)),
        ("redis+cluster://a,[::1]:5/0", ClusterUrl((("a", 6_379), ("::1", 5)), ANONYMOUS)),
        (
            "rediss+cluster://me:p%40ss@a?db=0",
            ClusterUrl((("a", 6_379),), {"username": "me", "password": "p@ss"}),
        ),
    ],
)
def test_a_url_has_nodes_and_credentials(url: str, parsed: ClusterUrl) -> None:
    assert parse(url) == parsed


@pytest.mark.parametrize(
    "url",
    [
        "redis+cluster:",
        "redis+cluster://",
        "redis+cluster://user@",
        "redis+cluster://a:1,",
        "redis+cluster://a:port",
        f"redis+cluster://a:1,{'a' * 64}.example",
        "redis+cluster://a:1/news",
        "redis+cluster://a:1?socket_timeout=60",
    ],
)
def test_an_invalid_url_of_a_cluster_is_refused_naming_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(url, 1.0, keys=Keys.of_site("news"))


@pytest.mark.parametrize("end", ["/1", "/10", "?db=1", "/0?db=3"])
def test_a_database_other_than_0_is_refused_on_a_cluster(end: str) -> None:
    with pytest.raises(ConfigError, match=r"VOTEWEB_REDIS_URL .* only database 0"):
        open_connection(f"redis+cluster://a:1{end}", 1.0, keys=Keys.of_site("news"))


def test_a_site_without_a_name_is_refused_on_a_cluster() -> None:
    with pytest.raises(ConfigError, match="A cluster needs VOTEWEB_SITE"):
        open_store(Settings(redis_url="redis+cluster://a:1"))


def test_a_cluster_is_contacted_by_the_first_command() -> None:
    store = open_store(Settings(redis_url="redis+cluster://127.0.0.1:1,localhost:1", site="news", redis_deadline=0.1))
    with pytest.raises(Unavailable):
        store.connection.ping()
    store.connection.close()


#: What a silent node takes.
LIMITS = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}


class Nodes:
    """A cluster whose one slot is on *primary*; all nodes but those *answering* are silent, by a clock of its own."""

    def __init__(self, primary: Address, answering: set[Address]) -> None:
        self.primary, self.answering = primary, answering
        self.now = 0.0
        #: Each node that was asked, and the seconds it had.
        self.asked: list[tuple[Address, float]] = []

    def monotonic(self) -> float:
        return self.now

    @contextmanager
    def client(self, host: str, port: int, *, socket_timeout: float, socket_connect_timeout: float) -> Iterator[Any]:
        assert socket_connect_timeout == socket_timeout
        self.asked.append(((host, port), socket_timeout))
        if (host, port) not in self.answering:
            self.now += socket_timeout
            raise redis.TimeoutError
        yield SimpleNamespace(execute_command=lambda _: [[0, 0, [*self.primary, "its id"]]])


@pytest.fixture
def make_nodes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Nodes]:
    """A function that puts a cluster in the place of redis-py's clients."""

    def make(primary: Address, answering: set[Address]) -> Nodes:
        nodes = Nodes(primary, answering)
        monkeypatch.setattr(cluster, "redis", SimpleNamespace(**vars(redis) | {"Redis": nodes.client}))
        monkeypatch.setattr(cluster, "time", nodes)
        monkeypatch.setattr(cluster, "LOOK_UP_SECONDS", 0.0)
        return nodes

    return make


def test_a_look_up_ends_in_time_and_the_next_asks_other_nodes(make_nodes: Callable[..., Nodes]) -> None:
    addresses = [("127.0.0.1", port) for port in range(6)]
    nodes = make_nodes(addresses[0], set())
    owner = SlotOwner(addresses, 0, LIMITS)
    for number in (1, 2, 3):
        with pytest.raises(redis.TimeoutError):
            owner.address()
        assert nodes.now == number * 0.5
    assert sorted(nodes.asked) == [(address, 0.25) for address in addresses]


def test_known_nodes_are_asked_before_others_of_the_url(make_nodes: Callable[..., Nodes]) -> None:
    of_url, known = ("127.0.0.1", 1), ("10.0.0.1", 1)
    nodes = make_nodes(known, {of_url, known})
    owner = SlotOwner([of_url], 0, LIMITS)
    assert [owner.address() for _ in range(3)] == [known] * 3
    nodes.answering.remove(known)  # as all nodes that were known may have been replaced
    assert owner.address() == known
    assert [address for address, _ in nodes.asked] == [of_url, known, known, known, of_url]


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

    class Connection(SlotConnection):
        def on_connect_check_health(self, check_health: bool = True) -> None:
            greetings.append(self.socket_timeout)
            super().on_connect_check_health(check_health)

    owner: Any = SimpleNamespace(address=lambda: ("127.0.0.1", port))
    limits = {"socket_connect_timeout": 0.1, "socket_timeout": 60.0}
    with redis.Redis.from_pool(SlotPool(owner, connection_class=Connection, **limits)) as client:
        assert client.blpop(["absent"], 0.2) is None
    assert greetings == [0.1]


@pytest.mark.usefixtures("single_server")
def test_a_server_in_no_cluster_is_refused_with_its_words(port: int) -> None:
    store = open_store(Settings(redis_url=f"redis+cluster://127.0.0.1:{port}", site="news"))
    with pytest.raises(ConfigError, match="refuses us: This instance has cluster support disabled"):
        store.health.wait_until_ready(1.0)
    store.connection.close()
