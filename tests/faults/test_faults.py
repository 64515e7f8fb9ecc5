"""Faults amid a storm of votes and comments; ``python -m tests.faults ROUNDS`` causes each of them several times."""

import pytest

from tests.faults.cluster_faults import CLUSTER_FAULTS
from tests.faults.faults import FAULTS
from tests.faults.vote_storm import DONE, run_fault

pytestmark = pytest.mark.heavy

ALL_FAULTS = FAULTS | CLUSTER_FAULTS


@pytest.mark.parametrize("name", ALL_FAULTS)
def test_answered_acts_survive_and_the_site_recovers(name: str) -> None:
    fault = ALL_FAULTS[name]
    with fault.set_up() as (site, cause):
        outcome = run_fault(site, cause)
    assert outcome.answered.keys() == DONE.keys()
    assert (outcome.counted_twice, outcome.broken) == (0, ())
    assert [answered for answered in outcome.lost if outcome.began - answered > fault.may_lose] == []
    assert set(outcome.refused) <= {503}, outcome.log[-4000:]
    assert outcome.without_retry_after == 0
    assert fault.may_lose or outcome.lost == ()
    if not site.url:
        assert not site.has_database(), "the embedded database must end with the site"
