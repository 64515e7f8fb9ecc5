"""Conversations that are written past the store, such as no form writes them."""

import time
from collections.abc import Mapping, Sequence

from tests.store.examination import run
from voteweb.core import config
from voteweb.core.comments import CommentStatus, Node
from voteweb.store import Store
from voteweb.store.nodes import format_node


def store_thread(store: Store, article: int, nodes: Sequence[Node], voters: Mapping[int, Sequence[int]]) -> None:
    """Store a conversation of *nodes*; *voters* are the ids of members by the number of the comment they voted for."""
    closes = int(time.time()) + 86_400
    key, last = f"thread:{article}", max(node.number for node in nodes)
    run(store, "HSET", key, "last", last, "rev", 1, "closes", closes)
    hidden = _hidden(nodes)
    run(store, "HSET", f"article:{article}", "comments", len(nodes) - len(hidden))
    for number in hidden:
        run(store, "SETBIT", f"hidden:{article}", number, 1)
    for node in nodes:
        run(store, "HSET", key, node.number, format_node(node))
        run(store, "LPUSH", "comments:", f"{article}.{node.number}")
        if node.status is not CommentStatus.DELETED:
            run(store, "HSET", f"words:{article}", node.number, f"Words of comment {node.number}.")
            run(store, "LPUSH", f"commented:{node.author}", f"{article}.{node.number}")
        voted = f"voted-comments:{article}-{node.number // config.VOTER_BLOCK}"
        run(store, "SADD", voted, 0, *(node.number * 2**32 + voter for voter in voters.get(node.number, ())))
        run(store, "EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS)


def _hidden(nodes: Sequence[Node]) -> set[int]:
    """Return the numbers of the comments that nobody can read."""
    covering = {node.number for node in nodes if node.removes_replies}
    for node in nodes:
        if node.parent in covering:
            covering.add(node.number)
    return covering | {node.number for node in nodes if node.status is not CommentStatus.VISIBLE}
