"""Members whose fields another program damaged: nothing breaks, and nobody gains by it."""

import pytest

from tests.store.examination import run
from tests.web.browser import PASSWORD, Browser
from voteweb.store import Store

DAMAGES = [
    ("HDEL", "id"),
    ("HSET", "id", "x"),
    ("HSET", "id", "²"),
    ("HDEL", "name"),
    ("HDEL", "password"),
    ("HSET", "password", "x"),
    ("HDEL", "role"),
    ("HSET", "role", "root"),
    ("HDEL", "since"),
    ("HSET", "since", "soon"),
    ("HSET", "since", "inf"),
    ("HDEL", "session"),
    ("HSET", "banned", "nan"),
    ("HSET", "banned", "x"),
    ("HSET", "left", "x"),
]
#: Fields without which nobody logs in, and those of a ban that cannot be read.
NEEDED = {"id", "name", "password", "banned", "left"}


@pytest.mark.parametrize("damage", DAMAGES, ids=" ".join)
def test_damaged_member_breaks_no_page(damage: tuple[str, ...], bob: Browser, reader: Browser, store: Store) -> None:
    command, *arguments = damage
    run(store, command, "user:bob", *arguments)
    for path in ("/", "/account", "/u/bob"):
        assert bob.open(path).status < 500
    reader.log_in("bob", PASSWORD)
    assert reader.status == (422 if arguments[0] in NEEDED else 303)
    assert not reader.open("/").page.one("header").all("a", href="/reports")


@pytest.mark.parametrize("value", ["x", "1e300,0,,", "inf,0,,", "1,1e300,,", "nan,0,,"])
def test_session_of_another_program_is_none(value: str, bob: Browser, store: Store) -> None:
    key = store.keys.sessions("bob").removeprefix(store.keys.prefix)
    for digest in run(store, "HKEYS", key):
        if digest != "of":
            run(store, "HSET", key, digest, value)
    assert bob.open("/account").location == "/login?next=/account"
