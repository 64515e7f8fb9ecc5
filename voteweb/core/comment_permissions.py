"""Permissions in conversations: one predicate for each act, used by views and templates alike.

*now* is a unix time in seconds; a *user* of None is a reader.
"""

from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.core.config import Settings
from voteweb.core.models import Article, User, VotingState
from voteweb.core.names import name_key
from voteweb.core.permissions import may_moderate


def closing_time(article: Article, thread: Thread, settings: Settings) -> int:
    """Return the unix time at which writing and voting end: as stored with the first comment."""
    return thread.closes if thread.closes is not None else int(article.time + settings.commenting_seconds)


def is_open(article: Article, thread: Thread, now: float, settings: Settings) -> bool:
    """Tell whether comments can be written and voted on."""
    return article.is_listed and not thread.closed and now < closing_time(article, thread, settings)


def is_author(user: User | None, node: Node) -> bool:
    """Tell whether *user* wrote the comment; names are compared without case."""
    return user is not None and bool(node.author) and name_key(user.name) == name_key(node.author)


def comment_voting_state(user: User | None, node: Node, *, is_open: bool) -> VotingState:
    """Return whether *user* can vote for a comment of a conversation that *is_open*; for a reader that is OPEN."""
    if not is_open or node.status is not CommentStatus.VISIBLE:
        return VotingState.CLOSED
    if user is not None and user.held:
        return VotingState.HELD
    return VotingState.OWN if is_author(user, node) else VotingState.OPEN


def may_read_comment(user: User | None, node: Node, *, is_covered: bool) -> bool:
    """Tell whether *user* may read the words: of a removed comment, only its author and moderators may.

    *is_covered*: a comment above was removed together with its replies.
    """
    if node.status is CommentStatus.DELETED:
        return False
    is_visible = node.status is CommentStatus.VISIBLE and not is_covered
    return is_visible or may_moderate(user) or is_author(user, node)


def may_edit_comment(user: User | None, node: Node, now: float, settings: Settings) -> bool:
    """Tell whether *user* may edit the comment: its author may for VOTEWEB_EDIT_SECONDS, and nobody else ever."""
    return is_author(user, node) and node.status is CommentStatus.VISIBLE and now < node.time + settings.edit_seconds


def may_delete_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may delete the comment: its author may at any time, unless it was removed."""
    return is_author(user, node) and node.status is CommentStatus.VISIBLE


def may_remove_comment(user: User | None, node: Node) -> bool:
    return may_moderate(user) and node.status is CommentStatus.VISIBLE


def may_restore_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may restore the comment, or what was removed with it: its author may have left since."""
    return may_moderate(user) and (node.status is CommentStatus.REMOVED or node.removes_replies)


def may_report_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may report the comment: any member who is let in, but its author."""
    return user is not None and not user.held and node.status is CommentStatus.VISIBLE and not is_author(user, node)
