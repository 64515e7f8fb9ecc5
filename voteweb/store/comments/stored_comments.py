"""Comments inside a guarded commit: read as they are stored, changed, and shown or hidden.

An act of a member needs that everybody can read what it is about, see :func:`read_time` and :func:`read_comment`.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from voteweb.core import config
from voteweb.core.comment_errors import CommentGone, NoSuchComment
from voteweb.core.comment_tree import climb
from voteweb.core.comments import CommentId, CommentStatus, Node, Thread
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import VOTER_FACTOR, change_state, next_revision, parse_node
from voteweb.store.schema.values import finite_number, is_member_id
from voteweb.store.site.changes import record_change


def read_time(attempt: Attempt, keys: Keys, article_id: int) -> float:
    """Return when a listed article was posted; raise NoSuchArticle, ArticleGone."""
    ((title, stored, gone),) = attempt.read(("HMGET", keys.article(article_id), "title", "time", "gone"))
    time = finite_number(stored)
    if title is None or time is None:
        raise NoSuchArticle()
    if gone is not None:
        raise ArticleGone()
    return time


def read_comment(attempt: Attempt, keys: Keys, id: CommentId) -> tuple[Node, str]:
    """Return a comment, and what is stored of it; raise NoSuchComment, CommentGone if nobody can read it.

    Takes a round trip for each level.
    """
    node, stored = StoredComment(attempt, keys, id).read()
    if node.status or is_covered(attempt, keys, id.article, node):
        raise CommentGone()
    return node, stored


def is_covered(attempt: Attempt, keys: Keys, article: int, node: Node | None) -> bool:
    """Tell whether a comment above *node* was removed with its replies. Takes a round trip for each level."""
    # A parent has a lower number than its replies; damaged data end the walk.
    while node and 0 < node.parent < node.number:
        (stored,) = attempt.read(("HGET", keys.thread(article), node.parent))
        node = parse_node(node.parent, stored or "")
        if node and node.removes_replies:
            return True
    return False


def hidden_numbers(thread: Thread) -> set[int]:
    """Return the numbers that were given out and whose comments nobody can read any more, or that have lost theirs."""
    *_, covered = climb(thread.nodes)
    known = thread.last if thread.last <= config.MAX_COMMENTS else 0
    last = min(max([known, *thread.nodes]), config.MAX_COMMENTS)
    readable = {number for number, node in thread.nodes.items() if node.status is CommentStatus.VISIBLE} - covered
    return set(range(1, last + 1)) - readable


def hidden_writes(keys: Keys, article: int, numbers: Collection[int]) -> list[Command]:
    """Return the writes that set the bits of the comments with these *numbers*, and no others."""
    key, bits = keys.hidden(article), bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        bits[number // 8] |= 0x80 >> number % 8
    sets = [part for at, byte in enumerate(bits) for part in ("SET", "u8", f"#{at}", byte)]
    return [("UNLINK", key), *([("BITFIELD", key, *sets)] if numbers else [])]


def is_vote(voter: str) -> bool:
    """Tell whether a member of ``voted-comments:`` stands for a vote."""
    return is_member_id(voter) and int(voter) % VOTER_FACTOR > 0


def count_votes(sets: Iterable[Iterable[str]]) -> Counter[int]:
    """Return how many votes the members of these *sets* of ``voted-comments:`` are, by the number of the comment."""
    return Counter(int(voter) // VOTER_FACTOR for voters in sets for voter in voters if is_vote(voter))


def is_author(node: Node, name: str) -> bool:
    """Tell whether the member *name* wrote a comment."""
    return bool(node.author) and name_key(node.author) == name_key(name)


@dataclass(frozen=True)
class StoredComment:
    """A comment, and the writes to it, each by what the attempt reads for it."""

    attempt: Attempt
    keys: Keys
    id: CommentId

    @property
    def thread_key(self) -> str:
        """The key of the comment's conversation."""
        return self.keys.thread(self.id.article)

    def read(self) -> tuple[Node, str]:
        """Return the comment, and what is stored of it; raise NoSuchComment."""
        (stored,) = self.attempt.read(("HGET", self.thread_key, self.id.number))
        node = parse_node(self.id.number, stored or "")
        if node is None:
            raise NoSuchComment()
        return node, stored

    def store(self, stored: str, *, with_replies: bool = False) -> list[Command]:
        """Store this of the comment: the conversation has another revision then, and the comment is searched anew.

        *with_replies*: what is below it is shown or hidden, too; that is done in steps after the commit, see
        Removals.finish.
        """
        (revision,) = self.attempt.read(("HGET", self.thread_key, "rev"))
        revised = next_revision(revision, self.attempt.now)
        written: Command = ("HSET", self.thread_key, self.id.number, stored, "rev", revised)
        if not with_replies:
            return [written, record_change(self.keys, "c", str(self.id))]
        return [written, *self._begin_hiding(), record_change(self.keys, "t", self.id.article)]

    def set_state(self, stored: str, *, put: str = "", take: str = "", with_replies: bool = False) -> list[Command]:
        """Put letters into the state of a comment and take others out; *with_replies* as for :meth:`store`."""
        return self.store(change_state(stored, put=put, take=take), with_replies=with_replies)

    def set_hidden(self, is_hidden: bool) -> list[Command]:
        """Note whether anybody can read the comment, in its bit and in the number of comments of its article."""
        hidden, article = self.keys.hidden(self.id.article), self.keys.article(self.id.article)
        before, exists = self.attempt.read(("GETBIT", hidden, self.id.number), ("EXISTS", article))
        if bool(before) == is_hidden:
            return []
        counted: list[Command] = [("HINCRBY", article, "comments", -1 if is_hidden else 1)] if exists else []
        return [("SETBIT", hidden, self.id.number, int(is_hidden)), *counted]

    def _begin_hiding(self) -> list[Command]:
        """Note that the bits from the next number on may disagree with the conversation: hide_replies compares them.

        While the article stands in ``removing:``, the field ``hiding`` is the lowest such number.
        """
        article, first = self.id.article, self.id.number + 1
        (hiding, last), is_removing = self.attempt.read(
            ("HMGET", self.thread_key, "hiding", "last"), ("SISMEMBER", self.keys.removing(), article)
        )
        if first > _number(last):
            return []
        is_lowest = not is_removing or first < _number(hiding)
        note: list[Command] = [("HSET", self.thread_key, "hiding", first)] if is_lowest else []
        return [*note, ("SADD", self.keys.removing(), article)]


def _number(stored: str | None) -> int:
    return int(stored) if stored and stored.isascii() and stored.isdecimal() else 0
