"""The URLs of clusters, and what opening one asks for."""

import pytest
from redis.cluster import ClusterNode

from tests.conftest import MakeStore
from tests.helpers import free_ports
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store import open_store
from voteweb.store.connection import slot_nodes
from voteweb.store.connection.cluster import ClusterUrl, parse
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.slot_nodes import Address
from voteweb.store.keys import Keys

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
        "redis+cluster://a:1/news",
        "redis+cluster://a:1/1",
        "redis+cluster://a:1?db=1",
        "redis+cluster://a:1?socket_timeout=60",
    ],
)
def test_an_invalid_url_of_a_cluster_is_refused_naming_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(url, 1.0, keys=Keys.of_site("news"))


def test_a_site_without_a_name_is_refused_on_a_cluster() -> None:
    with pytest.raises(ConfigError, match="A cluster needs VOTEWEB_SITE"):
        open_store(Settings(redis_url="redis+cluster://a:1"))


def test_a_cluster_is_contacted_by_the_first_command() -> None:
    store = open_store(Settings(redis_url="redis+cluster://127.0.0.1:1,localhost:1", site="news", redis_deadline=0.1))
    with pytest.raises(Unavailable):
        store.connection.ping()
    store.connection.close()


def test_a_node_of_the_url_that_is_known_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[Address]] = []

    class Manager:
        def __init__(self, *_: object, **__: object) -> None:
            self.startup_nodes = {name: ClusterNode(name, 1) for name in ("127.0.0.1", "10.0.0.1")}
            self.slots_cache = {0: [ClusterNode("10.0.0.1", 1)]}

        def initialize(self, *, additional_startup_nodes_info: list[Address]) -> None:
            asked.append(additional_startup_nodes_info)

        def get_node_from_slot(self, _slot: int) -> None:
            pass

    monkeypatch.setattr(slot_nodes, "NodesManager", Manager)
    monkeypatch.setattr(slot_nodes, "LOOK_UP_SECONDS", 0.0)
    nodes = slot_nodes.SlotNodes([("127.0.0.1", 1), ("127.0.0.1", 2)], 0, {})
    assert [nodes.primary(), nodes.primary()] == [[("10.0.0.1", 1)]] * 2
    assert asked == [[("127.0.0.1", 2)]]


@pytest.mark.usefixtures("single_server")
def test_a_server_in_no_cluster_is_refused_with_its_words(make_store: MakeStore) -> None:
    plain, (port,) = make_store(), free_ports(1)
    plain.connection.client.config_set("port", port)
    try:
        store = open_store(Settings(redis_url=f"redis+cluster://127.0.0.1:{port}", site="news"))
        with pytest.raises(ConfigError, match="refuses us: This instance has cluster support disabled"):
            store.server_info.wait_until_ready(1.0)
        store.connection.close()
    finally:
        plain.connection.client.config_set("port", 0)
