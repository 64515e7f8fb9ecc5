"""The store, the index, the settings, the operator's pages and brand, and the time of the request."""

import time
from collections.abc import Callable
from typing import Any, cast

from flask import Flask, current_app, g

from voteweb.core import clock
from voteweb.core.branding import Brand
from voteweb.core.operator_pages import OperatorPages
from voteweb.core.settings import Settings
from voteweb.fetching import TitleFetcher
from voteweb.search.index import SearchIndex
from voteweb.store import Store

#: The app of this request, and its globals. Each attribute of the proxies ``current_app`` and ``g`` takes half a
#: microsecond more: an article's page asks for twenty, a seventh of its time, and one of messages for each of these.
request_app: Callable[[], Flask] = current_app._get_current_object  # type: ignore[attr-defined]
request_globals: Callable[[], Any] = g._get_current_object


def store() -> Store:
    # Without cast(), which this and the settings would call 20 times for a list.
    site: Store = request_app().extensions["voteweb.store"]
    return site


def settings() -> Settings:
    """Return the settings in force, as the switches override them."""
    site: Store = request_app().extensions["voteweb.store"]
    return site.context.settings


def operator_pages() -> OperatorPages:
    return cast(OperatorPages, request_app().extensions["voteweb.pages"])


def brand() -> Brand:
    return cast(Brand, request_app().extensions["voteweb.brand"])


def search_index() -> SearchIndex | None:
    """Return the index that is searched, None on a site without search."""
    return cast("SearchIndex | None", request_app().extensions["voteweb.search"])


def title_fetcher() -> TitleFetcher:
    return cast(TitleFetcher, request_app().extensions["voteweb.title_fetcher"])


def now() -> float:
    """Return the unix time of this request by the database's clock, the same for every part of its response."""
    known = request_globals()
    if "now" not in known:
        known.now = time.time() + clock.difference()
    return cast(float, known.now)
