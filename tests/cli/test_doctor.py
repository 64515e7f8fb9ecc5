from tests.cli.conftest import Invoke
from tests.factories import article, user
from voteweb.store import Store


def test_all_is_well(invoke: Invoke, store: Store) -> None:
    article(store, groups=("books", "music"))
    user(store, "bob")
    result = invoke("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "All is well: 1 article, 2 members, 2 groups\n"


def test_each_broken_invariant_is_named_with_its_key(invoke: Invoke, store: Store) -> None:
    id = article(store).id
    store.connection.command("ZADD", "score:", 1, f"article:{id}")
    store.connection.command("PERSIST", f"voted:{id}")
    result = invoke("doctor")
    assert result.exit_code == 1
    assert result.stderr == "Error: 2 broken invariants\n"
    first, second = result.stdout.splitlines()
    assert second.startswith(f"score:  has article:{id} at 1.000 instead of ")
    assert first == f"voted:{id}  never expires"


def test_nothing_is_mended(invoke: Invoke, store: Store) -> None:
    id = article(store).id
    store.connection.command("ZREM", "time:", f"article:{id}")
    assert invoke("doctor").output == invoke("doctor").output
    assert store.connection.command("ZSCORE", "time:", f"article:{id}") is None


def test_a_server_that_is_set_up_otherwise_is_warned_of(invoke: Invoke, store: Store) -> None:
    client = store.connection.client
    other = {
        "maxmemory-policy": "allkeys-lru",
        "appendonly": "no",
        "hash-max-listpack-value": "64",
        "set-max-intset-entries": "9",
    }
    before = client.config_get(*other)
    for name, value in other.items():
        client.config_set(name, value)
    try:
        result = invoke("doctor")
    finally:
        for name in other:
            client.config_set(name, str(before[name]))
    assert result.exit_code == 0
    warned = [line.removeprefix("Warning: ").split()[0] for line in result.stdout.splitlines()[:-1]]
    assert warned == ["maxmemory-policy", "Nothing", "hash-max-listpack-value", "set-max-intset-entries"]


def test_a_server_that_tells_nothing_is_not_warned_of(fake_store: Store) -> None:
    assert [*fake_store.checks.warnings(), *fake_store.checks.hints()] == []
    fake_store.checks.refuse_old()
    fake_store.checks.refuse_foreign()
    assert fake_store.server.counts() == (0, 0, 0)
    assert fake_store.server.is_empty()
