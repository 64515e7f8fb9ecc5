"""The values that the store returns: frozen, and independent of the web and of Redis."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, NamedTuple, Self, TypeVar

T = TypeVar("T")


class Role(StrEnum):
    """The roles of members: moderators may do all that members may, and admins all that moderators may."""

    MEMBER = "member"
    MODERATOR = "moderator"
    ADMIN = "admin"


class Order(StrEnum):
    """The orders of a list: by score or votes, highest first; by publish time or its whole second, newest first."""

    SCORE = "score"
    VOTES = "votes"
    TIME = "time"
    SECOND = "second"


class Period(StrEnum):
    """The times of which the best articles are listed: those posted in the last days, or ever."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    ALL = "all"

    @property
    def days(self) -> int:
        """How many days, 0 for all."""
        return {"day": 1, "week": 7, "month": 30, "year": 365, "all": 0}[self.value]


class ArticleStatus(StrEnum):
    """Whether an article is in the lists, was deleted by its poster, removed by a moderator, or waits for one."""

    LISTED = ""
    DELETED = "deleted"
    REMOVED = "removed"
    HELD = "held"


class VotingState(StrEnum):
    """Whether a member can vote on an article: yes, no longer, not yet, or never because they posted it."""

    OPEN = "open"
    CLOSED = "closed"
    HELD = "held"
    OWN = "own"


class Reason(StrEnum):
    """The reason of a report: spam, a broken link, posted before, off topic, against the rules."""

    SPAM = "spam"
    BROKEN = "broken"
    POSTED = "posted"
    TOPIC = "topic"
    RULES = "rules"


class LogAction(StrEnum):
    """The kinds of acts in the moderation log.

    An act about a comment names it. CLOSE and REOPEN are about the conversation of an article. GROUPS: an article
    was put into groups or taken out of them; GROUP: a group itself was created or changed. ADMIT and REFUSE: an
    account that waited for a moderator was let in or not. DOMAIN: the rule of a domain was made or changed,
    UNDOMAIN: deleted. RELEASE: an article that waited was published. KEEP: an article, or a ban, stays as it is
    after an answer. SWITCH: an admin set or cleared a switch of the site. PURGE: the operator deleted an article so
    that no word of it is left. UNDISMISS: reports that were dismissed were opened again. WEIGHTS: settings that
    shape scores were changed. SECOND_FACTOR: the operator turned off that of a member. UNDO: an admin undid all
    acts of a member since a time. ABOUT: what a member says about themselves was removed, for a reason, or left as
    it is after a report. PLAN_MERGE: an admin planned a merge of groups, which MERGE_GROUP begins; STOP_MERGE: it
    was stopped, or could not begin. PROGRAM: an admin ended the token of a program of a member.
    """

    GROUPS = "groups"
    EDIT = "edit"
    REMOVE = "remove"
    RESTORE = "restore"
    DISMISS = "dismiss"
    BAN = "ban"
    UNBAN = "unban"
    ROLE = "role"
    GROUP = "group"
    DELETE_GROUP = "delete"
    MERGE_GROUP = "merge"
    PLAN_MERGE = "plan-merge"
    STOP_MERGE = "stop-merge"
    ADMIT = "admit"
    REFUSE = "refuse"
    CLOSE = "close"
    REOPEN = "reopen"
    DOMAIN = "domain"
    UNDOMAIN = "undomain"
    RELEASE = "release"
    KEEP = "keep"
    SWITCH = "switch"
    SECOND_FACTOR = "second-factor"
    PURGE = "purge"
    UNDISMISS = "undismiss"
    WEIGHTS = "weights"
    UNDO = "undo"
    ABOUT = "about"
    PROGRAM = "program"


#: The kind of act that undoes one of each kind that can be undone.
UNDOING = {
    LogAction.GROUPS: LogAction.GROUPS,
    LogAction.REMOVE: LogAction.RESTORE,
    LogAction.BAN: LogAction.UNBAN,
    LogAction.DISMISS: LogAction.UNDISMISS,
    LogAction.EDIT: LogAction.EDIT,
    LogAction.GROUP: LogAction.GROUP,
    LogAction.DOMAIN: LogAction.UNDOMAIN,
    LogAction.UNDOMAIN: LogAction.DOMAIN,
    LogAction.CLOSE: LogAction.REOPEN,
    LogAction.REOPEN: LogAction.CLOSE,
    LogAction.PLAN_MERGE: LogAction.STOP_MERGE,
}
#: Those of which an entry can be undone only if it says what was before: a new group, and older entries, do not.
_NEED_FORMER = {LogAction.EDIT, LogAction.GROUP, LogAction.DOMAIN, LogAction.UNDOMAIN, LogAction.REOPEN}


