"""``voteweb user``: members are created, get roles and passwords, are banned and deleted."""

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries, output
from tests.factories import user
from voteweb.core import passwords
from voteweb.core.config import MAX_PASSWORD_LENGTH
from voteweb.core.models import Role
from voteweb.store import Store

PASSWORD = "correct horse"


@pytest.mark.parametrize(
    ("name", "password", "error"),
    [
        ("ANN", PASSWORD, "The name ann is taken."),
        ("moderator", PASSWORD, "reserved"),
        ("bob", "x" * 257, "8 to 256"),
        ("bob", b"\xff" * 9, "UTF-8"),
    ],
)
def test_an_invalid_member_is_refused_in_one_line(
    invoke: Invoke, store: Store, name: str, password: str | bytes, error: str
) -> None:
    user(store, "ann")
    result = invoke("user", "create", name, "--password-stdin", input=password)
    assert error in error_line(result)
    assert result.stdout == ""
    assert store.users.find("bob") is None


def test_every_role_above_member_is_logged(invoke: Invoke, store: Store) -> None:
    for arguments in (
        ("create", "ann", "--role", "admin", "--password-stdin"),
        ("create", "bob", "--password-stdin"),
        ("role", "bob", "moderator"),
        ("role", "bob", "moderator"),
        ("role", "bob", "member"),
    ):
        assert invoke("user", *arguments, input=PASSWORD).exit_code == 0
    entries = [(entry.who, entry.kind, entry.about, entry.why) for entry in log_entries(store)]
    assert entries == [
        ("command line", "role", "ann", "admin"),
        ("command line", "role", "bob", "moderator"),
        ("command line", "role", "bob", "member"),
    ]
    assert store.users.has_admin()


def test_a_second_factor_is_turned_off_and_logged_once(invoke: Invoke, store: Store) -> None:
    store.connection.command("HSET", store.keys.user(user(store, "ann").name), "second-factor", f"{'0' * 32} 0")
    lines = [invoke("user", "second-factor", "Ann", *options).stdout.split(":")[0] for options in ((), ("--off",), ())]
    assert lines == ["ann has a second factor.\n", "The second factor of ann is off now", "ann has no second factor.\n"]
    assert [(entry.who, entry.kind) for entry in log_entries(store)] == [("command line", "second-factor")]


def test_a_deleted_account_is_unknown_but_its_name_stays_taken(invoke: Invoke, store: Store) -> None:
    store.account_deletion.start(user(store, "Ann"), delete_articles=False)
    for arguments in (("role", "ann", "admin"), ("password", "ann", "--link"), ("password", "ann", "--password-stdin")):
        assert error_line(invoke("user", *arguments, input=PASSWORD)) == "There is no member named Ann."
    assert "taken" in error_line(invoke("user", "create", "ann", "--password-stdin", input=PASSWORD))
    assert not store.users.has_admin()


@pytest.mark.parametrize("deletes", [False, True])
def test_an_account_is_deleted_with_or_without_posts(invoke: Invoke, store: Store, deletes: bool) -> None:
    id = factories.article(store, user(store, "Ann")).id
    assert invoke("user", "delete", "ann").exit_code == 2, "nobody can be asked"
    result = invoke("user", "delete", "ann", "--yes", *["--delete-posts"] * deletes)
    assert result.stdout == "The account of Ann is deleted. Backups made before still have it.\n"
    assert error_line(invoke("user", "delete", "ann", "--yes")) == "There is no member named Ann."
    article = store.read(store.articles.queue_get, id)
    assert article
    assert (article.poster, article.is_listed) == ("[deleted]", not deletes)
    assert store.account_deletion.unfinished() == []
    assert log_entries(store) == [], "it would keep the name"


def test_bans_end_all_sessions_are_logged_and_can_be_lifted(invoke: Invoke, store: Store) -> None:
    user(store, "Bob")
    assert "give a reason" in error_line(invoke("user", "ban", "bob", "--reason", " "))
    ban = invoke("user", "ban", "bob", "--reason", " too much  spam ")
    assert ban.stdout == "Bob is banned and logged out everywhere.\n"
    assert invoke("user", "ban", "bob", "--reason", "other").stdout == "Bob is already banned: too much spam\n"
    assert invoke("user", "unban", "BOB").stdout == "Bob can log in again.\n"
    assert invoke("user", "unban", "bob").stdout == "Bob is not banned.\n"
    entries = [(entry.who, entry.kind, entry.about, entry.why) for entry in log_entries(store)]
    assert entries == [("command line", "ban", "Bob", "too much spam"), ("command line", "unban", "Bob", "")]


@pytest.mark.parametrize(
    ("password", "end"), [(f" {PASSWORD} ", "\nsecond line\n"), ("🦊" * MAX_PASSWORD_LENGTH, "\r\n")]
)
def test_a_member_is_created_with_the_first_line_as_password(
    invoke: Invoke, store: Store, password: str, end: str
) -> None:
    result = invoke("user", "create", "Ann", "--password-stdin", input=f"{password}{end}")
    assert output(result) == "Made Ann (member).\n"
    ann = store.users.get("ann")
    assert (ann.name, ann.role, passwords.verify(ann.password, password)) == ("Ann", Role.MEMBER, True)


def test_a_new_password_ends_all_sessions(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    assert invoke("user", "password", "ann", "--password-stdin", input=PASSWORD).exit_code == 0
    after = store.users.get("ann")
    assert passwords.verify(after.password, PASSWORD)
    assert not passwords.verify(after.password, "the old one")
    assert after.session != before.session


def test_a_link_sets_a_password(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann", password_hash=passwords.hash_password("the old one"))
    link, *explanation = output(invoke("user", "password", "ann", "--link")).splitlines()
    token = link.removeprefix("http://127.0.0.1:8000/reset/")
    assert token != link
    assert " ".join(explanation) == (
        "With this link, Ann can set a new password, once, within 24 hours. "
        "Using it ends all their sessions; until then the old password and all sessions stay valid."
    )
    assert store.users.get("ann") == before
    assert store.passwords.use_link(token, "new hash") == "ann"


@pytest.mark.parametrize(
    ("env", "start"),
    [
        ({"VOTEWEB_SITE_URL": "https://news.example/"}, "https://news.example/reset/"),
        ({"VOTEWEB_HOST": "0.0.0.0", "VOTEWEB_PORT": "8080"}, "http://127.0.0.1:8080/reset/"),
        ({"VOTEWEB_HOST": "::", "VOTEWEB_PORT": "80"}, "http://[::1]:80/reset/"),
    ],
)
def test_a_link_begins_with_the_address_of_the_site(
    invoke: Invoke, store: Store, env: dict[str, str], start: str
) -> None:
    user(store, "ann")
    assert invoke("user", "password", "ann", "--link", **env).stdout.startswith(start)
