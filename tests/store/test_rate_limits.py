"""Rate limits: a burst, then one act per interval; nothing else is counted."""

import time

import pytest

from tests.conftest import MakeStore
from tests.store.concurrency import at_once
from tests.store.examination import run, snapshot
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import Limit, LimitScope
from voteweb.store import Store
from voteweb.store.site.rate_limits import RateLimitHit

#: Three at once, then one every hundred seconds: on a busy machine, a test takes several.
NARROW = Limit("few", "", LimitScope.MEMBER, 3, 36, 3_600, "Again in %(wait)s, at %(when)s.", ())
#: Two at once, then one every thousand seconds.
NARROWER = Limit("fewer", "", LimitScope.ADDRESS, 2, 36, 36_000, "Later: %(wait)s, at %(when)s.", ())


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store with limits."""
    return make_store(limits=1)


def hit(store: Store, *hits: RateLimitHit) -> bool:
    """Count one act and tell whether it is accepted."""
    return store.limits.hit(hits) is None


def only_key(store: Store) -> str:
    """Return the only key of a limit."""
    (key,) = run(store, "KEYS", "limit:*")
    return str(key)


def let_pass(store: Store, seconds: float) -> None:
    """Move every limit *seconds* into the past."""
    for key in run(store, "KEYS", "limit:*"):
        run(store, "SET", key, float(run(store, "GET", key)) - seconds, "KEEPTTL")


def test_acts_beyond_the_burst_are_refused_except_one_per_interval(store: Store) -> None:
    assert at_once([lambda: store.limits.hit([(NARROW, "ann")])] * 100).count(None) == 3
    refusal = store.limits.hit([(NARROW, "ann")])
    assert isinstance(refusal, TooFast)
    assert refusal.values["kind"] == NARROW.kind
    assert 80 <= refusal.values["wait"] <= 100
    assert refusal.values["when"] % 60 == 0
    assert 0 <= refusal.values["when"] - time.time() - 60 <= 100
    assert hit(store, (NARROW, "bob"))
    for seconds, is_expected in ((40, False), (70, True), (10, False), (200, True), (0, True), (0, False)):
        let_pass(store, seconds)
        assert hit(store, (NARROW, "ann")) is is_expected


def test_an_act_counts_against_all_its_limits_or_none(store: Store) -> None:
    both = (NARROW, "ann"), (NARROWER, "198.51.100.7")
    assert [hit(store, *both) for _ in range(4)] == [True, True, False, False]
    assert hit(store, (NARROW, "ann"))
    refusal = store.limits.hit(both)
    assert refusal
    assert refusal.values["kind"] == NARROWER.kind, "the longer wait counts"


def test_a_refund_takes_one_act_back(store: Store) -> None:
    both = (NARROW, "ann"), (NARROWER, "198.51.100.7")
    for _ in range(9):
        assert hit(store, *both)
        store.limits.refund(both)
    assert set(snapshot(store)) <= {"schema:"}
    for _ in range(2):
        hit(store, *both)
    store.limits.refund(both)
    assert [hit(store, *both) for _ in range(2)] == [True, False]
    store.limits.refund([(NARROW, "nobody")])


def test_checks_count_nothing_and_keys_last_as_long_as_needed(store: Store) -> None:
    def check() -> TooFast | None:
        return store.read(store.limits.queue_check, (NARROW, "ann"))

    for seconds in (100, 200, 300):
        assert [check(), check()] == [None, None]
        assert hit(store, (NARROW, "ann"))
        assert seconds - 20 <= run(store, "TTL", only_key(store)) <= seconds
    assert check() is not None
    let_pass(store, 110)
    assert check() is None


@pytest.mark.parametrize("stored", ["1e300", "nonsense", ""])
def test_an_invalid_stored_time_causes_no_longer_wait(store: Store, stored: str) -> None:
    hit(store, (NARROW, "ann"))
    run(store, "SET", only_key(store), stored)
    refusal = store.limits.hit([(NARROW, "ann")])
    assert refusal is None or refusal.values["wait"] <= 100


def test_keys_contain_only_digests_of_owners(store: Store, make_store: MakeStore) -> None:
    for owner in ("198.51.100.7", "my password, in the wrong field", "x" * 50_000, "\ud800", "a\x00:b*"):
        assert hit(store, (NARROW, owner))
    assert "198.51" not in str(snapshot(store))
    assert "password" not in str(snapshot(store))
    assert all(len(key) < 50 for key in run(store, "KEYS", "*"))
    other = make_store(limits=1, secret_key="another key")
    hit(other, (NARROW, "198.51.100.7"))
    assert len(run(store, "KEYS", "limit:*")) == 6, "another secret key makes another digest"


def test_limits_can_be_off_or_multiplied(make_store: MakeStore) -> None:
    off = make_store()
    assert all(hit(off, (NARROW, "ann")) for _ in range(9))
    off.limits.refund([(NARROW, "ann")])
    assert run(off, "KEYS", "limit:*") == []
    store = make_store(limits=10)
    assert [hit(store, (NARROW, "ann")) for _ in range(31)] == [True] * 30 + [False]
    let_pass(store, 11)
    assert hit(store, (NARROW, "ann"))
