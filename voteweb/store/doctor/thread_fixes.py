"""The commands that repair conversations; see :mod:`voteweb.store.doctor.fixes` for what they answer."""

from collections.abc import Sequence

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.config import Settings
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys, comment_member
from voteweb.store.moderation_log import NOT_REMEMBERED
from voteweb.store.told import told_arguments


def thread(keys: Keys, settings: Settings, id: int, highest: int) -> Command:
    """Return the command that sets the last number, the revision and the end of a conversation.

    *highest* is the highest number of its comments.
    """
    return scripts.call(
        "repair_thread",
        [keys.article(id), keys.thread(id), keys.voted_comments(id, highest // config.VOTER_BLOCK)],
        [highest, config.MAX_COMMENTS, settings.commenting_seconds, config.VOTERS_GRACE_SECONDS],
    )


def comment(keys: Keys, id: CommentId, before: str, after: str) -> Command:
    """Return the command that stores a comment as *after*, unless it is not stored as *before* by now.

    The words of a deleted one go.
    """
    return scripts.call(
        "repair_comment",
        [keys.thread(id.article), keys.words(id.article), keys.changes()],
        [id.number, before, after, id.article],
    )


def hidden(keys: Keys, id: int, numbers: Sequence[int] = ()) -> Command:
    """Return the command that sets the bits of these comments, and the number of comments of their article."""
    return scripts.call(
        "repair_hidden", [keys.article(id), keys.thread(id), keys.hidden(id), keys.removing()], [id, *numbers]
    )


def voters(keys: Keys, id: int, block: int, strays: Sequence[str] = ()) -> Command:
    """Return the command that sets when the voters of a block expire, or that forgets them if some are lost.

    *strays* are members of the set that stand for no vote on a comment of the block.
    """
    return scripts.call(
        "repair_comment_voters",
        [keys.thread(id), keys.voted_comments(id, block)],
        [block, config.VOTERS_GRACE_SECONDS, *strays],
    )


def member_comment(keys: Keys, name: str, id: CommentId, before: str = "") -> Command:
    """Return the command that puts a comment into the list of its author, or takes it out of that of another.

    *before* is the comment in front of which it belongs; empty: to the end.
    """
    return scripts.call(
        "repair_listed_comment", [keys.commented(name), keys.thread(id.article)], [name, str(id), id.number, before]
    )


def newest_comment(keys: Keys, id: CommentId) -> Command:
    """Return the command that leaves a comment once among the site's newest."""
    return scripts.call(
        "repair_listed_comment", [keys.comments(), keys.thread(id.article)], ["", str(id), id.number, ""]
    )


def inbox(keys: Keys, name: str, strays: Sequence[str]) -> Command:
    """Return the command that takes *strays* out of an inbox, and makes it agree with what is unread."""
    return scripts.call(
        "repair_inbox",
        [keys.inbox(name), keys.unread(name)],
        [config.INBOX_SIZE, *strays],
    )


def reports(keys: Keys, id: CommentId) -> Command:
    """Return the command that makes the queue of reports agree with the open reports of a comment."""
    return scripts.call(
        "repair_comment_reports",
        [keys.thread(id.article), keys.reports(), keys.comment_report(*id)],
        [*NOT_REMEMBERED.arguments, comment_member(*id), id.number, "", *told_arguments(keys, "").arguments],
    )


def lost_feed(keys: Keys, user_key: str, field: str, feed_key: str, digest: str) -> Command:
    """Return the command that takes the address of a feed, which does not lead to the member, off the member."""
    return scripts.call("repair_secret_feed", [user_key, feed_key], [digest, keys.split(user_key)[1], field])
