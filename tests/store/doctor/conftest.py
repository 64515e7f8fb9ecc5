"""The site that the doctor examines."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import prepared
from tests.store.conversations import store_damageable
from tests.store.examination import run
from voteweb.core.models import LogAction, LogEntry, Reason, Role
from voteweb.store import Store


@pytest.fixture
def site(make_store: MakeStore, server_url: str) -> Store:
    """A site on which everything has happened, in few articles: see :func:`build_site`."""
    return prepared(make_store(good_votes=3, vote_score=432.0), server_url, build_site)


def build_site(store: Store) -> None:
    """Make a site on which everything has happened, in few articles.

    Of ann and bob: 1 in "go" and reported, 2 in "java" and good, 3 closed and without a group; 4 of ann's was
    removed from "go", 5 deleted. In the log: 1 removing, 2 banning eve, 3 removing and 4 restoring article 1. Bob
    made two invitations, of which dan used one; hal waits to be let in; zoe's account is being deleted.

    Article 2 has a conversation: 1 by ann; 2 by bob, a reply to it and reported; 3 by ann, a reply to that and removed;
    4 deleted; 5 by bob, a reply to it; 6 by ann, removed with its reply 7 by bob; 8 by ann. In ann's inbox are the
    reply, and what became of her article; bob has seen comment 5, and has a feed of his inbox.
    """
    ann, bob, zoe = (factories.user(store, name) for name in ("ann", "bob", "zoe"))
    first = factories.article(store, ann, groups=("go",), link="https://go.example/")
    good = factories.article(store, bob, groups=("java",), link="https://java.example/")
    for voter in factories.users(store, 2):
        store.votes.cast(good.id, voter)
    factories.imported(store, poster="ann", votes=2, link="")
    removed = factories.article(store, ann, groups=("go",), link="https://gone.example/")
    store.removals.remove(removed.id, LogEntry(LogAction.REMOVE, "Mod", about="ann", article=removed.id, why="spam"))
    store.removals.delete(factories.article(store, ann, link="https://gone.example/").id, ann)
    factories.user(store, "eve")
    store.bans.ban("eve", LogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    store.removals.remove(first.id, LogEntry(LogAction.REMOVE, "Mod", article=first.id, why="by mistake"))
    store.removals.restore(first.id, LogEntry(LogAction.RESTORE, "Mod", article=first.id, undoes=3))
    store.reports.make(first.id, bob, Reason.SPAM, "")
    run(store, "HSET", "invite:open", "by", "bob", "until", "4000000000")
    run(store, "HSET", "invite:used", "by", "bob", "until", "4000000001", "used", "dan")
    run(store, "ZADD", "invites:bob", 4_000_000_000, "invite:open", 4_000_000_001, "invite:used")
    store.users.make("dan", "")
    run(store, "HSET", "user:dan", "invited-by", "bob")
    run(store, "INCR", "user:")  # 8, the id of nobody
    run(store, "SET", "reset:digest", "bob e3b0c44298fc1c14", "EX", 3_600)
    store.users.make("boss", "", Role.ADMIN)
    store.users.make("barred", "", Role.ADMIN)
    store.bans.ban("barred", LogEntry(LogAction.BAN, "Mod", about="barred", why="spam"))
    store.notes.add("bob", "A note.", store.users.get("boss"))
    store.users.make("hal", "", network="", request="Please let me in.")
    store.sessions.open(bob, "a-token")
    store.account_deletion.start(zoe, delete_articles=False)
    store_damageable(store, good.id, ann, bob)
