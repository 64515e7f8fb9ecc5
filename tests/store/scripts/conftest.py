"""The site that the calls of the scripts work on."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import run
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site on which every script has something to do.

    Four articles of ann's: 1 and 2 in "go", one reported, one voted for; 3 in "redis"; 4 removed from "go". Eve is
    banned, zoe's account is being deleted, and bob has an open invitation and a reset link.
    """
    store = make_store(good_votes=1, vote_score=432.0)
    ann, bob, eve, zoe = (factories.user(store, name) for name in ("ann", "bob", "eve", "zoe"))
    reported = factories.article(store, ann, groups=("go",))
    voted = factories.article(store, ann, groups=("go",))
    store.votes.cast(voted.id, bob)
    factories.article(store, ann, groups=("redis",))
    removed = factories.article(store, ann, groups=("go",))
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", about="ann", article=removed.id, why="spam"))
    store.reports.make(reported.id, bob, Reason.SPAM, "")
    store.users.ban(eve.name, NewLogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    store.account_deletion.start(zoe, delete_articles=False)
    run(store, "HSET", "invite:open", "by", "bob", "until", "4000000000")
    run(store, "HSET", "user:bob", "session", "session-1")
    run(store, "SET", "reset:digest", "bob")
    run(store, "SET", "limit:few-spent", "4000000000", "EX", 1_000)
    store.connection.load_scripts()
    return store
