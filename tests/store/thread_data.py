"""Write conversations straight into the database, as the scripts would have."""

import time
from collections.abc import Iterable
from typing import Any

from tests.store.examination import run
from voteweb.core.comments import CommentStatus, Node
from voteweb.store import Store
from voteweb.store.schema.nodes import format_node


def node(number: int, parent: int = 0, author: str = "bob", **changes: Any) -> Node:
    """Return a comment; by default nobody has voted for it."""
    fields: dict[str, Any] = {"votes": 0, "base": 0, "time": float(int(time.time()))} | changes
    return Node(number=number, parent=parent, author=author, **fields)


def write_thread(store: Store, article_id: int, nodes: Iterable[Node]) -> None:
    """Write comments that say "Comment <number>", and what goes with them; each one counts up the revision."""
    thread, words, hidden = f"thread:{article_id}", f"words:{article_id}", f"hidden:{article_id}"
    for comment in nodes:
        run(store, "HSET", thread, comment.number, format_node(comment))
        run(store, "HSET", thread, "last", max(comment.number, int(run(store, "HGET", thread, "last") or 0)))
        run(store, "HINCRBY", thread, "rev", 1)
        if comment.status is CommentStatus.DELETED:
            run(store, "HDEL", words, comment.number)
        else:
            run(store, "HSET", words, comment.number, f"Comment {comment.number}")
        is_hidden = comment.status is not CommentStatus.VISIBLE
        run(store, "SETBIT", hidden, comment.number, int(is_hidden))
        run(store, "HINCRBY", f"article:{article_id}", "comments", int(not is_hidden))
        if comment.author:
            run(store, "LREM", f"commented:{comment.author.lower()}", 0, f"{article_id}.{comment.number}")
            run(store, "LPUSH", f"commented:{comment.author.lower()}", f"{article_id}.{comment.number}")
        run(store, "LREM", "comments:", 0, f"{article_id}.{comment.number}")
        run(store, "LPUSH", "comments:", f"{article_id}.{comment.number}")
