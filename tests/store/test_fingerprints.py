"""Fingerprints of imported rows: spread over buckets, compact, and never mistaken for another row's."""

from collections import Counter

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests import factories
from tests.store.examination import broken, run
from voteweb.store import Store
from voteweb.store.schema.values import BUCKETS, fingerprint, is_bucket, is_fingerprint


@given(st.text())
def test_a_fingerprint_is_a_place_that_redis_can_hold(digest: str) -> None:
    row = fingerprint(digest)
    assert is_bucket(str(row.bucket))
    assert is_fingerprint(str(row.member))


@pytest.mark.parametrize(
    "stored", ["", "-", "01", "+1", "1.0", "x", "٧", "-0", str(2**63), str(-(2**63) - 1), "9" * 5_000]
)
def test_other_members_are_no_fingerprints(stored: str) -> None:
    assert not is_fingerprint(stored)


def test_many_rows_differ_and_fill_the_buckets_evenly() -> None:
    rows = {fingerprint(f"row {i}") for i in range(100_000)}
    sizes = Counter(row.bucket for row in rows)
    assert (len(rows), len(sizes)) == (100_000, BUCKETS)
    assert max(sizes.values()) < 70


def test_imported_rows_are_kept_as_sets_of_integers(store: Store) -> None:
    stories = [factories.story() for _ in range(300)]
    store.imports.add(stories)
    keys = run(store, "KEYS", "imported:*")
    assert sum(run(store, "SCARD", key) for key in keys) == 300
    assert {run(store, "OBJECT", "ENCODING", key) for key in keys} == {"intset"}
    assert broken(store) == []
