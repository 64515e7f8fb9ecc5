"""Scripts are loaded whenever the server does not know them."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import page_ids
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import Order, User
from voteweb.store import Store
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.connection import Connection


def test_scripts_that_the_server_forgot_are_loaded_again(store: Store, bob: User) -> None:
    run(store, "SCRIPT", "FLUSH")
    article = factories.article(store, groups=("go", "redis"))
    run(store, "SCRIPT", "FLUSH")
    assert page_ids(store, store.rankings.groups(["go", "redis"], Order.SCORE)) == [article.id]
    run(store, "SCRIPT", "FLUSH")
    assert store.imports.add([factories.story(), factories.story()]).count("imported") == 2
    store.votes.cast(article.id, bob)
    run(store, "SCRIPT", "FLUSH")
    with pytest.raises(AlreadyVoted):  # nothing ran at the first attempt
        store.votes.cast(article.id, bob)
    assert broken(store) == []


def test_what_ran_before_a_missing_script_is_not_repeated(store: Store) -> None:
    key = store.keys.ordering("list")
    script = guarded(store.keys, [("LLEN", key)], [1], [("RPUSH", key, "b")])
    run(store, "SCRIPT", "FLUSH")
    assert store.connection.run([("RPUSH", key, "a"), script, ("LLEN", key)]) == [1, ["done"], 2]


def test_a_server_restarted_while_scripts_load_gets_them_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    load, restarts = store.connection.load_scripts, iter([True])

    def load_and_restart(_: Connection) -> None:
        load()
        if next(restarts, False):
            run(store, "SCRIPT", "FLUSH")

    monkeypatch.setattr(Connection, "load_scripts", load_and_restart)
    run(store, "SCRIPT", "FLUSH")
    factories.group(store, "go")
    assert next(restarts, None) is None
    assert run(store, "SMEMBERS", "groups:") == {"go"}
