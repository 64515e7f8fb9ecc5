"""The store and the settings of the app that is answering."""

from typing import cast

from flask import current_app

from voteweb.config import Settings
from voteweb.store import Store


def store() -> Store:
    """Return the store of the current app."""
    return cast(Store, current_app.extensions["voteweb.store"])


def settings() -> Settings:
    """Return the settings of the current app."""
    return cast(Settings, current_app.extensions["voteweb.settings"])
