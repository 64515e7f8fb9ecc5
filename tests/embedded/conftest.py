"""Data directories of the embedded database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.processes import data_folder


@pytest.fixture(params=["valkey", pytest.param("redis", marks=pytest.mark.heavy)])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A data directory of each engine."""
    with data_folder(request.param) as folder:
        yield folder


@pytest.fixture
def new_folder() -> Iterator[Path]:
    """A data directory in which nothing has been written."""
    with data_folder() as folder:
        yield folder
