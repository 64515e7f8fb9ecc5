"""The store, the settings and the time of the request that is being answered."""

import time
from typing import cast

from flask import current_app, g

from voteweb.core.config import Settings
from voteweb.store import Store


def store() -> Store:
    """Return the store of the current app."""
    return cast(Store, current_app.extensions["voteweb.store"])


def settings() -> Settings:
    """Return the settings of the current app."""
    return cast(Settings, current_app.extensions["voteweb.settings"])


def now() -> float:
    """Return the unix time of this request: every part of one answer uses the same time."""
    if "now" not in g:
        g.now = time.time()
    return float(g.now)
