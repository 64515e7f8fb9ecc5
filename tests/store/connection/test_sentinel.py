"""Sentinel: the URLs of databases under it, and what their Sentinels answer."""

from types import SimpleNamespace
from typing import Any

import pytest
import redis
from redis.sentinel import MasterNotFoundError

from voteweb.core.errors import ConfigError
from voteweb.store.connection import sentinel
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.sentinel import Sentinels, SentinelUrl, parse

ANONYMOUS = {"username": None, "password": None}
UP = {"ip": "10.0.0.1", "port": 6379, "is_sdown": False, "is_odown": False, "is_disconnected": False}


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("a:1,b:2,c:3/news", SentinelUrl((("a", 1), ("b", 2), ("c", 3)), "news", {**ANONYMOUS, "db": 0}, ANONYMOUS)),
        ("a/news", SentinelUrl((("a", 26_379),), "news", {**ANONYMOUS, "db": 0}, ANONYMOUS)),
        ("[::1]:5,[fe80::2]/n", SentinelUrl((("::1", 5), ("fe80::2", 26_379)), "n", {**ANONYMOUS, "db": 0}, ANONYMOUS)),
        (
            "me:p%40ss@a:1,b:2/news?db=3",
            SentinelUrl((("a", 1), ("b", 2)), "news", {"username": "me", "password": "p@ss", "db": 3}, ANONYMOUS),
        ),
        (
            ":secret@a/news?sentinel_username=he&sentinel_password=o%26ther",
            SentinelUrl(
                (("a", 26_379),),
                "news",
                {"username": None, "password": "secret", "db": 0},
                {"username": "he", "password": "o&ther"},
            ),
        ),
    ],
)
def test_a_url_has_sentinels_name_database_and_credentials(url: str, parsed: SentinelUrl) -> None:
    assert parse(f"redis+sentinel://{url}") == parsed


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
        "redis+sentinel://a:1,a..b/news",
        "redis+sentinel://a:port/news",
        "redis+sentinel://a:99999/news",
        "redis+sentinel://a:1/news?db=one",
        "redis+sentinel://a:1/news?socket_timeout=60",
        "redis+sentinel://a:1/news?db",
    ],
)
def test_an_invalid_sentinel_url_is_refused_naming_its_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
        open_connection(url, 1.0)


class FakeSentinel:
    """A Sentinel that returns *answer*, or raises it."""

    def __init__(self, answer: Any, *, promoted: bool = False) -> None:
        self._answer, self._promoted = answer, promoted
        self.calls = 0

    def sentinel_master(self, name: str) -> Any:
        self.calls += 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def sentinel_get_master_addr_by_name(self, name: str) -> Any:
        return ("10.0.0.2" if self._promoted else "10.0.0.1", 6379)


@pytest.mark.parametrize(
    "other",
    [
        UP | {"is_sdown": True},
        UP | {"is_odown": True},
        UP | {"is_disconnected": True},
        redis.ConnectionError("refused"),
        redis.TimeoutError("silent"),
        redis.AuthenticationError("a password is required"),
        redis.ResponseError("No such master with that name"),
    ],
)
def test_the_sentinel_that_knew_last_is_asked_first(other: Any) -> None:
    clients = [FakeSentinel(other), FakeSentinel(other), FakeSentinel(UP)]
    sentinels = Sentinels(clients, seconds=1.0)
    for _ in range(3):
        assert sentinels.discover_master("news") == ("10.0.0.1", 6379)
    assert [client.calls for client in clients] == [1, 1, 3]


def test_without_a_primary_every_sentinels_reason_is_reported() -> None:
    clients = [FakeSentinel(redis.ConnectionError("refused")), FakeSentinel(UP | {"is_sdown": True}), FakeSentinel(UP)]
    sentinels = Sentinels(clients[:2], seconds=1.0)
    with pytest.raises(MasterNotFoundError, match="no primary for 'news': refused; the primary is down"):
        sentinels.discover_master("news")


def test_a_look_up_ends_in_time_and_the_next_asks_others(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = 0.0, []

    def stay_silent(client: redis.Redis, _name: str) -> None:
        nonlocal now
        options = client.connection_pool.connection_kwargs
        assert options["socket_connect_timeout"] == options["socket_timeout"]
        asked.append((options["host"], options["socket_timeout"]))
        now += options["socket_timeout"]
        raise redis.TimeoutError

    monkeypatch.setattr(redis.Redis, "sentinel_get_master_addr_by_name", stay_silent)
    monkeypatch.setattr(sentinel, "time", SimpleNamespace(monotonic=lambda: now))
    client = open_connection("redis+sentinel://a,b,c,d,e,f/news", 2.0).client
    for number in (1, 2, 3):
        with pytest.raises(MasterNotFoundError):
            client.ping()
        assert now == number * 0.5
    assert asked == [(host, 0.25) for host in "abcdef"]


def test_a_new_primary_is_known_before_replicas_follow_it() -> None:
    sentinels = Sentinels([FakeSentinel(UP | {"is_odown": True}, promoted=True)], seconds=1.0)
    assert sentinels.discover_master("news") == ("10.0.0.2", 6379)


def test_an_error_of_ours_is_not_an_unavailable_sentinel() -> None:
    with pytest.raises(KeyError):
        Sentinels([FakeSentinel(KeyError("ip"))], seconds=1.0).discover_master("news")
