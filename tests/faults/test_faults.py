"""Faults amid a storm of votes and comments."""

from collections import deque
from functools import partial

import pytest

from tests.faults.cluster_faults import CLUSTER_SERIES
from tests.faults.faults import SERIES
from tests.faults.vote_storm import DONE, Crowd, Outcome, run_fault

pytestmark = pytest.mark.heavy

ALL_SERIES = SERIES | CLUSTER_SERIES


@pytest.mark.parametrize("name", ALL_SERIES)
def test_answered_acts_survive_and_the_site_recovers(name: str, subtests: pytest.Subtests) -> None:
    series = ALL_SERIES[name]
    faults = deque(series.faults.items())
    while faults:
        with series.set_up() as (site, target):
            crowd, is_sound = Crowd(site), True
            # What follows a fault that broke something is caused on another site.
            while faults and is_sound:
                fault, cause = faults.popleft()
                is_sound = False
                with subtests.test(fault):
                    _check(run_fault(crowd, partial(cause, target)), series.may_lose)
                    series.recover(target)
                    is_sound = True
        if not site.url:
            assert not site.has_database(), "the embedded database must end with the site"


def _check(outcome: Outcome, may_lose: float) -> None:
    assert outcome.answered.keys() == DONE.keys()
    assert (outcome.counted_twice, outcome.broken) == (0, [])
    assert [age for age in outcome.lost if not may_lose or age > may_lose] == []
    assert set(outcome.refused) <= {503}, outcome.log[-4000:]
    assert outcome.without_retry_after == 0
