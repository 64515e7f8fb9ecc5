import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.factories import user
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.errors import LinkUsed
from voteweb.core.models import Role
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store

SECRET = "correct horse"


def test_a_member_is_made_with_a_password_that_works(invoke: Invoke, store: Store) -> None:
    result = invoke("user", "create", "Ann", "--password-stdin", input=f"{SECRET}\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Made Ann (member).\n", "")
    found = store.users.get("ann")
    assert (found.name, found.role) == ("Ann", Role.MEMBER)
    assert passwords.verify(found.password, SECRET)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nsecond line\n"])
def test_the_password_is_the_first_line_without_its_end(invoke: Invoke, store: Store, end: str) -> None:
    invoke("user", "create", "ann", "--password-stdin", "--role", "admin", input=f" {SECRET} {end}")
    assert passwords.verify(store.users.get("ann").password, f" {SECRET} ")
    assert store.users.get("ann").role == Role.ADMIN


@pytest.mark.parametrize(
    ("name", "password", "reason"),
    [
        ("ANN", SECRET, "The name ann is taken."),
        ("moderator", SECRET, "reserved"),
        ("a b", SECRET, "user name"),
        ("bob", "", "8 to 256"),
        ("bob", "x" * 257, "8 to 256"),
        ("bob", "x" * 5000, "8 to 256"),
        ("bob", b"\xff" * 9, "UTF-8"),
    ],
)
def test_what_cannot_be_a_member_is_refused_in_one_line(
    invoke: Invoke, store: Store, name: str, password: str | bytes, reason: str
) -> None:
    user(store, "ann")
    result = invoke("user", "create", name, "--password-stdin", input=password)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert reason in result.stderr
    assert store.users.find("bob") is None


def test_a_password_of_the_greatest_length_is_taken_whatever_its_letters(invoke: Invoke, store: Store) -> None:
    invoke("user", "create", "ann", "--password-stdin", input="🦊" * 256 + "\r\n")
    assert passwords.verify(store.users.get("ann").password, "🦊" * 256)


