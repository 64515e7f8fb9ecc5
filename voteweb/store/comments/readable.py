"""Read, inside a guarded commit, the article or comment of an act for which everybody must be able to read it."""

from voteweb.core.comment_errors import CommentGone, NoSuchComment
from voteweb.core.comments import CommentId, Node
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.store.connection.commit import Attempt
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import finite_number


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
    (stored,) = attempt.read(("HGET", keys.thread(id.article), id.number))
    node = parse_node(id.number, stored or "")
    if node is None:
        raise NoSuchComment()
    above = read_above(attempt, keys, id.article, node)
    if node.status or any(each.removes_replies for each in above):
        raise CommentGone()
    return node


def read_above(attempt: Attempt, keys: Keys, article: int, node: Node) -> list[Node]:
    """Return the comments above *node*, from its parent up. Takes a round trip for each."""
    above: list[Node] = []
    below: Node | None = node
    # A parent has a lower number than its replies; damaged data end the walk.
    while below and 0 < below.parent < below.number:
        (stored,) = attempt.read(("HGET", keys.thread(article), below.parent))
        below = parse_node(below.parent, stored or "")
        above += [below] if below else []
    return above
