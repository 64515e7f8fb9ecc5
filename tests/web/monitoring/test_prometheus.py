"""The metrics, as the parser of Prometheus reads them."""

from tests.web.monitoring.samples import samples
from voteweb.store.server.health import Sizes
from voteweb.web.monitoring.events import Event
from voteweb.web.monitoring.prometheus import Facts, PrometheusMetrics

REQUESTS = "voteweb_request_seconds"


def test_new_site_has_all_metrics() -> None:
    values = samples(PrometheusMetrics().render(Facts(Sizes(60, 17), is_up=True)))
    assert values["voteweb_articles"] == 60
    assert values["voteweb_members"] == 17
    assert values["voteweb_redis_up"] == 1
    assert values["voteweb_redis_seconds_count"] == 0


def test_metrics_are_rendered_without_redis() -> None:
    metrics = PrometheusMetrics()
    metrics.observe_round_trip(2.0)
    values = samples(metrics.render(Facts()))
    assert values["voteweb_redis_up"] == 0
    assert values["voteweb_redis_seconds_count"] == 1
    assert "voteweb_articles" not in values


def test_requests_are_timed_by_route_status_and_cache_status() -> None:
    metrics = PrometheusMetrics()
    for seconds in (0.00003, 0.00004):
        metrics.observe_request("lists.front", "200", "hit", seconds)
    metrics.observe_request("lists.front", "200", "miss", 0.003)
    metrics.observe_request("lists.front", "503", "pass", 2.1)
    values = samples(metrics.render(Facts(Sizes(0, 0))))
    assert values[f"{REQUESTS}_count{{page=hit,route=lists.front,status=200}}"] == 2
    assert values[f"{REQUESTS}_bucket{{le=0.0001,page=hit,route=lists.front,status=200}}"] == 2
    assert values[f"{REQUESTS}_bucket{{le=0.0025,page=miss,route=lists.front,status=200}}"] == 0
    assert values[f"{REQUESTS}_bucket{{le=0.005,page=miss,route=lists.front,status=200}}"] == 1
    assert values[f"{REQUESTS}_sum{{page=pass,route=lists.front,status=503}}"] == 2.1


def test_votes_and_refusals_are_counted_by_outcome_and_limit() -> None:
    metrics = PrometheusMetrics()
    for outcome in ("counted", "counted", "already-voted"):
        metrics.count(Event.VOTE, outcome)
    metrics.count(Event.REFUSAL, "login")
    values = samples(metrics.render(Facts(Sizes(0, 0))))
    assert values["voteweb_votes_total{outcome=counted}"] == 2
    assert values["voteweb_votes_total{outcome=already-voted}"] == 1
    assert values["voteweb_limits_total{limit=login}"] == 1


def test_two_sites_in_one_process_count_separately() -> None:
    first, second = PrometheusMetrics(), PrometheusMetrics()
    first.count(Event.VOTE, "counted")
    assert "voteweb_votes_total{outcome=counted}" not in samples(second.render(Facts(Sizes(0, 0))))
