"""``voteweb init``: a new site with its settings, its database and its first admin."""

import getpass
import os
import socket
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries, output
from tests.helpers import free_ports, needs
from tests.site_process import voteweb_command
from tests.terminal import converse
from voteweb.cli.environment import made_folder, read_file
from voteweb.core import passwords
from voteweb.core.models import Role
from voteweb.core.settings import from_env
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store

PASSWORD = "correct horse"
OPTIONS = [
    "--site-url", "https://news.example", "--site-name", "Ann's News: 新闻", "--admin", "ann", "--password-stdin",
    "--user", getpass.getuser(), "--port", str(free_ports(1)[0]),
]  # fmt: skip


def test_a_site_is_made_with_private_settings_and_an_admin(invoke_alone: Invoke, folder: Path) -> None:
    site = folder / "new" / "site"
    assert output(invoke_alone("init", site, *OPTIONS, input=PASSWORD))
    file = site / "voteweb.env"
    assert [path.stat().st_mode & 0o777 for path in (site, file, site / "data")] == [0o700, 0o600, 0o700]
    settings = from_env(read_file(file))
    assert (settings.site_url, settings.site_name) == ("https://news.example", "Ann's News: 新闻")
    assert (settings.trusted_proxies, settings.data_dir) == (1, str(site / "data"))
    assert (settings.good_votes, settings.lift_days, settings.hold_posts) == (20, 7, 1)
    assert len(settings.secret_key) > 40
    with open_database(settings) as opened:
        store = open_store(opened)
        ann = store.users.get("ann")
        assert (ann.role, passwords.verify(ann.password, PASSWORD)) == (Role.ADMIN, True)
        assert [(entry.kind, entry.about, entry.why) for entry in log_entries(store)] == [("role", "ann", "admin")]
        store.connection.close()


def test_an_interrupted_site_is_completed_and_a_complete_one_stays(invoke_alone: Invoke, folder: Path) -> None:
    invoke_alone("init", folder, *OPTIONS, input=PASSWORD)
    file = folder / "voteweb.env"
    settings = file.read_text()
    (folder / "data").rename(folder / "elsewhere")
    assert invoke_alone("init", folder, *OPTIONS, input=PASSWORD).exit_code == 0
    assert "has an admin already" in error_line(invoke_alone("init", folder, *OPTIONS, input=PASSWORD))
    assert file.read_text() == settings
    file.unlink()
    assert "is not empty" in error_line(invoke_alone("init", folder, *OPTIONS, input=PASSWORD))


def test_a_terminal_asks_again_after_a_wrong_answer(folder: Path) -> None:
    answers = [
        ("Public address", "news example"), ("Error: ", "news.example"), ("Name of the site", "News"),
        ("Votes of a good article", "0"), ("Error: ", "12"), ("first admin", "ann"),
        ("Password: ", "password"), ("Repeat", "password"), ("Password: ", PASSWORD), ("Repeat", PASSWORD),
    ]  # fmt: skip
    output = converse(voteweb_command("init", folder / "site", "--user", getpass.getuser()), answers)
    assert "guessed first" in output
    assert "Made the site" in output
    assert "deploy systemd --install --name site" in output
    assert PASSWORD not in output
    settings = from_env(read_file(folder / "site" / "voteweb.env"))
    assert (settings.site_url, settings.good_votes) == ("https://news.example", 12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (("--site-url", "https://news example"), "VOTEWEB_SITE_URL"),
        (("--admin", "root"), "reserved"),
        (("--redis-url", "redis://127.0.0.1:1/0"), "Cannot reach the database"),
        (("--redis-url", "rediss://127.0.0.1:1/0"), f"VOTEWEB_REDIS_CA_FILE, {os.path.abspath('no.crt')}, cannot"),
    ],
)
def test_a_wrong_answer_makes_nothing(
    invoke_alone: Invoke, tmp_path: Path, changes: tuple[str, str], message: str
) -> None:
    env = {"VOTEWEB_REDIS_CA_FILE": "no.crt"} if "rediss:" in changes[1] else {}
    result = invoke_alone("init", tmp_path / "site", *OPTIONS, *changes, input=PASSWORD, **env)
    assert message in error_line(result)
    assert list(tmp_path.iterdir()) == []


def test_a_used_folder_is_refused_before_anything_is_asked(invoke_alone: Invoke, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Something else")
    assert "is not empty" in error_line(invoke_alone("init", tmp_path))


def test_a_failure_is_warned_of_and_leaves_no_folder(tmp_path: Path) -> None:
    needs(os.geteuid() == 0, "root")
    tmp_path.chmod(0o700)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = voteweb_command("init", tmp_path / "new" / "site", *OPTIONS, "--user", "nobody", "--port", port)
        result = subprocess.run(command, input=PASSWORD, capture_output=True, text=True)
    assert result.returncode == 1
    assert f"Another program listens at port {port}." in result.stderr
    assert "There is a user nobody already" in result.stderr
    assert "nobody cannot enter" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_replaced_the_folder_is_not_followed(tmp_path: Path) -> None:
    system, link = tmp_path / "system", tmp_path / "site"
    system.mkdir(mode=0o755)
    link.symlink_to(system)
    with pytest.raises(OSError, match="site"), made_folder(link, getpass.getuser()):
        pass
    assert system.stat().st_mode & 0o777 == 0o755


def test_a_database_with_an_admin_takes_only_another_site_beside(
    invoke: Invoke, store: Store, tmp_path: Path, server_url: str
) -> None:
    store.users.make("bob", "", Role.ADMIN)
    arguments = ("init", tmp_path / "site", *OPTIONS, "--redis-url", server_url)
    assert "has an admin already" in error_line(invoke(*arguments, input=PASSWORD))
    assert list(tmp_path.iterdir()) == []
    assert invoke(*arguments, "--redis-site", "cooking", input=PASSWORD).exit_code == 0
    settings = from_env(read_file(tmp_path / "site" / "voteweb.env"))
    cooking = open_store(settings)
    assert (cooking.users.get("ann").role, store.users.find("ann")) == (Role.ADMIN, None)
    cooking.connection.close()
