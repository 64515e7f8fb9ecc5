"""The store, the index, the settings, the operator's pages and brand, and the time of the request."""

import time
from typing import cast

from flask import current_app, g

from voteweb.core import clock
from voteweb.core.branding import Brand
from voteweb.core.config import Settings
from voteweb.core.operator_pages import OperatorPages
from voteweb.fetching import TitleFetcher
from voteweb.search.index import SearchIndex
from voteweb.store import Store


def store() -> Store:
    # Without cast(), which this and the settings would call 20 times for a list.
    site: Store = current_app.extensions["voteweb.store"]
    return site


def settings() -> Settings:
    in_force: Settings = current_app.extensions["voteweb.settings"]
    return in_force


def operator_pages() -> OperatorPages:
    return cast(OperatorPages, current_app.extensions["voteweb.pages"])


def brand() -> Brand:
    return cast(Brand, current_app.extensions["voteweb.brand"])


def search_index() -> SearchIndex | None:
    """Return the index that is searched, None on a site without search."""
    return cast("SearchIndex | None", current_app.extensions["voteweb.search"])


def title_fetcher() -> TitleFetcher:
    return cast(TitleFetcher, current_app.extensions["voteweb.title_fetcher"])


def now() -> float:
    """Return the unix time of this request by the database's clock, the same for every part of its response."""
    known: float | None = g.get("now")
    if known is None:
        known = g.now = time.time() + clock.difference()
    return known
