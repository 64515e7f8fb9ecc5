"""No test sees a site of this machine, not even that of the checkout in which the tests run."""

import json
import subprocess
from pathlib import Path

from tests.site_process import start_voteweb
from voteweb.core.settings import from_env


def test_no_command_finds_the_site_of_the_current_folder(no_data: Path, tmp_path: Path) -> None:
    (tmp_path / "voteweb-data").mkdir()
    (tmp_path / "voteweb.env").write_text("VOTEWEB_SITE_NAME=Theirs\n")
    with start_voteweb("config", "--json", cwd=tmp_path, stdout=subprocess.PIPE) as process:
        settings = {line["name"]: line for line in map(json.loads, process.communicate(timeout=60)[0].splitlines())}
    assert (settings["VOTEWEB_DATA_DIR"]["value"], from_env().data_dir) == (str(no_data), str(no_data))
    assert settings["VOTEWEB_SITE_NAME"]["source"] == "default"
