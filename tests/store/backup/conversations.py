"""Conversations on the sites that are backed up."""

import json
import time
from typing import Any

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from voteweb.core.comments import CommentStatus
from voteweb.core.config import INBOX_SECONDS, VISITED_SECONDS, VOTER_BLOCK, VOTERS_GRACE_SECONDS
from voteweb.core.models import Article
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.schema.nodes import VOTER_FACTOR

#: A comment of every kind: a deleted one with a reply, one removed with its replies, one that is quiet and edited.
STORY: list[dict[str, Any]] = [
    {"parent": 0, "author": "Ann", "votes": 2, "base": 1},
    {"parent": 1, "author": "", "status": CommentStatus.DELETED},
    {"parent": 2, "author": "bob", "is_quiet": True, "is_edited": True},
    {"parent": 0, "author": "bob", "status": CommentStatus.REMOVED, "removes_replies": True, "is_quiet": True},
    {"parent": 4, "author": "Ann"},
    {"parent": 5, "author": "bob", "status": CommentStatus.REMOVED},
    {"parent": 0, "author": "[deleted]"},
]


def converse(store: Store, article: Article, voter: int) -> None:
    """Store a conversation of more than a block below *article*, in which the member *voter* has voted once."""
    id, now = article.id, time.time()
    nodes = [node(at, time=round(now + at / 1e6, 6), **fields) for at, fields in enumerate(STORY, 1)]
    nodes += [node(at, time=round(now + at / 1e6, 6)) for at in range(len(nodes) + 1, VOTER_BLOCK + 5)]
    write_thread(store, id, nodes)
    run(store, "SETBIT", f"hidden:{id}", 5, 1)
    run(store, "HINCRBY", f"article:{id}", "comments", -1)
    run(store, "LREM", "commented:[deleted]", 0, f"{id}.7")
    closes = int(article.time) + 14 * 86_400
    run(store, "HSET", f"thread:{id}", "closes", closes, "reason:4", "spam", "reason:6", "rude", "quiet", "1")
    run(store, "HSET", f"thread:{id}", "closed", f"{now:.6f}", "close-reason", "too hot")
    for block in range(2):
        run(store, "SADD", f"voted-comments:{id}-{block}", 0)
        run(store, "EXPIREAT", f"voted-comments:{id}-{block}", closes + VOTERS_GRACE_SECONDS)
    run(store, "SADD", f"voted-comments:{id}-0", 1 * VOTER_FACTOR + voter)
    report = {"by": "Ann", "reason": "spam", "note": "", "time": now}
    run(store, "HSET", f"comment-report:{id}.3", "ann", json.dumps(report))
    run(store, "ZADD", "reports:", now, f"comment:{id}.3")
    run(store, "SADD", "reported-comments:ann", f"{id}.3", f"{id}.4")
    entries = [f"reply {id}.3 {now:.0f}", f"article {id}.1 {now:.0f}", f"report log-1 {now:.0f}"]
    run(store, "RPUSH", "inbox:ann", *entries)
    run(store, "RPUSH", "unread:ann", *entries[1:])
    for key in ("inbox:ann", "unread:ann"):
        run(store, "PEXPIREAT", key, int(now * 1000) + INBOX_SECONDS * 1000)
    run(store, "HSET", "seen:ann", id, f"1 5 {now:.6f} 7,8")
    run(store, "EXPIRE", "seen:ann", VISITED_SECONDS)
    ann = store.users.get("ann")
    store.feeds.renew(SecretFeed.INBOX, ann)
    store.feeds.renew(SecretFeed.SAVED, ann)
    factories.choices(store, ann, group="编程", hidden="bob", article=id)
    run(store, "SET", f"once:{voter}-comment-token", f"comment:{id}.1", "EX", 86_400)
