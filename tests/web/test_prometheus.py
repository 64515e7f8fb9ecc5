"""What Prometheus reads, as its own parser reads it."""

from prometheus_client.parser import text_string_to_metric_families

from voteweb.web.monitoring.prometheus import Metrics


def samples(text: bytes) -> dict[str, float]:
    """Return every sample of *text* by its name and labels, as they stand in it."""
    found = {}
    for family in text_string_to_metric_families(text.decode()):
        assert family.documentation
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def test_a_site_that_has_done_nothing_says_what_there_is() -> None:
    found = samples(Metrics().text((60, 17)))
    assert found["voteweb_articles"] == 60
    assert found["voteweb_members"] == 17
    assert found["voteweb_redis_up"] == 1
    assert found["voteweb_redis_seconds_count"] == 0


def test_without_redis_the_counts_are_told_all_the_same() -> None:
    metrics = Metrics()
    metrics.trip(2.0)
    found = samples(metrics.text(None))
    assert found["voteweb_redis_up"] == 0
    assert found["voteweb_redis_seconds_count"] == 1
    assert "voteweb_articles" not in found


def test_requests_are_counted_by_route_status_and_page_with_their_time() -> None:
    metrics = Metrics()
    for seconds in (0.00003, 0.00004):
        metrics.request("articles.front", "200", "hit", seconds)
    metrics.request("articles.front", "200", "miss", 0.003)
    metrics.request("articles.front", "503", "pass", 2.1)
    found = samples(metrics.text((0, 0)))
    name = "voteweb_request_seconds"
    assert found[f"{name}_count{{page=hit,route=articles.front,status=200}}"] == 2
    assert found[f"{name}_bucket{{le=0.0001,page=hit,route=articles.front,status=200}}"] == 2
    assert found[f"{name}_bucket{{le=0.0025,page=miss,route=articles.front,status=200}}"] == 0
    assert found[f"{name}_bucket{{le=0.005,page=miss,route=articles.front,status=200}}"] == 1
    assert found[f"{name}_sum{{page=pass,route=articles.front,status=503}}"] == 2.1


def test_votes_and_limits_are_counted_by_what_became_of_them() -> None:
    metrics = Metrics()
    for outcome in ("counted", "counted", "already-voted"):
        metrics.vote(outcome)
    metrics.limit("login")
    found = samples(metrics.text((0, 0)))
    assert found["voteweb_votes_total{outcome=counted}"] == 2
    assert found["voteweb_votes_total{outcome=already-voted}"] == 1
    assert found["voteweb_limits_total{limit=login}"] == 1


def test_two_sites_in_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.vote("counted")
    assert "voteweb_votes_total{outcome=counted}" not in samples(other.text((0, 0)))
