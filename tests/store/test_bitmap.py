"""Bitmaps: sets of whole numbers."""

from hypothesis import given
from hypothesis import strategies as st

from voteweb.store.scan.scanner import CHUNK_SIZE, Bitmap


@given(st.lists(st.integers(0, 3 * CHUNK_SIZE) | st.integers(10**12, 10**12 + 9)))
def test_a_bitmap_is_a_set(numbers: list[int]) -> None:
    ids, known = Bitmap(), set()
    for number in numbers:
        assert (number in ids) == (number in known)
        assert ids.add(number) == (number not in known)
        known.add(number)
    assert list(ids) == sorted(known)
