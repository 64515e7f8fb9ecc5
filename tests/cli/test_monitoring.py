"""Metrics and the log of a site that runs with several workers."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.helpers import until
from tests.pausable_proxy import PausableProxy
from tests.site_process import SECRET, SiteProcess, StartSite
from tests.web.monitoring.samples import samples
from voteweb.store import Store

pytestmark = pytest.mark.heavy

TOKEN = "a token of the operator's own"


def front_pages(site: SiteProcess) -> float:
    """Return how many front pages the metrics of *site* count."""
    answer = site.get("/metrics", Authorization=f"Bearer {TOKEN}")
    assert answer.status == 200
    counted = samples(answer.body.encode())
    return sum(counted[name] for name in counted if "seconds_count" in name and "route=lists.front,status=200" in name)


def kill_workers(site: SiteProcess, count: int) -> None:
    """Kill the workers of *site*, of which it has this *count*, and return when there are as many others."""
    # A site answers before all have started. Until the background jobs have their name, they look like a worker.
    until(lambda: site.jobs_pids() and len(site.worker_pids()) == count)
    killed = site.worker_pids()
    for worker in killed:
        os.kill(worker, signal.SIGKILL)
    until(lambda: len(set(site.worker_pids()) - set(killed)) == len(killed) and site.is_healthy())


def test_workers_count_together_until_the_site_stops(start_site: StartSite, folder: Path, tmp_path: Path) -> None:
    options = ("--data", str(folder), "--workers", "2")
    env = {"VOTEWEB_METRICS_TOKEN": TOKEN, "TMPDIR": str(tmp_path)}
    site = start_site(*options, **env)
    for count in range(1, 11):
        assert site.get("/").status == 200
        assert front_pages(site) == count
    kill_workers(site, 2)
    assert site.get("/").status == 200
    assert front_pages(site) == 11, "what a dead worker counted is kept"
    assert site.stop().status == 0
    assert list(tmp_path.iterdir()) == []
    again = start_site(*options, **env)
    assert again.get("/").status == 200
    assert front_pages(again) == 1
    assert again.stop().status == 0


def test_every_line_of_a_json_log_is_json(start_site: StartSite, store: Store, proxy: PausableProxy) -> None:
    env = {"VOTEWEB_LOG": "json", "VOTEWEB_LOG_ADDRESSES": "1", "VOTEWEB_REDIS_DEADLINE": "1"}
    site = start_site(VOTEWEB_REDIS_URL=proxy.url, **env, **SECRET)
    assert site.get("/").status == 200
    kill_workers(site, 1)
    proxy.pause()
    assert site.get("/new").status == 503
    lines = [json.loads(line) for line in site.stop().stderr.splitlines()]
    requests = [line for line in lines if "path" in line]
    events = [line for line in lines if "message" in line]
    assert len(requests) + len(events) == len(lines)
    assert requests[0]["path"] == "/"
    assert {request["address"] for request in requests} == {"127.0.0.1"}
    deaths = [event["message"] for event in events if "worker" in event["message"]]
    assert deaths == ["Unexpected exit from worker-1"]
    failures = [event["id"] for event in events if event["message"].startswith("Redis is unavailable")]
    refused = [request["id"] for request in requests if request["status"] == 503 and request["path"] == "/new"]
    assert failures == refused
    assert len(refused) == 1