@dataclass(frozen=True, slots=True)
class Draft:
    """The fields of an article that members write, validated; ``link`` or ``text`` may be empty."""

    title: str
    link: str
    text: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Article(Draft):
    """An article; ``time`` is its publish time in unix seconds.

    ``closes`` is the unix time at which voting ends, if the article says: ask :func:`voteweb.core.ranking.voting_end`.
    ``voted`` tells whether the viewer has voted for it, if it was read for a viewer; ``edited`` is the unix time of
    the last edit, 0 for none; ``reason`` is that of a removal, ``answer`` what its poster answered to that,
    ``answered`` the unix time of an answer that waits for the moderators, 0 for none. ``revision`` counts the changes
    of what can be edited, ``comments`` the comments that can be read; ``new`` are those of them that the viewer has
    not seen, if it was read for a viewer who has seen some. ``saved`` tells whether the viewer has saved it for later.
    ``released`` tells whether it waited until a moderator published it, ``no_group`` whether a moderator decided that
    no group fits, ``hides_title`` whether the title is hidden from all but its poster and moderators, ``by_program``
    whether a program posted it, or edited it for its poster.
    """

    id: int
    poster: str
    time: float
    votes: int
    voted: bool = False
    edited: float = 0.0
    status: ArticleStatus = ArticleStatus.LISTED
    reason: str = ""
    answer: str = ""
    answered: float = 0.0
    closes: int | None = None
    revision: int = 0
    comments: int = 0
    new: int = 0
    saved: bool = False
    released: bool = False
    no_group: bool = False
    hides_title: bool = False
    by_program: bool = False

    @property
    def is_listed(self) -> bool:
        return self.status is ArticleStatus.LISTED

    @property
    def is_held(self) -> bool:
        return self.status is ArticleStatus.HELD

    @property
    def is_removed(self) -> bool:
        return self.status is ArticleStatus.REMOVED

    @property
    def is_deleted(self) -> bool:
        return self.status is ArticleStatus.DELETED


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierVersion(Draft):
    """An article as it was until the unix time ``until``, when its poster or a moderator edited it.

    ``by`` is "poster" or the id of another member. ``as_posted``: these are the words that its poster had last.
    """

    until: float
    by: str
    as_posted: bool = False

    @property
    def by_poster(self) -> bool:
        return self.by == "poster"


class PlannedMerge(NamedTuple):
    """The merge of the group ``name`` into another one that the admin ``by`` planned; it begins at unix time ``time``.

    ``entry`` is the id of the log entry of the plan.
    """

    name: str
    into: str
    by: str
    entry: int
    time: float


class Group(NamedTuple):
    """A group of articles; ``articles`` is their number, ``merge`` the planned merge of it into another group."""

    name: str
    title: str
    description: str
    articles: int = 0
    merge: PlannedMerge | None = None


class RemovalState(StrEnum):
    """The state of the removal of a banned member's posts; of a lifted ban, that of their restoration."""

    REMOVING = "removing"
    REMOVED = "removed"
    RESTORING = "restoring"


class BanRemoval(NamedTuple):
    """The removals of a ban, whose log entry has the id ``entry``: of articles and comments from these times on.

    The times are unix seconds, None for no removals. ``votes`` tells whether it takes votes back.
    """

    entry: int
    state: RemovalState
    articles: int | None
    comments: int | None
    votes: bool = False


class Right(StrEnum):
    """The rights of programs.

    ``read``: what only their member sees. ``own``: what nobody else sees, as saving, hiding and following. ``post``:
    articles, comments and reports. ``moderate``: all for which the member needs a role.
    """

    READ = "read"
    OWN = "own"
    VOTE = "vote"
    POST = "post"
    MODERATE = "moderate"


class Program(NamedTuple):
    """A program to which a member gave a token; ``digest`` is that of the token. Times are unix seconds.

    It was ``made`` and ends at ``until``; ``used`` is its last noted use.
    """

    digest: str
    name: str
    rights: tuple[Right, ...]
    made: float
    until: float
    used: float


