"""The rate limits of searches: each is counted in the round trip that reads its results, after the index was asked.

So a process remembers who was refused: until the next search of theirs would be accepted, it asks no index for them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import NamedTuple, cast

from flask import Flask, current_app

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import SEARCH
from voteweb.search.errors import SearchError
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web import rate_limits
from voteweb.web.auth.login import named_voter
from voteweb.web.context import now, store

_EXTENSION = "voteweb.refused_searches"


class Refused(NamedTuple):
    """The refusal of a search, and the unix time until which others are refused too."""

    error: TooFast
    until: float


def init_app(app: Flask) -> None:
    """Give *app* its memory of refused searches, each kept until its end: no index is asked for them."""
    app.extensions[_EXTENSION] = BoundedCache[RateLimitHit, Refused](config.HINT_CACHE_SIZE)


def _refused() -> BoundedCache[RateLimitHit, Refused]:
    return cast("BoundedCache[RateLimitHit, Refused]", current_app.extensions[_EXTENSION])


def viewer_hit() -> RateLimitHit | None:
    """Return the limit that counts this search, with the member whom the session names, else with the address."""
    voter = named_voter()
    return (rate_limits.member_hit(voter.name) if voter else None) or rate_limits.address_hit(SEARCH)


def check_not_refused(hit: RateLimitHit | None) -> None:
    """Raise TooFast if this process knows that a search would be refused."""
    refused = _refused().get(hit) if hit else None
    if refused and refused.until > now():
        wait = ceil(refused.until - now())
        raise TooFast(refused.error.template, **refused.error.values | {"wait": wait})


def queue_count(pipeline: Pipeline, hit: RateLimitHit | None) -> None:
    """Queue a search to be counted; that of a member is counted where the viewer is read."""
    if hit and hit[0] is SEARCH:
        rate_limits.queue_hits(pipeline, hit)


@contextmanager
def counting_failures(hit: RateLimitHit | None) -> Iterator[None]:
    """Count the search of this block at once if the index does not answer: it has cost as much; may raise TooFast."""
    try:
        yield
    except SearchError:
        rate_limits.skip_member_hit()  # the page about it loads the member
        if hit:
            pipeline = store().pipeline()
            rate_limits.queue_hits(pipeline, hit)
            pipeline.execute()
            check_counted(hit)
        raise


def check_counted(hit: RateLimitHit | None) -> None:
    """Raise TooFast if the search of this request, which has been counted, was refused."""
    refusal = rate_limits.exceeded()
    if refusal and hit:
        _refused().put(hit, Refused(refusal, now() + refusal.values["wait"]))
        raise refusal
