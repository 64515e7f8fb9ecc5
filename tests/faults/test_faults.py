"""Whatever fails in the middle of a storm of votes: none that was answered is lost or counted twice, and the site
serves again by itself.

``python -m tests.faults ROUNDS`` tries each several times and prints what happened as a table.
"""

import pytest

from tests.faults.scenes import FAULTS
from tests.faults.storm import endure

pytestmark = pytest.mark.heavy


@pytest.mark.parametrize("name", FAULTS)
def test_a_site_outlives(name: str) -> None:
    fault = FAULTS[name]
    with fault.scene() as (site, act):
        outcome = endure(site, act)
    assert (outcome.twice, outcome.broken) == (0, ())
    assert [at for at in outcome.lost if outcome.began - at > fault.may_lose] == []
    assert set(outcome.refused) <= {503}, outcome.log[-4000:]
    assert outcome.unsaid == 0, "a refusal says when to come back"
    assert fault.may_lose or outcome.lost == ()
    if not site.url:
        assert not site.has_database(), "it ends with the site"
