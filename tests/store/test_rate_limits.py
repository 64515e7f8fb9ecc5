"""Limits in Redis: so many at once, then one by one; exact to the second, and nothing else is counted."""

import time

import pytest

from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot
from tests.store.test_races import at_once
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import By, Limit
from voteweb.store import Store, keys

#: Three at once, then one each ten seconds.
FEW = Limit("few", "", By.MEMBER, 3, 360, 3_600, "Again in %(wait)s, at %(when)s.", ())
#: Two at once, then one each hundred seconds.
FEWER = Limit("fewer", "", By.ADDRESS, 2, 36, 3_600, "Later: %(wait)s, at %(when)s.", ())


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store that limits."""
    return make_store(limits=1)


def charged(store: Store, *charges: tuple[Limit, str]) -> bool:
    """Tell whether an act is taken."""
    return store.rate_limits.hit(charges) is None


def the_key(store: Store) -> str:
    """Return the only key of a limit."""
    (key,) = run(store, "KEYS", keys.limit("*", "*"))
    return str(key)


def past(store: Store, seconds: float) -> None:
    """Let *seconds* go by for every limit."""
    for key in run(store, "KEYS", keys.limit("*", "*")):
        run(store, "SET", key, float(run(store, "GET", key)) - seconds, "KEEPTTL")


def test_so_many_are_taken_at_once_and_the_next_is_told_when(store: Store) -> None:
    assert [charged(store, (FEW, "ann")) for _ in range(3)] == [True] * 3
    refused = store.rate_limits.hit([(FEW, "ann")])
    assert isinstance(refused, TooFast)
    assert refused.words == FEW.words
    assert 8 <= refused.values["wait"] <= 10
    assert refused.values["when"] % 60 == 0
    assert 0 <= refused.values["when"] - time.time() - 8 <= 62


def test_in_the_long_run_one_is_taken_for_each_pause(store: Store) -> None:
    for _ in range(3):
        charged(store, (FEW, "ann"))
    for waited, taken in ((4, False), (7, True), (1, False), (20, True), (0, True), (0, False)):
        past(store, waited)
        assert charged(store, (FEW, "ann")) is taken


def test_what_is_refused_is_not_counted(store: Store) -> None:
    for _ in range(20):
        charged(store, (FEW, "ann"))
    past(store, 11)
    assert charged(store, (FEW, "ann"))


def test_everybody_is_counted_alone_and_so_is_each_kind(store: Store) -> None:
    for _ in range(4):
        charged(store, (FEW, "ann"))
    assert charged(store, (FEW, "bob"))
    assert charged(store, (FEWER, "ann"))
    assert not charged(store, (FEW, "ann"))


def test_an_act_under_two_limits_is_taken_by_both_or_counted_by_neither(store: Store) -> None:
    both = (FEW, "ann"), (FEWER, "198.51.100.7")
    assert [charged(store, *both) for _ in range(4)] == [True, True, False, False]
    assert charged(store, (FEW, "ann"))
    refused = store.rate_limits.hit(both)
    assert refused is not None
    assert refused.words == FEWER.words, "the longer wait is told"
    assert refused.values["wait"] > 90


def test_what_turns_out_not_to_count_is_given_back(store: Store) -> None:
    both = (FEW, "ann"), (FEWER, "198.51.100.7")
    for _ in range(9):
        assert charged(store, *both)
        store.rate_limits.refund(both)
    assert run(store, "DBSIZE") == 0
    for _ in range(2):
        charged(store, *both)
    store.rate_limits.refund(both)
    assert [charged(store, *both) for _ in range(2)] == [True, False]
    store.rate_limits.refund([(FEW, "nobody")])
    assert broken(store) == []


def test_a_hundred_at_once_are_no_way_round(store: Store) -> None:
    answers = at_once([lambda: store.rate_limits.hit([(FEW, "ann")])] * 100)
    assert answers.count(None) == 3


def test_a_key_is_kept_only_as_long_as_it_says_something(store: Store) -> None:
    charged(store, (FEW, "ann"))
    assert 9 <= run(store, "TTL", the_key(store)) <= 10
    charged(store, (FEW, "ann"))
    assert 19 <= run(store, "TTL", the_key(store)) <= 20
    assert broken(store) == []


@pytest.mark.parametrize("stored", ["1e300", "nonsense", "", "-5", str(2**60)])
def test_whatever_stands_there_nobody_waits_longer_than_the_limit_allows(store: Store, stored: str) -> None:
    charged(store, (FEW, "ann"))
    run(store, "SET", the_key(store), stored)
    refused = store.rate_limits.hit([(FEW, "ann")])
    assert refused is None or refused.values["wait"] <= 10


def test_a_limit_that_was_wider_before_holds_as_it_is_now(store: Store) -> None:
    wide = Limit("few", "", By.MEMBER, 300, 360, 3_600, "", ())
    for _ in range(200):
        charged(store, (wide, "ann"))
    refused = store.rate_limits.hit([(FEW, "ann")])
    assert refused is not None
    assert refused.values["wait"] <= 10


def test_the_database_holds_no_address_and_nothing_that_was_typed(store: Store, make_store: MakeStore) -> None:
    for whose in ("198.51.100.7", "my password, in the wrong field", "x" * 50_000, "\ud800", "a\x00:b*"):
        assert charged(store, (FEW, whose))
    assert "198.51" not in str(snapshot(store))
    assert "password" not in str(snapshot(store))
    assert all(len(key) < 50 for key in run(store, "KEYS", "*"))
    other = make_store(limits=1, secret_key="another key")
    charged(other, (FEW, "198.51.100.7"))
    assert run(store, "DBSIZE") == 6, "only who has the site's key can make the digest"


def test_where_limits_are_off_nothing_is_asked_or_written(make_store: MakeStore) -> None:
    store = make_store()
    assert all(charged(store, (FEW, "ann")) for _ in range(9))
    store.rate_limits.refund([(FEW, "ann")])
    assert run(store, "DBSIZE") == 0


def test_a_large_site_may_have_wider_limits(make_store: MakeStore) -> None:
    store = make_store(limits=10)
    assert [charged(store, (FEW, "ann")) for _ in range(31)] == [True] * 30 + [False]
    past(store, 1.1)
    assert charged(store, (FEW, "ann"))
    store.rate_limits.refund([(FEW, "ann")])
    assert charged(store, (FEW, "ann"))


def test_a_key_of_another_type_fails_before_anything_is_counted(store: Store) -> None:
    charged(store, (FEW, "ann"))
    run(store, "DEL", key := the_key(store))
    run(store, "RPUSH", key, "x")
    with pytest.raises(Exception, match="WRONGTYPE"):
        store.rate_limits.hit([(FEWER, "ann"), (FEW, "ann")])
    assert run(store, "DBSIZE") == 1
