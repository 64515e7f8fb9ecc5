"""``voteweb user create`` and ``role``: members are created and get roles."""

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries
from tests.factories import user
from voteweb.core import passwords
from voteweb.core.models import Role
from voteweb.store import Store

PASSWORD = "correct horse"


def test_a_member_is_created_with_a_password(invoke: Invoke, store: Store) -> None:
    result = invoke("user", "create", "Ann", "--password-stdin", input=f"{PASSWORD}\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Made Ann (member).\n", "")
    ann = store.users.get("ann")
    assert (ann.name, ann.role) == ("Ann", Role.MEMBER)
    assert passwords.verify(ann.password, PASSWORD)


@pytest.mark.parametrize(
    ("name", "password", "error"),
    [
        ("ANN", PASSWORD, "The name ann is taken."),
        ("moderator", PASSWORD, "reserved"),
        ("a b", PASSWORD, "user name"),
        ("bob", "", "8 to 256"),
        ("bob", "x" * 257, "8 to 256"),
        ("bob", "x" * 5000, "8 to 256"),
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


def test_a_role_is_changed_without_ending_sessions(invoke: Invoke, store: Store) -> None:
    before = user(store, "Ann")
    assert invoke("user", "role", "ann", "moderator").stdout == "Ann is now moderator; before: member.\n"
    after = store.users.get("ann")
    assert (after.role, after.session, after.id) == (Role.MODERATOR, before.session, before.id)


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


def test_a_deleted_account_is_unknown_but_its_name_stays_taken(invoke: Invoke, store: Store) -> None:
    store.account_deletion.start(user(store, "Ann"), delete_articles=False)
    for arguments in (("role", "ann", "admin"), ("password", "ann", "--link"), ("password", "ann", "--password-stdin")):
        assert error_line(invoke("user", *arguments, input=PASSWORD)) == "There is no member named Ann."
    assert "taken" in error_line(invoke("user", "create", "ann", "--password-stdin", input=PASSWORD))
    assert not store.users.has_admin()


@pytest.mark.parametrize(
    "arguments",
    [
        ("role", "nobody2", "admin"),
        ("password", "nobody2", "--password-stdin"),
        ("password", "nobody2", "--link"),
        ("ban", "nobody2", "--reason", "spam"),
        ("unban", "nobody2"),
    ],
)
def test_an_unknown_member_is_refused(invoke: Invoke, store: Store, arguments: tuple[str, ...]) -> None:
    assert error_line(invoke("user", *arguments, input=PASSWORD)) == "There is no member named nobody2."
    assert store.users.find("nobody2") is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "bob", "--role", "king"),
        ("role", "bob"),
        ("create", "bob"),
        ("ban", "bob"),
        ("password", "bob", "--link", "--password-stdin"),
        (),
    ],
)
def test_wrong_usage_has_status_2(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    assert invoke("user", *arguments).exit_code == 2


def test_an_empty_name_is_refused(invoke: Invoke) -> None:
    assert "user name" in error_line(invoke("user", "role", "", "admin"))


@pytest.mark.parametrize("deletes", [False, True])
def test_an_account_is_deleted_with_or_without_posts(invoke: Invoke, store: Store, deletes: bool) -> None:
    id = factories.article(store, user(store, "Ann")).id
    assert invoke("user", "delete", "ann").exit_code == 2, "nobody can be asked"
    result = invoke("user", "delete", "ann", "--yes", *["--delete-posts"] * deletes)
    assert result.stdout == "The account of Ann is deleted. Backups made before still have it.\n"
    assert error_line(invoke("user", "delete", "ann", "--yes")) == "There is no member named ann."
    article = store.read(store.articles.queue_get, id)
    assert article
    assert (article.poster, article.is_listed) == ("[deleted]", not deletes)
    assert store.account_deletion.unfinished() == []
    assert log_entries(store) == [], "it would keep the name"
