"""The app under gunicorn: it is a WSGI app that does not need ``voteweb run``."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests import factories
from tests.helpers import until
from tests.site_process import SECRET, environment_of_tests, start_voteweb
from tests.web.monitoring.samples import samples
from voteweb.store import Store

TOKEN = "a token of the operator's own"


@contextmanager
def gunicorn(**env: str) -> Iterator[str]:
    """Yield the origin of the site under two workers with two threads each."""
    program = [sys.executable, "-m", "gunicorn"]
    usage = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True).stdout
    options = ["--bind", "127.0.0.1:0", "--workers", "2", "--threads", "2"]
    if "--no-control-socket" in usage:
        options.append("--no-control-socket")
    command = [*program, *options, "voteweb.app:create_app()"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment_of_tests() | SECRET | env)
    assert process.stderr
    try:
        log = ""
        while not (match := re.search(r"Listening at: (\S+)", log)):
            line = process.stderr.readline()
            assert line, log
            log += line
        yield match[1]
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_gunicorn_serves_the_site_with_metrics_of_all_workers(store: Store, server_url: str, tmp_path: Path) -> None:
    factories.article(store, title="Under gunicorn")
    with gunicorn(
        VOTEWEB_REDIS_URL=server_url,
        VOTEWEB_METRICS_TOKEN=TOKEN,
        VOTEWEB_LOG="off",
        VOTEWEB_SEARCH="0",
        PROMETHEUS_MULTIPROC_DIR=str(tmp_path),
    ) as origin:
        for _ in range(8):
            with urlopen(f"{origin}/") as page:
                assert page.status == 200
                assert "Under gunicorn" in page.read().decode()
        with urlopen(f"{origin}/healthz") as health:
            assert json.load(health)["status"] == "ok"
        with pytest.raises(HTTPError, match="404") as missing:
            urlopen(f"{origin}/nowhere")
        missing.value.close()
        with urlopen(Request(f"{origin}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})) as counts:
            values = samples(counts.read())
    front_pages = [
        value for name, value in values.items() if name.startswith("voteweb_request_seconds_count{") and "front" in name
    ]
    assert sum(front_pages) == 8
    assert values["voteweb_articles"] == 1


def test_a_deletion_cut_off_under_gunicorn_is_finished_by_the_jobs(store: Store, server_url: str) -> None:
    ann = factories.user(store)
    factories.article(store, ann)
    store.account_deletion.start(ann, delete_articles=False)
    with gunicorn(VOTEWEB_REDIS_URL=server_url, VOTEWEB_LOG="off") as origin:
        with urlopen(f"{origin}/") as page:
            assert page.status == 200
        assert store.account_deletion.unfinished() == ["ann"]
        with start_voteweb("jobs", env={"VOTEWEB_REDIS_URL": server_url}) as jobs:
            until(lambda: not store.account_deletion.unfinished())
            jobs.terminate()
        with urlopen(f"{origin}/a/1") as page:
            assert "[deleted]" in page.read().decode()
