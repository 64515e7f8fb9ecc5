"""The site that programs act on, and its clocks."""

from dataclasses import replace

import pytest
from flask import Flask

from tests.web.aging import Clock
from tests.web.api.program import Programs, everywhere, make_programs, make_site
from voteweb.app import create_app
from voteweb.core import cold_reads
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.requests import rate_limits


@pytest.fixture
def programs(app: Flask, store: Store) -> Programs:
    """The programs of members, by their names, on the site that all acts are about."""
    make_site(store)
    return make_programs(app)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of kept pages and of the budget of cold ones."""
    clock = Clock()
    clock.rule(monkeypatch)
    monkeypatch.setattr(cold_reads, "monotonic", lambda: clock.now)
    return clock


@pytest.fixture
def kept(settings: Settings, store: Store, clock: Clock) -> Flask:
    """A site that keeps pages, with a budget of three cold ones for each address behind its proxy."""
    everywhere(store, 3)
    rate_limits.refused.drop_oldest(lambda _: True)  # another test may have been refused
    changes = {"site_url": "http://localhost", "page_seconds": 1.0, "limits": 1, "cold_reads": 3, "trusted_proxies": 1}
    return create_app(replace(settings, **changes), store)
