"""What pages count while they work, where the operator has asked for it: :mod:`voteweb.metrics` keeps and tells it."""

from typing import TYPE_CHECKING, cast

from flask import Flask, current_app

from voteweb.core.config import Settings
from voteweb.store import Store

if TYPE_CHECKING:
    from voteweb.web.monitoring.prometheus import Metrics

_NAME = "voteweb.metrics"


def init_app(app: Flask, settings: Settings, store: Store) -> None:
    """Let *app* and its *store* count, if *settings* have a token to read the counts with."""
    if not settings.metrics_token:
        return
    # Where the counts are kept is decided as the library is loaded, in each worker; whoever counts nothing, loads none.
    from voteweb.web.monitoring.prometheus import Metrics

    metrics = app.extensions[_NAME] = Metrics()
    store.connection.on_round_trip = metrics.trip


def get(app: Flask) -> "Metrics | None":
    """Return the counts of *app*, None where nothing is counted."""
    return cast("Metrics | None", app.extensions.get(_NAME))


def count_vote(outcome: str) -> None:
    """Count an attempt to vote, or to take a vote back, that ended in this *outcome*: a word, of a refusal its code."""
    metrics = get(current_app)
    if metrics:
        metrics.vote(outcome)


def count_refusal(kind: str) -> None:
    """Count an act that the limit of this *kind* has refused."""
    metrics = get(current_app)
    if metrics:
        metrics.limit(kind)
