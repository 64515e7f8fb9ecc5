"""Two sites with names, served on one machine from one data directory."""

import json
from pathlib import Path

import pytest

from tests.helpers import until
from tests.site_process import StartSite

pytestmark = pytest.mark.heavy


def test_sites_on_one_embedded_database_keep_files_of_their_own(start_site: StartSite, folder: Path) -> None:
    sites = {name: start_site("--data", str(folder), VOTEWEB_SITE=name) for name in ("baking", "cooking")}
    for name, site in sites.items():
        assert json.loads(site.get("/healthz").body)["site"] == name
        until(lambda name=name: list((folder / f"search-{name}").glob("current-*")), patience=30)
    assert not (folder / "search").exists()
    assert sites["baking"].stop().status == 0
    assert sites["cooking"].get("/").status == 200
    assert sites["cooking"].stop().status == 0
