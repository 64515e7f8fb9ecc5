"""The site that the calls of the scripts work on."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import prepared
from tests.store.examination import run
from tests.store.scripts.calls import DELETED
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


@pytest.fixture
def site(make_store: MakeStore, server_url: str) -> Store:
    """A site on which every script has something to do: see :func:`build_site`."""
    store = prepared(make_store(good_votes=1, vote_score=432.0), server_url, build_site)
    store.connection.load_scripts()
    return store


def build_site(store: Store) -> None:
    """Make a site on which every script has something to do.

    Four articles of ann's: 1 and 2 in "go", one reported, one voted for; 3 in "redis"; 4 removed from "go". Article 3
    has a conversation: 1 of ann's, its answer 2 of bob's, 3 of ann's that was removed, 4 of ann's with bob's vote. Eve
    is banned, zoe, who wrote a comment, is leaving, and bob has sessions of each kind. Mod and boss are moderator and
    admin. Articles 5 and 6
    have conversations too: 2 answers 1; 3 was removed together with 4, which is not yet hidden in that of article 6.
    Ann reported comment 1 of article 5; the conversation of article 6 is closed.
    """
    ann, bob, eve, zoe = (factories.user(store, name) for name in ("ann", "bob", "eve", "zoe"))
    factories.user(store, "mod", Role.MODERATOR)
    factories.user(store, "boss", Role.ADMIN)
    reported = factories.article(store, ann, groups=("go",))
    voted = factories.article(store, ann, groups=("go",))
    store.votes.cast(voted.id, bob)
    factories.article(store, ann, groups=("redis",))
    removed = factories.article(store, ann, groups=("go",))
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", about="ann", article=removed.id, why="spam"))
    store.reports.make(reported.id, bob, Reason.SPAM, "")
    held = {"title": "Held", "link": "https://a.example/", "poster": "ann", "time": "1700000000", "groups": "go"}
    run(store, "HSET", "article:20", "gone", "held", *(text for pair in held.items() for text in pair))
    run(store, "ZADD", "held-articles:", 1_700_000_000, "article:20")
    run(store, "ZADD", "gone:ann", 1_700_000_000, "article:20")
    run(store, "HSET", "site:", "signup", '{"value": "closed", "words": "", "by": "root", "time": "1"}')
    for domain, rule in (("ad.example", '{"action": "refuse", "why": "ads"}'), ("look.example", '{"action": "hold"}')):
        run(store, "HSET", "domain-rules:", domain, rule)
    run(store, "HSET", "notes:bob", "1", '{"by": "mod"}', "2", '{"by": "sue"}')
    store.bans.ban(eve.name, NewLogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    factories.group(store, "empty")
    store.groups.change("empty", "Empty", "", alias="nothing")
    groups = NewLogEntry(LogAction.GROUPS, "Mod", about="ann", article=1, title="A title")
    store.articles.set_groups(1, ["redis"], [], groups)
    store.articles.set_groups(1, [], ["redis"])
    store.account_deletion.start(zoe, delete_articles=False)
    store.users.make("Hal", "", network="", request="Please let me in.")
    run(store, "HSET", "user:fay", "id", "9", "name", "Fay", "role", "admin", "since", "1700000000.5")
    for name, parent in (("ann", 0), ("bob", 1), ("ann", 0), ("ann", 0)):
        factories.comment(store, 3, factories.user(store, name), parent=parent)
    store.votes.cast(CommentId(3, 4), bob)
    run(store, "HSET", "thread:3", "3", factories.stored_node(parent=0, state="r", author="ann"), "reason:3", "spam")
    run(store, "SETBIT", "hidden:3", 3, 1)
    run(store, "HINCRBY", "article:3", "comments", -1)
    run(store, "HSET", "seen:bob", 3, "1 2 1700000000 2")
    run(store, "HSET", "user:bob", "session", "session-1", "recovery", "key code-1 code-2")
    run(store, "HSET", "user:ann", "session", "session-1")
    run(store, "PERSIST", "voted:3")
    _add_conversations(store)
    run(store, "HSET", "article:7", "title", "without a time")
    run(store, "ZADD", "gone:dan", 1_700_000_000, "article:7")
    run(store, "HSET", "article:8", "title", "Answered", "gone", "removed", "answer", "Sorry.", "answered", "5")
    run(store, "ZADD", "answers:", 5, "article:8", 5, "article:3")
    began, week = int(time.time()) - 604_800, 604_800
    sessions = {
        "of": "session-1",
        "fresh": f"{began},{week - 60},,Firefox/Linux",
        "idle": f"{began},0,0,",
        "too old": f"{began - 5_000_000},0,0,",
    }
    run(store, "HSET", "sessions:bob", *(text for pair in sessions.items() for text in pair))
    run(store, "EXPIREAT", "sessions:bob", began + 5_000_000)
    run(store, "HSET", "thread:8", "2", "0 3 0 1700000000.000000 q Zoe", "last", "2", "rev", "2")
    run(store, "RPUSH", "commented:zoe", "8.2", "8.1")
    run(store, "HSET", "reported:zoe", "article:7", "{}", "article:8", "{}")
    entries = ["report log-3 1700000002", "mention 1.3 1700000000", "reply 1.2 1690000000", "reply 1.1 1680000000"]
    for key in ("inbox:bob", "unread:bob"):
        run(store, "RPUSH", key, *entries)
        run(store, "EXPIRE", key, 7_776_000)
    run(store, "SET", "limit:few-spent", "4000000000", "EX", 1_000)
    _spoil_conversation(store)


def _spoil_conversation(store: Store) -> None:
    """Store a conversation of article 12 in which every repair has something to do."""
    run(store, "HSET", "article:12", "title", "A title", "time", "1700000000")
    nodes = {1: "0 1 0 1700000001.000000 - fay", 2: DELETED, 3: "2 0 0 1700000003.000000 - bob"}
    fields = {"last": 2, "rev": 1, "closes": 4_000_000_000} | nodes
    run(store, "HSET", "thread:12", *(text for pair in fields.items() for text in pair))
    run(store, "HSET", "words:12", "2", "the words of a deleted comment")
    run(store, "SADD", "voted-comments:12-0", 0, "nonsense")
    run(store, "SADD", "voted-comments:12-1", "nonsense")
    run(store, "RPUSH", "inbox:fay", "reply 12.9 17", "reply 12.3 17")
    run(store, "RPUSH", "unread:fay", "reply 12.9 17")
    run(store, "HSET", "user:fay", "inbox-feed", "lost")
    run(store, "HSET", "comment-report:12.1", "bob", "{}")


def _add_conversations(store: Store) -> None:
    comments = [
        "0 0 0 1700000000.0 - bob",
        "1 0 0 1700000000.0 - ann",
        "0 0 0 1700000000.0 R ann",
        "3 0 0 1700000000.0 - bob",
    ]
    for id in (5, 6):
        assert factories.article(store, factories.user(store), link="").id == id
        run(
            store,
            "HSET",
            f"thread:{id}",
            "last",
            4,
            *(text for pair in enumerate(comments, 1) for text in map(str, pair)),
        )
    run(store, "HSET", "user:cid", "id", 20, "name", "cid")
    run(store, "RPUSH", "ordering:token", "3.1", "3.2", "3.3", "3.4")
    run(store, "HSET", "thread:5", "reason:3", "spam")
    run(store, "SETBIT", "hidden:5", 3, 1)
    run(store, "SETBIT", "hidden:5", 4, 1)
    store.reports.make(CommentId(5, 1), store.users.get("ann"), Reason.SPAM, "")
    run(store, "HSET", "thread:6", "closed", 1_700_000_000, "close-reason", "heated", "hiding", 4)
    run(store, "SADD", "removing:", 6)
    run(store, "SETBIT", "hidden:6", 3, 1)
