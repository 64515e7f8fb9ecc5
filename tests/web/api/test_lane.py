"""Lists and votes that are answered before Flask: as Flask answers them, and never late for who acted."""

from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.web.api.reading import Program, everywhere, ids
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.models import Right, Role
from voteweb.core.settings import Settings
from voteweb.core.site_switches import Switch, SwitchName
from voteweb.store import Store
from voteweb.web.api.lane import Lane
from voteweb.web.caching import page_cache, shared_pages


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of kept pages."""
    now = [1000.0]
    for module in (page_cache, shared_pages):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def app(settings: Settings, store: Store, clock: list[float]) -> Flask:
    """The site with its default of kept pages, and articles in two groups."""
    everywhere(store, 3)
    factories.comment(store)
    return create_app(replace(settings, page_seconds=1.0, limits=1), store)
