"""``voteweb migrate``: data of an older version are backed up and converted; ``voteweb run`` converts its own."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output
from tests.site_process import StartSite
from tests.store.examination import run, snapshot
from tests.store.schema import layout3
from voteweb.cli.backup import write_backup
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ServerChanged
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations
from voteweb.store.server.health import Engine, HealthChecks


@pytest.fixture
def old_site(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A site of layout 3."""
    for name, value in layout3.SETTINGS.items():
        monkeypatch.setenv(f"VOTEWEB_{name.upper()}", str(value))
    layout3.load_keys(store)
    return store


def test_older_data_are_refused_and_a_dry_run_changes_nothing(invoke: Invoke, old_site: Store) -> None:
    assert "run `voteweb migrate`, which makes a backup first" in error_line(invoke("doctor"))
    before = snapshot(old_site)
    result = invoke("migrate", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.endswith(f"The data have layout 3 and would get layout {SCHEMA}.\n")
    assert snapshot(old_site) == before


@pytest.mark.parametrize("layout", [3, 4])
def test_other_settings_than_those_of_stored_scores_are_refused(
    invoke: Invoke, old_site: Store, tmp_path: Path, layout: int
) -> None:
    if layout == 4:
        assert invoke("migrate", "--backup", tmp_path / "before.gz").exit_code == 0
        run(old_site, "SET", "schema:", layout)
        run(old_site, "DEL", "site:")
    before = snapshot(old_site)
    result = invoke("migrate", VOTEWEB_VOTE_SCORE="100")
    assert (result.exit_code, snapshot(old_site)) == (1, before)
    assert "Start with VOTEWEB_VOTE_SCORE=432.0 and VOTEWEB_LIFT_DAYS=0." in result.stderr
    assert invoke("migrate", "--backup", tmp_path / "other.gz").exit_code == 0
    assert run(old_site, "HGET", "site:", "vote-score") == "432.0"
    assert invoke("doctor", VOTEWEB_VOTE_SCORE="100").exit_code == 0


@pytest.mark.parametrize(("given", "worth"), [({}, "8640.0"), ({"VOTEWEB_COMMENT_GOOD_VOTES": "5"}, "17280.0")])
def test_data_without_votes_take_the_environment(
    invoke: Invoke, store: Store, tmp_path: Path, given: dict[str, str], worth: str
) -> None:
    run(store, "SET", "schema:", 4)
    assert invoke("migrate", "--backup", tmp_path / "before.gz", VOTEWEB_VOTE_SCORE="100", **given).exit_code == 0
    assert run(store, "HMGET", "site:", "vote-score", "comment-vote-score") == ["100.0", worth]


def test_data_are_converted_and_their_backup_restores_the_older_ones(
    invoke: Invoke, old_site: Store, tmp_path: Path
) -> None:
    file = tmp_path / "before.gz"
    before = {key for key in snapshot(old_site) if not key.startswith("limit:")}
    assert output(invoke("migrate", "--backup", file)).endswith(f"The data have layout {SCHEMA} now.\n")
    assert invoke("doctor").exit_code == 0
    assert invoke("migrate").stdout == f"The data have layout {SCHEMA}, the current one.\n"
    run(old_site, "FLUSHDB")
    assert "Restored " in invoke("restore", file).stdout
    assert set(snapshot(old_site)) == before | {"search:"}
    assert invoke("migrate", "--backup", file).stdout.endswith(f"The data have layout {SCHEMA} now.\n")


def test_an_interrupted_migration_continues_with_its_backup(
    invoke: Invoke, old_site: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other, runs = tmp_path / "before.gz", tmp_path / "other.gz", map(str, count())
    with monkeypatch.context() as patch:
        patch.setattr(Migrations, "finish", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        assert invoke("migrate", "--backup", file).exit_code == 130
    with monkeypatch.context() as patch:
        patch.setattr(HealthChecks, "engine", lambda _: Engine("", next(runs)))
        assert error_line(invoke("migrate")) == str(ServerChanged())
    assert "A migration did not finish" in invoke("doctor").stderr
    result = invoke("migrate", "--backup", other)
    assert f"\nContinuing the migration whose backup is {file}.\n" in result.stdout
    assert not other.exists()
    assert invoke("doctor").exit_code == 0


def test_meanwhile_other_commands_say_what_is_being_done(
    invoke_alone: Invoke, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that is given while the data are copied, which comes before all conversions."""
    lines = list[str]()

    def give_command(*arguments: Any, **options: Any) -> object:
        lines.append(error_line(invoke_alone("doctor", "--data", folder)))
        return write_backup(*arguments, **options)

    monkeypatch.setattr("voteweb.cli.doctor.write_backup", give_command)
    for name, value in layout3.SETTINGS.items():
        monkeypatch.setenv(f"VOTEWEB_{name.upper()}", str(value))
    with open_database(Settings(data_dir=str(folder))) as settings:
        store = open_store(settings)
        layout3.load_keys(store)
        store.connection.close()
        assert "Stop the site and run `voteweb migrate`" in error_line(invoke_alone("doctor", "--data", folder))
        done = output(invoke_alone("migrate", "--data", folder))
    assert done.startswith(f"Converting the data from layout 3 to {SCHEMA}.\n")
    assert lines == [f"The data are being converted from layout 3 to {SCHEMA}. Try again when that is done."]


@pytest.mark.heavy
def test_the_embedded_database_is_converted_at_the_start(start_site: StartSite, folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as settings:
        store = open_store(settings)
        layout3.load_keys(store)
        store.connection.close()
    variables = {f"VOTEWEB_{name.upper()}": str(value) for name, value in layout3.SETTINGS.items()}
    site = start_site("--data", str(folder), **variables)
    begun = f"Converting the data from layout 3 to {SCHEMA}.\nWrote a backup of every key to {folder}/"
    assert site.greeting.startswith(f"{begun}before-layout-{SCHEMA}-from-3-")
    assert "Another title" in site.get("/").body
    assert site.stop().status == 0
    again = start_site("--data", str(folder), **variables)
    assert "layout" not in again.greeting
    assert again.stop().status == 0
