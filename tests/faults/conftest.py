"""The machines on which faults are caused."""

from collections.abc import Iterator

import pytest

from tests.machines import Machines, machines


@pytest.fixture
def three() -> Iterator[Machines]:
    """Three machines whose primary is replaced when it has been silent for a second."""
    with machines(down_after=1) as three:
        yield three
