"""The alerts of deploy/prometheus/rules.yml: their metrics exist, promtool reads them, docs/faults.md has each."""

import re
import shutil
import subprocess

import yaml

from tests.deploy.files import DEPLOY
from tests.helpers import needs
from voteweb.search.models import State
from voteweb.store.accounts.mail import MailOutcome, MailStatus
from voteweb.store.server.health import BackupFacts, Sizes
from voteweb.web.monitoring import metrics
from voteweb.web.monitoring.metrics import Facts

RULES = DEPLOY / "prometheus" / "rules.yml"
DOCS = DEPLOY.parent / "docs"


def shown_metrics() -> set[str]:
    """Return the names of all metrics of a site on which everything has been counted."""
    metrics.request_series("lists.front", "200", "hit")
    for metric in (metrics.SEARCHES, metrics.VOTES, metrics.REFUSALS, metrics.LOG_INS):
        metric.labels("ok")
    mail = MailStatus({MailOutcome.SENT: 1}, 1, 1.0, "")
    facts = Facts(Sizes(1, 1, 1, 1, 1), BackupFacts(1.0, 1), mail, True, State("", "", 0.0, 1, 1), 1, is_up=True)
    return set(re.findall(r"^voteweb_\w+", metrics.render(facts).decode(), re.MULTILINE))


def test_every_metric_that_files_and_docs_name_exists() -> None:
    shown = shown_metrics()
    files = (RULES, DEPLOY / "grafana" / "voteweb.json")
    named = {name for file in files for name in re.findall(r"voteweb_\w+", file.read_text("utf-8"))}
    table = set(re.findall(r"^\| `(voteweb_\w+)`", (DOCS / "operations.md").read_text("utf-8"), re.MULTILINE))
    assert named - shown == set()
    assert {name for name in table if not name.endswith("_") and f"{name}_count" not in shown} - shown == set()


def test_every_alert_is_explained() -> None:
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    alerts = [rule["alert"] for rule in group["rules"]]
    explained = re.findall(r"^\| (Voteweb\w+) \|", (DOCS / "faults.md").read_text("utf-8"), re.MULTILINE)
    assert explained == alerts


def test_prometheus_reads_the_rules() -> None:
    promtool = shutil.which("promtool")
    needs(promtool, "promtool, of Prometheus")
    check = subprocess.run([str(promtool), "check", "rules", str(RULES)], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr
