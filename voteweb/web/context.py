"""The store, the settings and the time of the request that is being answered."""

import time
from typing import cast

from flask import current_app, g

from voteweb.core.config import Settings
from voteweb.store import Store


def store() -> Store:
    return cast(Store, current_app.extensions["voteweb.store"])


def settings() -> Settings:
    return cast(Settings, current_app.extensions["voteweb.settings"])


def now() -> float:
    """Return the unix time of this request, the same for every part of its response."""
    if "now" not in g:
        g.now = time.time()
    return float(g.now)
