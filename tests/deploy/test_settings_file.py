"""The settings file of a site, as Compose reads it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.helpers import needs
from voteweb.cli.environment import read_file, write_file


@pytest.mark.heavy
def test_compose_reads_the_values_that_we_read(tmp_path: Path) -> None:
    program = shutil.which("docker-compose")
    needs(program, "docker-compose")
    values = {
        "VOTEWEB_SITE_NAME": 'Ann\'s C# "News"; 新闻 = 100%',
        "VOTEWEB_REDIS_URL": "redis://me:p=a#b!@db:6379/0?x=1&y=2",
        "VOTEWEB_CONTACT": "",
    }
    write_file(tmp_path / "voteweb.env", values, {"VOTEWEB_CONTACT": "None yet."})
    services = {"site": {"image": "voteweb", "env_file": "voteweb.env"}}
    (tmp_path / "compose.yaml").write_text(json.dumps({"version": "3", "services": services}))
    command = [str(program), "--file", str(tmp_path / "compose.yaml"), "config"]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert yaml.safe_load(output)["services"]["site"]["environment"] == read_file(tmp_path / "voteweb.env") == values
