"""The rights of the database's user: those of deploy/redis/users.acl suffice, and a missing one is named."""

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests import factories
from tests.conftest import private_server
from tests.store.doctor.conftest import build_site
from tests.store.examination import broken, run
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import Store, open_store, rights
from voteweb.store.connection import scripts

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
        store.rights.refuse_missing()
        with pytest.raises(redis.exceptions.NoPermissionError):
            run(store, "FLUSHALL")
        build_site(store)
        factories.article(store, groups=("go",))
        run(store, "ZREM", "score:", "article:1")
        assert len(broken(store)) == 1
        assert all(is_repaired for _, is_repaired in store.doctor.repair())
        assert broken(store) == []
        assert list(store.backup.records())
        list(store.rescoring.run())
        assert store.health.health().status == "ok"


def test_the_rights_of_the_file_are_those_of_the_docs() -> None:
    file, docs = ((ROOT / name).read_text("utf-8").split() for name in ("deploy/redis/users.acl", "docs/operations.md"))
    rights = file[file.index("+@read") :]
    start = docs.index("+@read")
    assert docs[start : start + len(rights)] == rights


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ("-evalsha", "EVALSHA"),
        ("-script|load", "SCRIPT LOAD"),
        ("-@transaction", "MULTI, DISCARD"),
        ("-exec", "EXEC"),
        ("-zadd", "ZADD"),
        ("-time", "TIME"),
        ("-info", "INFO"),
    ],
)
def test_a_missing_right_is_named(change: str, missing: str) -> None:
    with limited_store("valkey", change) as store, pytest.raises(ConfigError, match=f"needs: {missing}. Give it"):
        store.rights.refuse_missing()


def test_missing_keys_are_named_and_nothing_is_written() -> None:
    keys = pytest.raises(ConfigError, match=r"needs: the keys \*\. Is VOTEWEB_SITE right\? Give it")
    with limited_store("valkey", "resetkeys", "~other:*") as store, keys:
        store.rights.refuse_missing()
    with limited_store("valkey") as store:
        store.rights.refuse_missing()
        assert run(store, "DBSIZE") == 0


@pytest.mark.parametrize("engine", ["valkey", "redis"])
def test_the_user_of_one_site_reads_no_password_of_the_server(engine: str) -> None:
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


def test_every_command_that_is_sent_is_tried(store: Store) -> None:
    known = {name.upper() for name in store.connection.client.command_list()}
    sent = set()
    for source in scripts.sources().values():
        sent |= set(re.findall(r"'([A-Z_]+)'", source)) & known
    for file in (ROOT / "voteweb" / "store").rglob("*.py"):
        if file.name == "rights.py":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
                sent.add(node.value)
    others = (*rights.OTHER_COMMANDS, *rights.WAITING_COMMANDS)
    tried = {name for names in rights.COMMANDS.values() for name in names.split()} | {str(name) for name, *_ in others}
    # redis-py sends MULTI and EXEC itself.
    assert sent - {"ASKING"} == (tried | {"XREAD", "ZINTERSTORE"}) - {"MULTI", "EXEC"}
