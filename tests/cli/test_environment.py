"""The settings file of a site: how commands find it and read it."""

import getpass
import os
import pwd
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.helpers import PATIENCE, needs
from tests.site_process import run_voteweb, start_voteweb
from voteweb.cli.environment import read_file, refuse_unclear, refuse_unreadable_program, write_file
from voteweb.core.errors import ConfigError


@pytest.fixture
def site(folder: Path, invoke_alone: Invoke) -> Path:
    """The folder of a site that ``voteweb init`` has made."""
    options = ["--site-url", "https://news.example", "--site-name", "News", "--admin", "ann", "--password-stdin"]
    user = getpass.getuser()
    assert invoke_alone("init", folder, *options, "--user", user, input="correct horse").exit_code == 0
    return folder


def test_the_environment_overrides_the_file_of_a_named_site(site: Path, invoke_alone: Invoke) -> None:
    (site / "voteweb.env").chmod(0o604)
    result = invoke_alone("--site", site, "config", VOTEWEB_SITE_NAME="Other")
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines()}
    assert lines["VOTEWEB_SITE_URL"][1:4] == ["https://news.example", "URL", "voteweb.env"]
    assert lines["VOTEWEB_SITE_NAME"][1:4] == ["Other", "text", "environment"]
    assert "and the secret key in it: chmod o= " in result.stderr, "every user can read it"


def test_current_folders_file_is_read_unless_a_database_is_named(site: Path) -> None:
    command = ["user", "role", "ann", "admin"]
    for prefix, status in ((["env", "--unset", "VOTEWEB_DATA_DIR"], 0), ([], 1)):
        with start_voteweb(*command, prefix=prefix, cwd=site) as process:
            assert process.wait(PATIENCE) == status


def test_plain_values_are_read_as_they_were_written(tmp_path: Path) -> None:
    values = {"VOTEWEB_SITE_NAME": "Ann's C# News; 新闻", "VOTEWEB_REDIS_URL": "redis://me:p=a#b@db/0", "EMPTY": ""}
    write_file(tmp_path / "file", values, {"EMPTY": "A comment."})
    assert read_file(tmp_path / "file") == values
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "file", {}, {})


@pytest.mark.parametrize("value", ['"quoted"', "$HOME", "a\\b", "a #b", " a", "a\nb", "a\0"])
def test_a_value_that_programs_read_differently_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError):
        refuse_unclear(tmp_path, {"NAME": value})


@pytest.mark.parametrize("line", [b"A=$b", b"export A=b", b"A", b"A=\xff"])
def test_a_line_that_programs_read_differently_is_refused(invoke_alone: Invoke, tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "voteweb.env"
    file.write_bytes(b"# a comment\n" + line + b"\n")
    file.chmod(0o600)
    message = error_line(invoke_alone("--site", tmp_path, "config"))
    assert str(tmp_path / "voteweb.env") in message


def test_a_site_of_another_user_is_never_used_as_root(site: Path) -> None:
    """Where its owner can read this program, root goes on as the owner (tests/deploy/test_install.py)."""
    needs(os.geteuid() == 0, "root")
    nobody = pwd.getpwnam("nobody")
    os.chown(site / "voteweb.env", nobody.pw_uid, nobody.pw_gid)
    before = sorted(site.rglob("*"))
    command = ["--site", site, "user", "role", "ann", "member"]
    result = run_voteweb(*command)
    assert result.status == 1
    assert "nobody" in result.stderr or "Permission denied" in result.stderr
    assert sorted(site.rglob("*")) == before


def test_an_interpreter_that_the_sites_user_cannot_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter, link = tmp_path / "python3.11", tmp_path / "python"
    interpreter.touch(0o600)
    link.symlink_to(interpreter)
    monkeypatch.setattr(sys, "executable", str(link))
    with pytest.raises(ConfigError, match=rf"ann, who owns /site, cannot run {interpreter}"):
        refuse_unreadable_program("ann", Path("/site"))


@pytest.mark.heavy
def test_root_follows_a_link_of_another_user_as_that_user(site: Path) -> None:
    """/proc has files of root whose content other users choose."""
    needs(os.geteuid() == 0, "root")
    file = site / "voteweb.env"
    file.rename(site / "settings")
    file.symlink_to(site / "settings")
    assert run_voteweb("--site", site, "config").status == 0
    nobody = pwd.getpwnam("nobody")
    os.lchown(file, nobody.pw_uid, nobody.pw_gid)
    result = run_voteweb("--site", site, "config")
    assert result.status == 1
    assert "nobody" in result.stderr or "Permission denied" in result.stderr
