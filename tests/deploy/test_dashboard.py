"""The dashboard of deploy/grafana/: Prometheus reads its queries, and answers them for a running site."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import redis

from tests.conftest import private_server
from tests.deploy.files import DEPLOY
from tests.helpers import free_ports, needs, until
from tests.site_process import SECRET, SiteProcess, run_voteweb
from tests.visitor import Visitor

DASHBOARD = json.loads((DEPLOY / "grafana" / "voteweb.json").read_text("utf-8"))
PANELS = DASHBOARD["panels"]
#: What Grafana puts in place of its variables: all sites, and four times the interval of scrapes at least.
VARIABLES = {"$site": ".*", "$__rate_interval": "1m"}
TOKEN = "a token of the operator's own"


def queries() -> list[str]:
    """Return the query of each line and number of the dashboard, as Prometheus gets it."""
    texts = [target["expr"] for panel in PANELS for target in panel["targets"]]
    for name, value in VARIABLES.items():
        texts = [text.replace(name, value) for text in texts]
    assert not [text for text in texts if "$" in text]
    return texts


def test_the_dashboard_has_the_form_of_its_schema() -> None:
    """Since schema 36 each data source is an object; panels fill the 24 columns without a gap."""
    assert DASHBOARD["schemaVersion"] == 36
    assert len({panel["id"] for panel in PANELS}) == len(PANELS) == 8
    chosen, sites = DASHBOARD["templating"]["list"]
    assert (chosen["name"], chosen["type"], sites["name"]) == ("datasource", "datasource", "site")
    for part in (sites, *PANELS, *(target for panel in PANELS for target in panel["targets"])):
        assert part["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    places = [panel["gridPos"] for panel in PANELS]
    cells = [
        (x, y) for at in places for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(set(cells)) == len(cells) == 24 * max(at["y"] + at["h"] for at in places)


def test_prometheus_reads_every_query(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    needs(promtool, "promtool, of Prometheus")
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries())]
    (tmp_path / "rules.json").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    check = subprocess.run(
        [str(promtool), "check", "rules", str(tmp_path / "rules.json")], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stderr
    assert f"{len(rules)} rules found" in check.stdout


@pytest.fixture
def busy_site(tmp_path: Path) -> Iterator[SiteProcess]:
    """A site with mail, search, a backup and a limit of memory, on which votes, log-ins and sign-ups were counted."""
    (port,) = free_ports(1)
    with private_server("valkey") as url:
        with redis.from_url(url) as client:
            client.config_set("maxmemory", "1gb")
        settings = {
            "VOTEWEB_REDIS_URL": url, "VOTEWEB_DATA_DIR": str(tmp_path / "data"), "VOTEWEB_SEARCH": "1",
            "VOTEWEB_METRICS_TOKEN": TOKEN, "VOTEWEB_SITE_URL": f"http://127.0.0.1:{port}",
            "VOTEWEB_MAIL_URL": "smtp://127.0.0.1:1", "VOTEWEB_MAIL_FROM": "news@news.example", **SECRET,
        }  # fmt: skip
        site = SiteProcess("--port", str(port), **settings)
        try:
            assert run_voteweb("backup", tmp_path / "copy.gz", **settings).status == 0
            ann, bob = site.visitor(), site.visitor()
            assert ann.sign_up("ann").status == bob.sign_up("bob").status == 303
            assert ann.submit("/submit", {"title": "A vote for it", "text": "Counted."}).status == 303
            assert bob.press("/a/1", "/a/1/vote").status == 303
            assert site.visitor().submit("/login", {"username": "ann", "password": "another"}).status == 422
            while ann.submit("/submit", {"title": "One more", "text": "Until a limit refuses it."}).status == 303:
                pass
            yield site
        finally:
            site.kill()


@pytest.fixture
def ask(busy_site: SiteProcess, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """A function that asks a Prometheus, which scrapes the site as docs/faults.md says."""
    program = shutil.which("prometheus")
    needs(program, "Prometheus")
    (port,) = free_ports(1)
    job = {
        "job_name": "voteweb", "scrape_interval": "1s", "authorization": {"credentials": TOKEN},
        "static_configs": [{"targets": ["{}:{}".format(*busy_site.address)]}],
    }  # fmt: skip
    file = tmp_path / "prometheus.yml"
    file.write_text(json.dumps({"scrape_configs": [job]}))
    options = [f"--config.file={file}", f"--storage.tsdb.path={tmp_path / 'series'}", "--log.level=error"]

    def query(text: str) -> Any:
        with suppress(ConnectionRefusedError):
            answer = Visitor(("127.0.0.1", port)).get(f"/api/v1/query?{urlencode({'query': text})}")
            return answer.status == 200 and json.loads(answer.body)["data"]["result"]

    with subprocess.Popen([str(program), *options, f"--web.listen-address=127.0.0.1:{port}"]) as process:
        try:
            until(lambda: query("count_over_time(voteweb_search_lag_seconds[1m]) > 1"), patience=60)
            yield query
        finally:
            process.terminate()


@pytest.mark.heavy
def test_a_running_site_answers_every_query(ask: Callable[[str], Any]) -> None:
    assert [query for query in queries() if not ask(query)] == []