class ProgramCall(NamedTuple):
    """A request of a program: the digest of its token, the right that the request needs, and the rights of the token.

    With an Idempotency-Key, ``once`` stands for program and key, and ``body`` for what was sent with it; else both are
    empty.
    """

    program: str
    right: Right
    rights: tuple[Right, ...] = ()
    once: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """A member; ``since`` is a unix time, ``password`` an argon2 hash, or empty if nobody can log in.

    ``session`` is the session id that each of the member's sessions has; a new one ends them all. ``banned`` is
    the unix time of a ban that is in force, 0 for none, ``banned_until`` its end, 0 for good; ``ban_answer`` is the
    member's answer to it, ``ban_answered`` the unix time of one that waits for the moderators, 0 for none; ``left`` is
    the unix time at which the account was deleted, 0 for none.
    ``held`` is the unix time since which the account waits for a moderator, 0 if it does not, and ``request`` what its
    owner wrote to them. An account that is held and banned was refused. ``my`` changes with everything that the member
    follows, hides or saves, "" for one who never did; ``front`` is "my" if their front page has the groups they follow,
    ``theme`` one of THEMES in :mod:`voteweb.core.my_site`, ``order`` the CommentOrder in which they read conversations,
    "" for one who never chose it.
    ``about`` is what they say about themselves, as Markdown, ``about_reported`` the unix time of the report of it that
    waits for a moderator, 0 for none.
    ``second_factor`` is what is stored of it, "" for none: see :mod:`voteweb.core.second_factor`.
    ``call`` is set where a program acts for the member.
    """

    id: int
    name: str
    password: str
    role: Role
    since: float
    session: str
    banned: float = 0.0
    ban_reason: str = ""
    banned_until: float = 0.0
    left: float = 0.0
    invited_by: str = ""
    held: float = 0.0
    request: str = ""
    ban_removal: BanRemoval | None = None
    ban_answer: str = ""
    ban_answered: float = 0.0
    my: str = ""
    front: str = ""
    theme: str = ""
    order: str = ""
    about: str = ""
    about_reported: float = 0.0
    second_factor: str = ""
    call: ProgramCall | None = None


class DomainAction(StrEnum):
    """The ways to treat links to a domain: refuse them, or hold their articles for a moderator."""

    REFUSE = "refuse"
    HOLD = "hold"


class DomainRule(NamedTuple):
    """The rule of a ``domain`` and its subdomains; ``why`` is shown to members who post such a link.

    The moderator ``by`` made or last changed it at unix time ``time``.
    """

    domain: str
    action: DomainAction
    why: str
    by: str
    time: float


class Note(NamedTuple):
    """A note on a member that the moderator ``by`` wrote at unix time ``time``, for moderators alone."""

    id: str
    by: str
    time: float
    text: str


class Neighbour(NamedTuple):
    """Another member who signed up from the same network, under their ``name`` in lower case, at unix time ``time``."""

    name: str
    time: float


@dataclass(frozen=True, slots=True)
class Voter:
    """The identity of a voter as their session cookie has it: member id, name, session id, and the session's token.

    Without a token, all that counts is the session id. ``call`` is set where a program acts for them: then the token is
    the program's.
    """

    id: int
    name: str
    session: str
    token: str = field(default="", repr=False)
    call: ProgramCall | None = None


class Session(NamedTuple):
    """An open session of a member in a ``browser`` such as "Firefox, Linux", "" if unknown; times are unix seconds.

    It ``began`` with a log-in; ``used`` is its last noted use, ``checked`` when the member last gave the password, 0
    for never. ``digest`` is that of the token in the cookie.
    """

    digest: str
    began: float
    used: float
    checked: float
    browser: str


class Report(NamedTuple):
    """A report of an article by the member ``by`` at unix time ``time``."""

    by: str
    reason: Reason
    note: str
    time: float


