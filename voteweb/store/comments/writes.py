"""Change a comment inside a guarded commit: what is stored of it, and whether anybody can read it."""

from dataclasses import dataclass

from voteweb.core.comment_errors import NoSuchComment
from voteweb.core.comments import CommentId, Node
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import REASON, change_state, next_revision, parse_node
from voteweb.store.site.changes import record_change


@dataclass(frozen=True)
class CommentWrites:
    """The writes to one comment, each by what the attempt reads for it."""

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

    def store(self, stored: str) -> list[Command]:
        """Store this of the comment: the conversation has another revision then, and the comment is searched anew."""
        return [*self.write(stored), record_change(self.keys, "c", str(self.id))]

    def write(self, stored: str) -> list[Command]:
        """Store this of the comment, which gives the conversation another revision."""
        (revision,) = self.attempt.read(("HGET", self.thread_key, "rev"))
        return [("HSET", self.thread_key, self.id.number, stored, "rev", next_revision(revision, self.attempt.now))]

    def set_state(self, stored: str, *, put: str = "", take: str = "", with_replies: bool = False) -> list[Command]:
        """Put letters into the state of a comment and take others out; *with_replies*: what is below it changes, too.

        The bits and the count of what is below are compared in steps after the commit: see CommentRemovals.finish.
        """
        written = self.write(change_state(stored, put=put, take=take))
        if not with_replies:
            return [*written, record_change(self.keys, "c", str(self.id))]
        return [*written, *self._begin_hiding(), record_change(self.keys, "t", self.id.article)]

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


def reason_field(number: int) -> str:
    """Return the field of a conversation with the reason for which a comment was removed."""
    return f"{REASON}{number}"


def removed_by_field(number: int) -> str:
    """Return the field with the log id of the ban that removed a comment."""
    return f"removed-by:{number}"


def _number(stored: str | None) -> int:
    return int(stored) if stored and stored.isascii() and stored.isdecimal() else 0
