"""The values of conversations: comments, threads, what a member finds in the inbox."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from voteweb.core.config import MAX_COMMENTS
from voteweb.core.models import Article, LogEntry, OpenReports


class CommentId(NamedTuple):
    """The address of a comment: its article's id and its number within the article, from 1."""

    article: int
    number: int

    def __str__(self) -> str:
        return f"{self.article}.{self.number}"


class CommentStatus(StrEnum):
    """Whether a comment can be read, was deleted by its author, or was removed by a moderator."""

    VISIBLE = ""
    DELETED = "deleted"
    REMOVED = "removed"


class CommentOrder(StrEnum):
    """The orders of siblings: ``score``, the highest first; ``time``, the oldest first; ``new``, the newest first."""

    SCORE = "score"
    TIME = "time"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Node:
    """A comment without its words, as ``thread:<id>`` holds it: all that its place is computed from.

    ``parent`` is the number of the comment that it answers, 0 for none; ``base`` are votes without a voter, such as
    imported ones; ``time`` is in unix seconds; ``author`` is the name as written, "" once deleted.
    ``removes_replies``: it was removed together with everything below it. ``is_quiet``: its author wants no notice of
    replies to it. ``named`` notes the members in its words: letters of :func:`voteweb.core.mentions.encode`.
    ``by_program``: a program wrote or edited it.
    """

    number: int
    parent: int
    votes: int
    base: int
    time: float
    author: str
    status: CommentStatus = CommentStatus.VISIBLE
    removes_replies: bool = False
    is_quiet: bool = False
    is_edited: bool = False
    named: str = ""
    by_program: bool = False

    @property
    def is_visible(self) -> bool:
        return self.status is CommentStatus.VISIBLE

    @property
    def is_deleted(self) -> bool:
        return self.status is CommentStatus.DELETED


@dataclass(frozen=True, slots=True)
class Thread:
    """The conversation of one article, without the words: all its comments by number.

    ``revision`` changes with every change of the thread; ``last`` is the highest number given out. ``closes`` is the
    stored unix time at which writing and voting end, None before the first comment: ask
    :func:`voteweb.core.permissions.closing_time`. ``closed`` is the unix time at which a moderator closed it, 0
    if it is open. ``reasons`` are those of removals, by number. ``is_quiet``: the poster of the article wants no
    notice of comments.
    """

    article: int
    revision: int = 0
    last: int = 0
    closes: int | None = None
    closed: float = 0.0
    close_reason: str = ""
    is_quiet: bool = False
    nodes: dict[int, Node] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)


class ListedComment(NamedTuple):
    """A comment in a list outside its conversation, with what one needs to understand it.

    ``title`` and ``poster`` are the article's; ``answers`` is the author of the comment that it answers, "" for none.
    """

    id: CommentId
    node: Node
    text: str
    title: str
    poster: str
    answers: str = ""


class Reported(NamedTuple):
    """An article or a comment with open reports, as the moderators' queue shows it."""

    reports: OpenReports
    article: Article | None = None
    comment: ListedComment | None = None


class NoticeKind(StrEnum):
    """Why something is in a member's inbox.

    ``reply``, ``article`` and ``mention``: a comment that answers the member's comment, stands below the member's
    article, or names the member. ``removed``: a moderator acted on something of the member's, or edited it. ``report``:
    a moderator settled what the member reported. ``role``: the member has another role now, or no second factor.
    ``undone``: an act of the member's has undone what somebody did. ``account``: somebody changed what lets the member
    in.
    """

    REPLY = "reply"
    ARTICLE = "article"
    MENTION = "mention"
    REMOVED = "removed"
    REPORT = "report"
    ROLE = "role"
    UNDONE = "undone"
    ACCOUNT = "account"


class AccountChange(StrEnum):
    """The changes of what lets a member in, of which the inbox tells; inboxes hold these words, of letters only."""

    PASSWORD = "password"  # noqa: S105  # nosec B105
    CODES = "codes"
    MAIL = "mail"
    MAIL_REMOVED = "unmail"
    SECOND_FACTOR = "factor"
    SECOND_FACTOR_OFF = "nofactor"
    FEED = "feed"
    PROGRAM = "program"
    PROGRAM_ENDED = "noprogram"


class Notice(NamedTuple):
    """An entry of an inbox; ``time`` is in unix seconds.

    It is about ``comment``, about ``log``, an act of a moderator, or about ``change``, one of the member's account.

    ``entry`` is its text in the inbox, which names it in forms. ``is_open``: the comment can be answered and voted on;
    ``is_voted``: the member has voted for it; ``is_quiet``: they want no more notices of this kind below the same post.
    """

    entry: str
    kind: NoticeKind
    time: float
    is_unread: bool
    comment: ListedComment | None = None
    log: LogEntry | None = None
    change: AccountChange | None = None
    is_open: bool = False
    is_voted: bool = False
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """The unread part of a member's inbox: the number of entries, and of some the comment that each is about."""

    count: int = 0
    comments: Mapping[str, CommentId] = field(default_factory=dict)

    def without(self, entries: Collection[str]) -> "Unread":
        """Return the entries that are left once the member has read these."""
        left = {entry: comment for entry, comment in self.comments.items() if entry not in entries}
        return Unread(self.count - len(entries), left)


class Visit(NamedTuple):
    """The part of one thread that a member has seen.

    Comments after number ``newest`` were written since then; those in the ranges ``unread`` no page has shown, and
    those in ``shown`` one has shown in this visit. ``time`` is the unix time of the last page. ``before`` is the part
    before this page was noted, None if that changed nothing.
    """

    newest: int
    time: float
    unread: tuple[range, ...] = ()
    shown: tuple[range, ...] = ()
    before: "Visit | None" = None

    def unread_to(self, last: int) -> set[int]:
        """Return the numbers up to *last* of the comments that no page has shown, also if they are gone."""
        return _numbers_to(last, range(self.newest + 1, last + 1), *self.unread)

    def new_to(self, last: int) -> set[int]:
        """Return the numbers up to *last* of the comments that no page before this one has shown, as lists count."""
        return (self.before or self).unread_to(last)

    def marked_to(self, last: int) -> set[int]:
        """Return the numbers up to *last* of the comments that were new when the visit began, also if they are gone."""
        return self.unread_to(last) | _numbers_to(last, *self.shown)


def _numbers_to(last: int, *ranges: range) -> set[int]:
    """Return the numbers in *ranges* up to *last*; damaged data may have a last of billions, and such ranges."""
    stop = min(last, MAX_COMMENTS) + 1
    return {number for numbers in ranges for number in range(numbers.start, min(numbers.stop, stop))}