class OpenReports(NamedTuple):
    """Some of the open reports of an article, which has ``total``, oldest first.

    ``next`` is the position from which to read on, 0 at the end.
    """

    rows: tuple[Report, ...]
    total: int
    next: int = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An act in the moderation log, of the moderator ``who`` at unix time ``time``.

    It is about an ``article`` (its id, 0 for none), its comment number ``comment`` (0 for none), or the member or group
    ``about``. ``title`` is the title at that time, ``why`` the reason, ``added`` and ``removed`` are the changed
    groups, or the new and the former values of settings as "field=value"; of a merge, ``added`` is the other group, but
    ``removed`` if it could not begin. ``articles`` and ``comments`` are how many a ban removes, or its end restores,
    ``votes`` how many votes it takes or gives back, ``closed`` how many its end cannot give back; ``until`` is the unix
    time at which it ends, 0 for good, or at which a merge begins. ``undoes`` is the id of an entry that it undoes, 0
    for none. Of what ``about`` did ``since`` a unix time, UNDO undid so many ``acts``, None until all are done, and so
    many others are ``kept``. ``part_of`` is the id of the entry of the act of which this one is a part, 0 for none:
    such a part is not logged. ``former`` is what undoing the act brings back, as LOG_FIELDS says. ``hidden`` is the
    title while only moderators read it: a removal with such an entry hides it. ``program`` is 1 if a program acted for
    the moderator. ``seen`` is how many entries the log had when the moderator opened the form, None if that is not
    known; it is not stored.
    """

    kind: LogAction
    who: str
    about: str = ""
    article: int = 0
    title: str = ""
    why: str = ""
    undoes: int = 0
    comment: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undone: bool = False
    articles: int = 0
    comments: int = 0
    until: float = 0.0
    votes: int = 0
    closed: int = 0
    since: float = 0.0
    acts: int | None = None
    kept: int = 0
    part_of: int = 0
    former: str = ""
    hidden: str = ""
    program: int = 0
    seen: int | None = None
    id: int = 0
    time: float = 0.0

    @property
    def can_be_undone(self) -> bool:
        return self.kind in UNDOING and (self.kind not in _NEED_FORMER or bool(self.former))

    @property
    def run(self) -> str | int:
        """The mark of acts that are shown as one if they follow one another: those by which one moderator sorted."""
        return self.who if self.kind is LogAction.GROUPS else self.id

    @property
    def changes(self) -> dict[str, tuple[str, str]]:
        """The former and the new value of each setting, by its field."""
        former, new = (dict(part.partition("=")[::2] for part in parts) for parts in (self.removed, self.added))
        return {field: (former.get(field, ""), value) for field, value in new.items()}


class Invitation(NamedTuple):
    """An invitation for one person, made by the member ``by``; ``used`` is the name of the member who used it.

    It expires at unix time ``until``. ``digest`` is that of the token in its link, which only its maker was told.
    """

    digest: str
    by: str
    until: float
    used: str = ""
    revoked: bool = False


class LogInOutcome(StrEnum):
    """The outcomes of attempts to log in: IN also by signing up, with a recovery code, or inside another form.

    CODE: the password was right, but not the code of the second factor.
    """

    IN = "in"
    REFUSED = "refused"
    CODE = "code"
    BANNED = "banned"


class LogIn(NamedTuple):
    """An attempt to log in at unix ``time`` as the member ``name``, "" if there is no such member.

    ``network`` is a digest of the client's, ``browser`` its family.
    """

    time: float
    name: str
    outcome: LogInOutcome
    network: str
    browser: str


class Branch(NamedTuple):
    """A member in the tree of invitations, at a ``level`` from 0, who invited as many as ``invited``.

    ``user`` is None for one who joined too long ago to be read, or has left.
    """

    name: str
    level: int
    invited: int
    user: User | None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list of ``total`` rows.

    ``number`` counts from 1, ``first_rank`` is the rank of the first row, ``more`` tells whether there is a next page.
    """

    rows: tuple[T, ...]
    number: int
    total: int
    first_rank: int
    more: bool
    #: Unix time at which a combined ranking was made; None for a ranking that every write updates.
    as_of: float | None = None
    #: Whether a combined ranking, and with it ``total``, covers only part of the smallest group.
    bounded: bool = False
    #: The unix time of the first row of the first page, in a list by time: further pages begin after it.
    newest: str = ""

    @classmethod
    def at(cls, number: int, size: int, rows: Iterable[T], total: int) -> Self:
        """Return page *number* of the pages of *size* rows."""
        first = (number - 1) * size
        return cls(tuple(rows), number, total, first_rank=first + 1, more=total > first + size)
