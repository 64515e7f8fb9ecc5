"""What a site that runs tells of itself: counts that are right with several workers, and its log."""

import json
import os
import re
import signal
from pathlib import Path

from tests.helpers import until
from tests.pausable_proxy import PausableProxy
from tests.running import SECRET, Running, Start
from tests.test_metrics import samples
from voteweb.store import Store

TOKEN = "a token of the operator's own"
FRONT = re.compile(r"voteweb_request_seconds_count\{page=\w+,route=articles.front,status=200\}")


def counted(site: Running) -> float:
    """Return how many front pages the site says it has sent."""
    status, text = site.get("/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    return sum(value for name, value in samples(text.encode()).items() if FRONT.fullmatch(name))


def test_workers_count_together_and_what_a_dead_one_counted_stays(start: Start, folder: Path, tmp_path: Path) -> None:
    env = {"VOTEWEB_METRICS_TOKEN": TOKEN, "TMPDIR": str(tmp_path)}
    site = start("--data", str(folder), "--workers", "2", **env)
    for asked in range(1, 41):
        assert site.get("/")[0] == 200
        assert counted(site) == asked
    killed = site.workers()
    for worker in killed:
        os.kill(worker, signal.SIGKILL)
    until(lambda: len(site.workers()) == 2 and not set(site.workers()) & set(killed) and site.answers())
    assert site.get("/")[0] == 200
    assert counted(site) == 41
    assert site.stop(signal.SIGTERM)[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_the_counts_of_an_earlier_run_are_gone(start: Start, folder: Path) -> None:
    for _ in range(2):
        site = start("--data", str(folder), VOTEWEB_METRICS_TOKEN=TOKEN)
        assert site.get("/")[0] == 200
        assert counted(site) == 1
        assert site.stop(signal.SIGTERM)[0] == 0


def test_the_log_as_json_is_json_whatever_happens(start: Start, store: Store, door: PausableProxy) -> None:
    env = {"VOTEWEB_LOG": "json", "VOTEWEB_LOG_ADDRESSES": "1", "VOTEWEB_REDIS_DEADLINE": "1"}
    site = start(VOTEWEB_REDIS_URL=door.url, **env, **SECRET)
    assert site.get("/")[0] == 200
    (worker,) = site.workers()
    os.kill(worker, signal.SIGKILL)
    until(lambda: site.workers() not in ([], [worker]) and site.answers())
    door.hold()
    assert site.get("/new")[0] == 503
    log = [json.loads(line) for line in site.stop(signal.SIGTERM)[2].splitlines()]
    requests = [line for line in log if "path" in line]
    events = [line for line in log if "message" in line]
    assert len(requests) + len(events) == len(log)
    assert requests[0]["path"] == "/"
    assert {line["address"] for line in requests} == {"127.0.0.1"}
    assert [line["message"] for line in events if "worker" in line["message"]] == ["Unexpected exit from worker-1"]
    away = [line for line in events if line["message"].startswith("Redis is away")]
    answered = [line["id"] for line in requests if line["status"] == 503 and line["path"] == "/new"]
    assert [line["id"] for line in away] == answered
