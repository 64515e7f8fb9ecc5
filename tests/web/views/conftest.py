"""The site of the tests of pages keeps pages, as by default."""

from dataclasses import replace

import pytest

from tests.web.aging import AgingClock
from voteweb.core.settings import Settings

#: One for all tests of this process, which share apps.
_CLOCK = AgingClock()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """The settings of a site that keeps pages for a second."""
    return replace(settings, page_seconds=1.0)


@pytest.fixture(autouse=True)
def aging_clock(monkeypatch: pytest.MonkeyPatch) -> AgingClock:
    """The clock of kept pages."""
    _CLOCK.rule(monkeypatch)
    return _CLOCK