def test_a_role_is_changed(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann")
    assert invoke("user", "role", "ann", "moderator").stdout == "Ann is moderator now; before: member.\n"
    after = store.users.get("ann")
    assert (after.role, after.session, after.id) == (Role.MODERATOR, before.session, before.id)


def test_another_password_ends_all_sessions(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    assert invoke("user", "password", "ann", "--password-stdin", input=SECRET).exit_code == 0
    after = store.users.get("ann")
    assert passwords.verify(after.password, SECRET)
    assert not passwords.verify(after.password, "the old one")
    assert after.session != before.session


def test_a_link_sets_a_password_once_and_changes_nothing_before(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    result = invoke("user", "password", "ann", "--link")
    assert (result.exit_code, result.stderr) == (0, "")
    link, *words = result.stdout.splitlines()
    token = link.removeprefix("http://127.0.0.1:8000/reset/")
    assert token != link
    assert " ".join(words) == (
        "With this link, Ann sets a new password. It works once and is good for a day. "
        "Using it ends all their sessions; until then the old password and all sessions stay."
    )
    assert store.users.get("ann") == before
    assert store.password_resets.use(token, "new hash") == "ann"
    with pytest.raises(LinkUsed):
        store.password_resets.use(token, "another hash")


@pytest.mark.parametrize(
    ("env", "begins"),
    [
        ({"VOTEWEB_SITE_URL": "https://news.example"}, "https://news.example/reset/"),
        ({"VOTEWEB_SITE_URL": "https://news.example/"}, "https://news.example/reset/"),
        ({"VOTEWEB_HOST": "0.0.0.0", "VOTEWEB_PORT": "8080"}, "http://127.0.0.1:8080/reset/"),
        ({"VOTEWEB_HOST": "::", "VOTEWEB_PORT": "80"}, "http://[::1]:80/reset/"),
        ({"VOTEWEB_HOST": "news.example"}, "http://news.example:8000/reset/"),
    ],
)
def test_a_link_leads_to_the_site(
    invoke: Invoke, store: Store, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], begins: str
) -> None:
    user(store, "ann")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert invoke("user", "password", "ann", "--link").stdout.startswith(begins)


def acts(store: Store) -> list[tuple[str, str, str, str]]:
    """Return what the public log says, oldest first."""
    pipeline = store.pipeline()
    asked = store.moderation_log.queue_page(pipeline, 1)
    pipeline.execute()
    return [(entry.who, entry.kind, entry.about, entry.why) for entry in reversed(asked.result.rows)]


def test_a_ban_ends_all_sessions_says_why_and_is_taken_back(invoke: Invoke, store: Store) -> None:
    before = user(store, "Bob")
    assert (
        invoke("user", "ban", "bob", "--reason", " too much  spam ").stdout
        == "Bob is banned and logged out everywhere.\n"
    )
    banned = store.users.get("bob")
    assert (banned.banned > 0, banned.ban_reason) == (True, "too much spam")
    assert banned.session != before.session
    assert invoke("user", "ban", "bob", "--reason", "other").stdout == "Bob is banned already: too much spam\n"
    assert invoke("user", "unban", "BOB").stdout == "Bob can log in again.\n"
    assert invoke("user", "unban", "bob").stdout == "Bob is not banned.\n"
    assert store.users.get("bob").banned == 0
    assert acts(store) == [("command line", "ban", "Bob", "too much spam"), ("command line", "unban", "Bob", "")]


@pytest.mark.parametrize(
    ("reason", "says"), [("", "give a reason"), (" ", "give a reason"), ("x" * 301, "300 characters")]
)
def test_a_ban_needs_a_reason_that_can_be_read(invoke: Invoke, store: Store, reason: str, says: str) -> None:
    user(store, "bob")
    result = invoke("user", "ban", "bob", "--reason", reason)
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert says in result.stderr
    assert store.users.get("bob").banned == 0


def test_every_role_that_the_command_line_gives_is_in_the_public_log(invoke: Invoke, store: Store) -> None:
    for words in (
        ("create", "ann", "--role", "admin", "--password-stdin"),
        ("create", "bob", "--password-stdin"),
        ("role", "bob", "moderator"),
        ("role", "bob", "moderator"),
        ("role", "bob", "member"),
    ):
        assert invoke("user", *words, input=SECRET).exit_code == 0
    assert acts(store) == [
        ("command line", "role", "ann", "admin"),
        ("command line", "role", "bob", "moderator"),
        ("command line", "role", "bob", "member"),
    ]
    assert store.users.has_admin()


def test_who_left_is_no_member_and_the_name_stays_taken(invoke: Invoke, store: Store) -> None:
    store.account_deletion.start(user(store, "Ann"), delete_articles=False)
    for words in (("role", "ann", "admin"), ("password", "ann", "--link"), ("password", "ann", "--password-stdin")):
        assert invoke("user", *words, input=SECRET).stderr == "Error: There is no member named Ann.\n"
    assert "taken" in invoke("user", "create", "ann", "--password-stdin", input=SECRET).stderr
    assert not store.users.has_admin()


@pytest.mark.parametrize(
    "words",
    [
        ("role", "nobody2", "admin"),
        ("password", "nobody2", "--password-stdin"),
        ("password", "nobody2", "--link"),
        ("ban", "nobody2", "--reason", "spam"),
        ("unban", "nobody2"),
    ],
)
def test_unknown_members_are_not_made(invoke: Invoke, store: Store, words: tuple[str, ...]) -> None:
    result = invoke("user", *words, input=SECRET)
    assert (result.exit_code, result.stderr) == (1, "Error: There is no member named nobody2.\n")
    assert store.users.find("nobody2") is None


@pytest.mark.parametrize(
    "words",
    [
        ("create", "bob", "--role", "king"),
        ("role", "bob"),
        ("create", "bob"),
        ("ban", "bob"),
        ("password", "bob", "--link", "--password-stdin"),
        (),
    ],
)
def test_wrong_usage(invoke: Invoke, words: tuple[str, ...]) -> None:
    assert invoke("user", *words).exit_code == 2


def test_an_empty_name_does_not_reach_the_database(invoke: Invoke) -> None:
    assert "user name" in invoke("user", "role", "", "admin").stderr


def test_at_a_terminal_the_password_is_asked_for_twice_without_echo(folder: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "voteweb.cli", "user", "create", "Ann", "--data", str(folder)],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    for prompt in (b"Password: ", b"Repeat for confirmation: "):
        while prompt not in seen:
            seen += os.read(ours, 1000)
        os.write(ours, f"{SECRET}\n".encode())
    while b"Made Ann (member)" not in seen:
        seen += os.read(ours, 1000)
    assert process.wait(10) == 0
    os.close(ours)
    assert SECRET.encode() not in seen
    with open_database(Settings(data_dir=str(folder))) as settings:
        store = open_store(settings)
        assert passwords.verify(store.users.get("ann").password, SECRET)
        store.connection.client.close()
