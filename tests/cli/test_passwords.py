"""Passwords from standard input, from a terminal and by a link."""

from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.factories import user
from tests.site_process import voteweb_command
from tests.terminal import converse
from voteweb.core import passwords
from voteweb.core.config import MAX_PASSWORD_LENGTH, Settings
from voteweb.core.errors import LinkUsed
from voteweb.core.models import Role
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store

PASSWORD = "correct horse"


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nsecond line\n"])
def test_the_password_is_the_first_line(invoke: Invoke, store: Store, end: str) -> None:
    invoke("user", "create", "ann", "--password-stdin", "--role", "admin", input=f" {PASSWORD} {end}")
    assert passwords.verify(store.users.get("ann").password, f" {PASSWORD} ")
    assert store.users.get("ann").role == Role.ADMIN


def test_the_longest_password_is_accepted_in_any_script(invoke: Invoke, store: Store) -> None:
    longest = "🦊" * MAX_PASSWORD_LENGTH
    invoke("user", "create", "ann", "--password-stdin", input=f"{longest}\r\n")
    assert passwords.verify(store.users.get("ann").password, longest)


def test_a_new_password_ends_all_sessions(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    assert invoke("user", "password", "ann", "--password-stdin", input=PASSWORD).exit_code == 0
    after = store.users.get("ann")
    assert passwords.verify(after.password, PASSWORD)
    assert not passwords.verify(after.password, "the old one")
    assert after.session != before.session


def test_a_link_sets_a_password_once(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    result = invoke("user", "password", "ann", "--link")
    assert (result.exit_code, result.stderr) == (0, "")
    link, *explanation = result.stdout.splitlines()
    token = link.removeprefix("http://127.0.0.1:8000/reset/")
    assert token != link
    assert " ".join(explanation) == (
        "With this link, Ann can set a new password, once, within 24 hours. "
        "Using it ends all their sessions; until then the old password and all sessions stay valid."
    )
    assert store.users.get("ann") == before
    assert store.passwords.use_link(token, "new hash") == "ann"
    with pytest.raises(LinkUsed):
        store.passwords.use_link(token, "another hash")


@pytest.mark.parametrize(
    ("env", "start"),
    [
        ({"VOTEWEB_SITE_URL": "https://news.example"}, "https://news.example/reset/"),
        ({"VOTEWEB_SITE_URL": "https://news.example/"}, "https://news.example/reset/"),
        ({"VOTEWEB_HOST": "0.0.0.0", "VOTEWEB_PORT": "8080"}, "http://127.0.0.1:8080/reset/"),
        ({"VOTEWEB_HOST": "::", "VOTEWEB_PORT": "80"}, "http://[::1]:80/reset/"),
        ({"VOTEWEB_HOST": "news.example"}, "http://news.example:8000/reset/"),
    ],
)
def test_a_link_begins_with_the_address_of_the_site(
    invoke: Invoke, store: Store, env: dict[str, str], start: str
) -> None:
    user(store, "ann")
    assert invoke("user", "password", "ann", "--link", **env).stdout.startswith(start)


def test_a_terminal_asks_twice_for_the_password_without_echo(embedded: Path) -> None:
    answers = [("Password: ", PASSWORD), ("Repeat for confirmation: ", PASSWORD)]
    output = converse(voteweb_command("user", "create", "Ann", "--data", embedded), answers)
    assert "Made Ann (member)" in output
    assert PASSWORD not in output
    with open_database(Settings(data_dir=str(embedded))) as settings:
        store = open_store(settings)
        assert passwords.verify(store.users.get("ann").password, PASSWORD)
        store.connection.close()
