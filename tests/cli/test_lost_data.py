"""A site whose database was emptied, or is another one: commands refuse it, and write no settings into it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output
from tests.cli.test_init import OPTIONS, PASSWORD
from tests.site_process import StartSite
from tests.store.examination import run, snapshot
from voteweb.store import Store

COMMANDS = [
    ("run", "--port", 0), ("doctor",), ("backup", "x.gz"), ("user", "create", "adm1"), ("rescore", "--to-environment"),
    ("migrate",), ("jobs", "--once"),
]  # fmt: skip


def id_file(site: Path) -> Path:
    """Return the file with the id of a site on a server."""
    (file,) = (site / "data").glob("site-id-*")
    return file


@pytest.fixture
def site(invoke: Invoke, store: Store, folder: Path, server_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a site that "voteweb init" made on the test server."""
    for name in ("VOTEWEB_REDIS_URL", "VOTEWEB_DATA_DIR"):
        monkeypatch.delenv(name)
    assert invoke("init", folder, *OPTIONS, "--redis-url", server_url, input=PASSWORD).exit_code == 0
    return folder


def test_commands_refuse_a_database_without_the_data(
    invoke_alone: Invoke, site: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke_alone("--site", site, "doctor").exit_code == 0
    for loss in (["FLUSHALL"], ["HSET", "site:", "id", "f" * 16, "settings-since", "1"]):
        run(store, *loss)
        before = snapshot(store)
        for command in COMMANDS:
            line = error_line(invoke_alone("--site", site, *command))
            assert line.startswith(f"The database lacks the data of this site ({site}/data/site-id-"), command
            assert "with `voteweb restore FILE`, or go on with this one as it is with `voteweb run --new`." in line
        assert snapshot(store) == before


def test_a_lost_site_comes_back_by_a_restore(invoke_alone: Invoke, site: Path, store: Store, tmp_path: Path) -> None:
    id = id_file(site).read_text()
    assert invoke_alone("--site", site, "backup", tmp_path / "x.gz").exit_code == 0
    run(store, "FLUSHALL")
    run(store, "HSET", "jobs:", "mail", "1")  # what a running site left behind
    assert output(invoke_alone("--site", site, "restore", tmp_path / "x.gz")).startswith("Restored ")
    assert invoke_alone("--site", site, "doctor").exit_code == 0
    assert id_file(site).read_text() == id


def test_a_restored_copy_makes_its_id_that_of_the_place(
    invoke_alone: Invoke, site: Path, store: Store, tmp_path: Path
) -> None:
    assert invoke_alone("--site", site, "backup", tmp_path / "x.gz").exit_code == 0
    id = id_file(site).read_text()
    id_file(site).write_text("f" * 16)
    run(store, "FLUSHALL")
    assert output(invoke_alone("--site", site, "restore", tmp_path / "x.gz")).startswith("Restored ")
    assert id_file(site).read_text() == id


def test_a_backup_without_an_id_gets_that_of_the_place(
    invoke_alone: Invoke, site: Path, store: Store, tmp_path: Path
) -> None:
    run(store, "HDEL", "site:", "id")
    assert invoke_alone("--site", site, "backup", tmp_path / "x.gz").exit_code == 0
    run(store, "FLUSHALL")
    assert output(invoke_alone("--site", site, "restore", tmp_path / "x.gz")).startswith("Restored ")
    assert run(store, "HGET", "site:", "id") == id_file(site).read_text().strip()


def test_commands_for_a_server_may_be_called_beside_embedded_data(
    store: Store, folder: Path, invoke_alone: Invoke, server_url: str
) -> None:
    (folder / "site-id").write_text("f" * 16)
    environment = {"VOTEWEB_DATA_DIR": str(folder), "VOTEWEB_REDIS_URL": server_url, "VOTEWEB_SECRET_KEY": "x" * 32}
    assert invoke_alone("doctor", **environment).exit_code == 0


def test_run_begins_anew_only_when_asked(start_site: StartSite, folder: Path, invoke_alone: Invoke) -> None:
    start_site("--data", str(folder), "--sample").stop()
    id = (folder / "site-id").read_text()
    for file in (folder / "appendonlydir").iterdir():
        file.unlink()
    assert "voteweb run --new" in error_line(invoke_alone("run", "--port", 0, "--data", folder))
    site = start_site("--data", str(folder), "--new")
    assert site.get("/").status == 200
    site.stop()
    assert (folder / "site-id").read_text() != id
    start_site("--data", str(folder)).stop()


def test_commands_that_check_write_no_settings(invoke: Invoke, store: Store) -> None:
    run(store, "FLUSHALL")
    assert output(invoke("doctor", VOTEWEB_GOOD_VOTES="77")).startswith("The data are consistent")
    assert run(store, "DBSIZE") == 0
