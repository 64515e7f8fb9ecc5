"""Random damages: the doctor says and repairs what it did when they were drawn."""

from collections.abc import Iterator

import pytest

from tests.store.doctor.random_damages import DAMAGES, judged, open_site, read_file, restore_site
from tests.store.examination import broken
from voteweb.store import Store

#: Every 75th damage is tried by `make test`.
SAMPLE = 75


@pytest.fixture(scope="module")
def damageable() -> Iterator[Store]:
    """A store on a server of its own."""
    with open_site() as store:
        yield store


def test_the_site_of_random_damages_is_sound(damageable: Store) -> None:
    restore_site(damageable)
    assert broken(damageable) == []


@pytest.mark.parametrize("step", [SAMPLE, pytest.param(1, marks=pytest.mark.heavy)])
def test_random_damages_are_found_and_repaired_as_ever(damageable: Store, step: int) -> None:
    wanted = read_file()
    assert len(wanted) == DAMAGES
    answers = [(judged(damageable, row["damage"]), row) for row in wanted[::step]]
    assert [pair for pair in answers if pair[0] != pair[1]] == []
