"""The connection cut between request and answer: the action is carried out once, and answered as done."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.pausable_proxy import pausable_proxy
from tests.store.examination import broken
from voteweb.core.comments import CommentId, Thread
from voteweb.core.models import LogAction, Reason, User
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


class Action(NamedTuple):
    """An action of bob's, the script that carries it out, and what it returns."""

    script: str
    act: Callable[[Store, User], Any]
    result: Any


REMOVAL = NewLogEntry(LogAction.REMOVE, "bob", article=1, why="spam")
OWN, VOTED = CommentId(2, 1), CommentId(2, 2)


def write_comment(store: Store, bob: User) -> CommentId:
    return store.comments.write(store.articles.get(1), Thread(1), 0, "Yes.", bob, "form-0001")


#: Article 1 is ann's; bob has voted for article 2, and for its comment 2; comment 1 is his own.
ACTIONS = [
    Action("cast_vote", lambda store, bob: store.votes.cast(1, bob), 2),
    Action("cast_vote", lambda store, bob: store.votes.take_back(2, bob), 1),
    Action("post_article", lambda store, bob: store.articles.post(factories.draft(link=""), bob, "form-0001"), 3),
    Action("write_comment", write_comment, CommentId(1, 1)),
    Action("vote_comment", lambda store, bob: store.votes.cast(CommentId(2, 3), bob), 1),
    Action("vote_comment", lambda store, bob: store.votes.take_back(VOTED, bob), 0),
    Action("commit", lambda store, bob: store.removals.delete(OWN, bob), None),
    Action("commit", lambda store, bob: store.articles.set_groups(1, ["go"], []), ("go",)),
    Action("commit", lambda store, bob: store.reports.make(1, bob, Reason.SPAM, ""), None),
    Action("commit", lambda store, _: store.passwords.use_link(store.passwords.make_link("bob"), "new hash"), "bob"),
    Action("commit", lambda store, bob: store.users.make("cid", "").name, "cid"),
    Action("commit", lambda store, bob: store.removals.remove(1, REMOVAL), None),
]


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A group, two articles of ann's, bob's vote for the second, and its comments: bob's, and two of ann's."""
    store = make_store()
    factories.group(store, "go")
    for _ in range(2):
        factories.article(store)
    bob = factories.user(store, "bob")
    store.votes.cast(2, bob)
    for author in (bob, None, None):
        factories.comment(store, 2, author)
    store.votes.cast(VOTED, bob)
    return store


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.script)
def test_an_action_whose_answer_is_lost_is_done_once(
    action: Action, site: Store, make_store: MakeStore, settings: Settings
) -> None:
    bob = site.users.get("bob")
    with pausable_proxy(settings.redis_url.removeprefix("unix://"), action.script) as proxy:
        proxy.answers_to_lose = 1
        assert action.act(make_store(redis_url=proxy.url), bob) == action.result
        assert proxy.lost_answers == 1
    assert broken(site) == []
