"""What several tests of faults start."""

from collections.abc import Iterator

import pytest

from tests.machines import Machines, machines


@pytest.fixture
def three() -> Iterator[Machines]:
    """Three machines that give a primary up after a second."""
    with machines(down_after=1) as found:
        yield found
