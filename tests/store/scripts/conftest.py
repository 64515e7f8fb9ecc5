"""The site that the calls of the scripts work on."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import prepared
from tests.store.examination import run
from voteweb.core.comments import CommentId
from voteweb.core.models import Role
from voteweb.store import Store


@pytest.fixture
def site(make_store: MakeStore, server_url: str) -> Store:
    """A site on which every script has something to do: see :func:`build_site`."""
    store = prepared(make_store(good_votes=1, vote_score=432.0), server_url, build_site)
    store.connection.load_scripts()
    return store


def build_site(store: Store) -> None:
    """Make a site on which every script has something to do.

    Three articles of ann's: 1 and 2 in "go", the second voted for by bob; 3 in "redis". Article 3 has a conversation:
    1 of ann's, its answer 2 of bob's, 3 of ann's that was removed, 4 of ann's with bob's vote. Eve is banned, mod is a
    moderator, and bob has sessions of each kind.
    """
    ann, bob, eve, _ = (factories.user(store, name) for name in ("ann", "bob", "eve", "zoe"))
    factories.user(store, "mod", Role.MODERATOR)
    for group in ("go", "go", "redis"):
        factories.article(store, ann, groups=(group,))
    store.votes.cast(2, bob)
    for domain, rule in (("ad.example", '{"action": "refuse", "why": "ads"}'), ("look.example", '{"action": "hold"}')):
        run(store, "HSET", "domain-rules:", domain, rule)
    factories.ban(store, eve.name)
    for author, parent in ((ann, 0), (bob, 1), (ann, 0), (ann, 0)):
        factories.comment(store, 3, author, parent=parent)
    store.votes.cast(CommentId(3, 4), bob)
    run(store, "HSET", "thread:3", "3", factories.stored_node(parent=0, state="r", author="ann"), "reason:3", "spam")
    run(store, "SETBIT", "hidden:3", 3, 1)
    run(store, "HINCRBY", "article:3", "comments", -1)
    run(store, "HSET", "seen:bob", 3, "1 2 1700000000 2")
    for name in ("ann", "bob"):
        run(store, "HSET", f"user:{name}", "session", "session-1", "ban-removal", "7 removing - - votes")
    began, week = int(time.time()) - 604_800, 604_800
    sessions = {
        "of": "session-1",
        "fresh": f"{began},{week - 60},,Firefox/Linux",
        "idle": f"{began},0,0,",
        "too old": f"{began - 5_000_000},0,0,",
    }
    run(store, "HSET", "sessions:bob", *(text for pair in sessions.items() for text in pair))
    run(store, "EXPIREAT", "sessions:bob", began + 5_000_000)
    run(store, "SET", "limit:few-spent", "4000000000", "EX", 1_000)
