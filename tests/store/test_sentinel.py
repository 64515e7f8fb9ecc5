"""Addresses of databases under Sentinel, and what their Sentinels say."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from redis.sentinel import MasterNotFoundError

from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import open_store
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.sentinel import Sentinels, parse

NOBODY = {"username": None, "password": None}
UP = {"ip": "10.0.0.1", "port": 6379, "is_sdown": False, "is_odown": False, "is_disconnected": False}


@pytest.mark.parametrize(
    ("url", "sentinels", "name", "database", "watch"),
    [
        ("redis+sentinel://a:1,b:2,c:3/news", (("a", 1), ("b", 2), ("c", 3)), "news", NOBODY | {"db": 0}, NOBODY),
        ("redis+sentinel://a/news", (("a", 26_379),), "news", NOBODY | {"db": 0}, NOBODY),
        ("redis+sentinel://[::1]:5,[fe80::2]/n", (("::1", 5), ("fe80::2", 26_379)), "n", NOBODY | {"db": 0}, NOBODY),
        (
            "redis+sentinel://me:p%40ss@a:1,b:2/news?db=3",
            (("a", 1), ("b", 2)),
            "news",
            {"username": "me", "password": "p@ss", "db": 3},
            NOBODY,
        ),
        (
            "redis+sentinel://:word@a/news?sentinel_username=he&sentinel_password=o%26ther",
            (("a", 26_379),),
            "news",
            {"username": None, "password": "word", "db": 0},
            {"username": "he", "password": "o&ther"},
        ),
    ],
)
def test_an_address_says_all_this(url: str, sentinels: Any, name: str, database: Any, watch: Any) -> None:
    assert parse(url) == (sentinels, name, database, watch)


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel:",
        "redis+sentinel://",
        "redis+sentinel:///news",
        "redis+sentinel://a:1",
        "redis+sentinel://a:1/",
        "redis+sentinel://a:1/news/0",
        "redis+sentinel://a:1,/news",
        "redis+sentinel://a:1,:2/news",
        "redis+sentinel://a:port/news",
        "redis+sentinel://a:99999/news",
        "redis+sentinel://a:1/news?db=one",
        "redis+sentinel://a:1/news?socket_timeout=60",
        "redis+sentinel://a:1/news?db",
    ],
)
def test_what_is_no_such_address_is_refused_by_the_name_of_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(url, 1.0)


def test_replicas_can_be_read_only_where_sentinel_tells_of_them() -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_READ_REPLICAS wants"):
        open_store(Settings(redis_url="redis://db.example", read_replicas=1))


class Watcher:
    """A Sentinel that answers what it is told to, or fails with it."""

    def __init__(self, answer: Any, *, promoted: bool = False) -> None:
        self._answer, self._promoted = answer, promoted
        self.asked = 0

    def sentinel_master(self, name: str) -> Any:
        self.asked += 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def sentinel_get_master_addr_by_name(self, name: str) -> Any:
        return ("10.0.0.2" if self._promoted else "10.0.0.1", 6379)

    sentinel_slaves = sentinel_master


@pytest.mark.parametrize(
    "other",
    [
        UP | {"is_sdown": True},
        UP | {"is_odown": True},
        UP | {"is_disconnected": True},
        redis.ConnectionError("refused"),
        redis.TimeoutError("silent"),
        redis.AuthenticationError("a password is wanted"),
        redis.ResponseError("No such master with that name"),
    ],
)
def test_one_sentinel_that_knows_is_enough_and_is_asked_first_from_then_on(other: Any) -> None:
    watchers = [Watcher(other), Watcher(other), Watcher(UP)]
    sentinels = Sentinels(watchers)  # type: ignore[arg-type]
    for _ in range(3):
        assert sentinels.discover_master("news") == ("10.0.0.1", 6379)
    assert [each.asked for each in watchers] == [1, 1, 3]


def test_without_a_primary_every_sentinel_says_why() -> None:
    watchers = [Watcher(redis.ConnectionError("refused")), Watcher(UP | {"is_sdown": True}), Watcher(UP)]
    sentinels = Sentinels(watchers[:2])  # type: ignore[arg-type]
    with pytest.raises(MasterNotFoundError, match="no primary for 'news': refused; it is down"):
        sentinels.discover_master("news")


def test_the_new_primary_is_known_before_the_other_replicas_follow_it() -> None:
    sentinels = Sentinels([Watcher(UP | {"is_odown": True}, promoted=True)])  # type: ignore[list-item]
    assert sentinels.discover_master("news") == ("10.0.0.2", 6379)


def replica(port: int, link: str = "ok", **over: Any) -> dict[str, Any]:
    return UP | {"port": port, "master-link-status": link} | over


@pytest.mark.parametrize(
    ("replicas", "ports"),
    [
        ([], []),
        ([replica(1), replica(2)], [1, 2]),
        ([replica(1, "err"), replica(2)], [2]),
        ([replica(1, is_sdown=True), replica(2, is_disconnected=True)], []),
    ],
)
def test_replicas_are_those_that_are_up_and_follow(replicas: list[dict[str, Any]], ports: list[int]) -> None:
    sentinels = Sentinels([Watcher(replicas)])  # type: ignore[list-item]
    assert [port for _, port in sentinels.discover_slaves("news")] == ports


@pytest.mark.parametrize("method", [Sentinels.discover_master, Sentinels.discover_slaves])
def test_a_fault_of_ours_is_not_taken_for_a_sentinel_that_is_away(method: Callable[..., Any]) -> None:
    with pytest.raises(KeyError):
        method(Sentinels([Watcher(KeyError("ip"))]), "news")  # type: ignore[list-item]
