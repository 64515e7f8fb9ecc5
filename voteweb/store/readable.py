"""Read, inside a guarded commit, the article or comment of an act for which everybody must be able to read it."""

from voteweb.core.comment_errors import CommentGone, NoSuchComment
from voteweb.core.comments import CommentId, Node
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.store.commit import Attempt
from voteweb.store.keys import Keys
from voteweb.store.nodes import parse_node
from voteweb.store.numbers import finite_number


def read_time(attempt: Attempt, keys: Keys, article_id: int) -> float:
    """Return when a listed article was posted; raise NoSuchArticle, ArticleGone."""
    ((title, stored, gone),) = attempt.read(("HMGET", keys.article(article_id), "title", "time", "gone"))
    time = finite_number(stored)
    if title is None or time is None:
        raise NoSuchArticle()
    if gone is not None:
        raise ArticleGone()
    return time


def read_comment(attempt: Attempt, keys: Keys, id: CommentId) -> Node:
    """Return a comment; raise NoSuchComment, CommentGone if nobody can read it. Takes a round trip for each level."""
    levels: list[Node] = []
    number = id.number
    while number:
        (stored,) = attempt.read(("HGET", keys.thread(id.article), number))
        node = parse_node(number, stored or "")
        if node is None:
            break
        levels.append(node)
        # A parent has a lower number than its replies; damaged data end the walk.
        number = node.parent if node.parent < number else 0
    if not levels:
        raise NoSuchComment()
    if levels[0].status or any(node.removes_replies for node in levels):
        raise CommentGone()
    return levels[0]
