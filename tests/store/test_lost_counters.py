"""Ids that are given out twice, because a failover lost their counter."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import logged_act
from voteweb.core.errors import NameTaken
from voteweb.core.models import LogAction
from voteweb.store import Store


def test_articles_and_stories_with_used_ids_take_the_next(store: Store) -> None:
    first = factories.article(store)
    run(store, "SET", "article:", 0)
    assert factories.article(store).id == 2
    run(store, "SET", "article:", 0)
    assert store.imports.add([factories.story() for _ in range(3)]).count("imported") == 3
    assert store.articles.get(first.id) == first
    assert run(store, "ZCARD", "time:") == 5
    assert broken(store) == []


def test_members_get_distinct_ids_and_sessions_and_refusals_none(store: Store) -> None:
    members = [factories.user(store, name) for name in ("ann", "bob", "cid")]
    ids = {member.id for member in members}
    assert len({member.session for member in members}) == 3
    store.imports.add([factories.story(poster="dan"), factories.story(poster="eve")])
    assert ids | {store.users.get("dan").id, store.users.get("eve").id} == {1, 2, 3, 4, 5}
    with pytest.raises(NameTaken):
        store.users.make("Ann", "")
    assert factories.user(store, "fay").id == 6  # the refusal used no id


def test_acts_that_a_failover_lost_leave_no_trace(store: Store) -> None:
    factories.article(store)
    factories.remove(store, by="Mod")
    factories.restore(store, by="Mod")
    for key in ("log-entries:", "log:", "log-by:mod", "log-about:ann"):
        run(store, "RPOP", key)
    for key in ("inbox:ann", "unread:ann"):
        run(store, "LPOP", key)
    run(store, "DEL", "log-kind:restore", "log-kind:restore+mod")
    assert broken(store) == []
    factories.remove(store, by="Sue")
    logged = logged_act(store, 2)
    assert (logged.who, logged.kind) == ("Sue", LogAction.REMOVE)
    assert broken(store) == []
