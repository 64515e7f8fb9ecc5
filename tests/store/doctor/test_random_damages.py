"""Random damages: the doctor says and repairs what it did when they were drawn."""

from collections.abc import Iterator

import pytest

from tests.store.doctor.random_damages import DAMAGES, judged, open_site, read_file, restore_site
from tests.store.examination import broken
from voteweb.store import Store

#: Every 75th damage is tried by `make test`; all in as many parts, which workers share, by `make test-heavy`.
SAMPLE, PARTS = 75, 10


@pytest.fixture(scope="module")
def damageable() -> Iterator[Store]:
    """A store on a server of its own."""
    with open_site() as store:
        yield store


def test_the_site_of_random_damages_is_sound(damageable: Store) -> None:
    restore_site(damageable)
    assert broken(damageable) == []


@pytest.mark.parametrize(
    ("first", "step"),
    [(0, SAMPLE), *(pytest.param(part, PARTS, marks=pytest.mark.heavy) for part in range(PARTS))],
)
def test_random_damages_are_found_and_repaired_as_ever(damageable: Store, first: int, step: int) -> None:
    wanted = read_file()
    assert len(wanted) == DAMAGES
    answers = [(judged(damageable, row["damage"]), row) for row in wanted[first::step]]
    assert [pair for pair in answers if pair[0] != pair[1]] == []
