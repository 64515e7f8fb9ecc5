import pytest

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
    assert first.startswith(f"score:  has article:{id} at 1.000 instead of ")
    assert second == f"voted:{id}  never expires"


def test_nothing_is_mended(invoke: Invoke, store: Store) -> None:
    id = article(store).id
    store.connection.command("ZREM", "time:", f"article:{id}")
    assert invoke("doctor").output == invoke("doctor").output
    assert store.connection.command("ZSCORE", "time:", f"article:{id}") is None


def test_what_is_broken_is_mended_and_told(invoke: Invoke, store: Store) -> None:
    id = article(store).id
    store.connection.command("ZREM", "time:", f"article:{id}")
    store.connection.command("HINCRBY", f"article:{id}", "votes", 1)
    result = invoke("doctor", "--repair")
    assert (result.exit_code, result.stderr) == (0, "")
    first, second, third, fourth, last = result.stdout.splitlines()
    assert first == f"article:{id}  votes is 2, but base 0 and 1 voters make 1: mended"
    assert second == f"time:  lacks article:{id}: mended"
    assert third.startswith(f"score:  has article:{id} at ")
    assert (fourth, last) == ("Mended 3 broken invariants.", "All is well: 1 article, 1 member, 0 groups")


def test_what_cannot_be_mended_is_told_with_its_reason(invoke: Invoke, store: Store) -> None:
    id = article(store).id
    store.connection.command("HSET", f"article:{id}", "time", "soon")
    store.connection.command("ZADD", "score:", 1, "article:77")
    result = invoke("doctor", "--repair")
    assert (result.exit_code, result.stderr) == (1, "Error: 1 broken invariant left\n")
    assert result.stdout.splitlines() == [
        "score:  holds article:77, which is no article: mended",
        f"article:{id}  has no title or no time: NOT mended, nothing else says it: "
        "set the field with HSET, then repair again",
        "Mended 1 broken invariant.",
    ]


def test_where_nothing_is_broken_a_repair_says_so(invoke: Invoke, store: Store) -> None:
    article(store)
    assert invoke("doctor", "--repair").output == invoke("doctor").output


def test_another_worth_of_a_vote_is_told_and_put_right_by_rescoring(
    invoke: Invoke, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        article(store, groups=("books",), link="")
    monkeypatch.setenv("VOTEWEB_VOTE_SCORE", "3600")
    assert invoke("doctor").stderr == "Error: 4 broken invariants\n"
    assert invoke("rescore").output == "2 articles looked at, 2 moved.\n"
    assert invoke("doctor").exit_code == 0
    assert invoke("rescore").output == "2 articles looked at, 0 moved.\n"


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
    assert [*fake_store.health.warnings(), *fake_store.health.hints()] == []
    fake_store.health.refuse_old()
    fake_store.health.refuse_foreign()
    assert fake_store.server_info.counts() == (0, 0, 0)
    assert fake_store.server_info.is_empty()
