"""The rights of the database's user: those of deploy/redis/users.acl suffice, and the lack of one is said in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests import factories
from tests.conftest import private_server
from tests.store.doctor.conftest import build_site
from tests.store.examination import broken, repair, run
from tests.store.test_rows import read_all
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.backup import Backup

ROOT = Path(__file__).parents[2]
PASSWORD = "replace-this-password"


@contextmanager
def limited_store(engine: str, *changes: str) -> Iterator[Store]:
    """Yield a store whose user has the rights of the file, with *changes*."""
    with private_server(engine) as url:
        with redis.Redis.from_url(url) as admin:
            user_url = limited_user(admin, url, "voteweb", *changes)
        store = open_store(Settings(redis_url=user_url, good_votes=3))
        yield store
        store.connection.close()


def limited_user(admin: redis.Redis, url: str, name: str, *changes: str) -> str:
    """Make the user *name* with the rights of the file and *changes*; return the *url* of the server with the user."""
    _, _, *rules = (ROOT / "deploy" / "redis" / "users.acl").read_text("utf-8").split()
    admin.execute_command("ACL", "SETUSER", name, *rules, *changes)
    return url.replace("unix://", f"unix://{name}:{PASSWORD}@")


@pytest.mark.parametrize("engine", ["valkey", "redis"])
def test_the_rights_of_the_file_suffice(engine: str) -> None:
    with limited_store(engine) as store:
        with pytest.raises(redis.exceptions.NoPermissionError):
            run(store, "FLUSHALL")
        build_site(store)
        run(store, "ZREM", "score:", "article:1")
        assert read_all(store) == (2, 1, 2, 5, 0, 1)
        assert [is_repaired for _, is_repaired in repair(store)] == [True]
        assert broken(store) == []
        assert list(Backup(store.context).lines([]))
        list(store.site_settings.rescore())
        assert store.health.health().status == "ok"


def test_a_server_that_tells_nothing_has_no_warnings() -> None:
    with limited_store("valkey", "-info", "-config", "-acl") as store:
        assert store.health.health() == ("ok", [])
        store.health.refuse_old()


def test_a_missing_right_is_named_in_words() -> None:
    right = pytest.raises(ConfigError, match=r"zadd.*Give it the rights of deploy/redis/users.acl")
    with limited_store("valkey", "-zadd") as store, right:
        factories.user(store)
    with limited_store("valkey", "resetkeys", "~other:*") as store:
        with pytest.raises(ConfigError, match=r"does not allow .* for the keys of VOTEWEB_SITE"):
            store.health.refuse_unusable()
        assert store.health.health() == ("down", ["Redis refuses us"])


@pytest.mark.parametrize("engine", ["valkey", "redis"])
def test_the_user_of_one_site_reads_no_server_password(engine: str) -> None:
    with private_server(engine) as url, redis.Redis.from_url(url) as admin:
        admin.config_set("requirepass", "of the server")
        with redis.Redis.from_url(limited_user(admin, url, "cooking", "resetkeys", "~{cooking}:*")) as client:
            client.set("{cooking}:user:", 1)
            for words in ("GET requirepass", "GET *pass*", "GET *", "REWRITE", "SET requirepass x"):
                with pytest.raises(redis.exceptions.NoPermissionError):
                    client.execute_command("CONFIG", *words.split())
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.get("user:")
        admin.config_set("requirepass", "")  # else whoever started the server cannot end it
