"""Flask as this site uses it: with its own requests, and with plain functions only."""

from collections.abc import Callable
from typing import Any

from flask import Flask

from voteweb.web.requests import SiteRequest


class SiteFlask(Flask):
    """The Flask app of a site; none of its views and hooks is a coroutine function."""

    request_class = SiteRequest

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func* itself; to ask whether it is a coroutine function, 13 times a page, takes 1 % of a vote."""
        return func
