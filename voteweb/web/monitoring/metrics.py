"""Count events of the app for Prometheus, on a site with VOTEWEB_METRICS_TOKEN; without it nothing is counted."""

from typing import TYPE_CHECKING, cast

from flask import Flask, current_app

from voteweb.core.settings import Settings
from voteweb.search.index import SearchIndex
from voteweb.store import Store
from voteweb.web.monitoring.events import Event

if TYPE_CHECKING:
    from voteweb.web.monitoring.prometheus import PrometheusMetrics

_EXTENSION = "voteweb.metrics"


def init_app(app: Flask, settings: Settings, store: Store, index: SearchIndex | None) -> None:
    """Count the events of *app*, the round trips of its *store* and the searches of its *index*.

    Without a token to read metrics in *settings*, nothing is counted.
    """
    if not settings.metrics_token:
        return
    # prometheus_client decides at import where it counts, so each worker imports it, and only if it counts.
    from voteweb.web.monitoring.prometheus import PrometheusMetrics

    prometheus = app.extensions[_EXTENSION] = PrometheusMetrics()
    store.connection.on_round_trip = prometheus.observe_round_trip
    if index:
        index.on_search = prometheus.observe_search


def get(app: Flask) -> "PrometheusMetrics | None":
    """Return the metrics of *app*, None if it counts nothing."""
    return cast("PrometheusMetrics | None", app.extensions.get(_EXTENSION))


def count(event: Event, *labels: str) -> None:
    prometheus = get(current_app)
    if prometheus:
        prometheus.count(event, *labels)
