"""Fingerprints of imported rows: spread over buckets, compact, and never mistaken for another row's."""

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
    assert len(rows) == 100_000
    sizes = [0] * BUCKETS
    for row in rows:
        sizes[row.bucket] += 1
    assert min(sizes) > 0
    assert max(sizes) < 70


def test_imported_rows_are_kept_as_sets_of_integers(store: Store) -> None:
    stories = [factories.story() for _ in range(300)]
    assert store.imports.add(stories).count("imported") == 300
    assert store.imports.add(stories).count("imported") == 0
    assert store.imports.known([story.digest for story in stories] + ["another"]) == [True] * 300 + [False]
    keys = run(store, "KEYS", "imported:*")
    assert sum(run(store, "SCARD", key) for key in keys) == 300
    assert {run(store, "OBJECT", "ENCODING", key) for key in keys} == {"intset"}
    assert broken(store) == []
