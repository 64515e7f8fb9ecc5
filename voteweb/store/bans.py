"""Bans: members logged out and refused, for good or until an end, with what they posted removed if that is wanted."""

from enum import StrEnum
from typing import NamedTuple

from voteweb.core import clock, config
from voteweb.core.errors import LastAdmin, NoSuchMember, NothingToUndo, StillRestoring
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.keys import parse_comment
from voteweb.store.moderation_log import LogArguments, ModerationLog, NewLogEntry
from voteweb.store.nodes import parse_node
from voteweb.store.users import new_session_id


class Span(StrEnum):
    """The time before a ban from which things are removed."""

    NONE = "none"
    DAY = "day"
    WEEK = "week"
    ALL = "all"

    @property
    def seconds(self) -> int | None:
        """Its length in seconds, None for a span without one."""
        return {Span.DAY: 86_400, Span.WEEK: 7 * 86_400}.get(self)


class PostCounts(NamedTuple):
    """How many of a member's articles, or comments, each span has; ``is_bounded``: of all there are more."""

    day: int
    week: int
    all: int
    is_bounded: bool = False

    def of(self, span: Span) -> int:
        return 0 if span is Span.NONE else int(getattr(self, span.value))


class Bans:
    """The bans of one site."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def ban(
        self,
        name: str,
        entry: NewLogEntry,
        *,
        days: int | None = None,
        articles: Span = Span.NONE,
        comments: Span = Span.NONE,
        actor: User | None = None,
    ) -> None:
        """Log a member out everywhere and refuse log-ins, for *days* or for good, for the reason of *entry*.

        Begins to remove the *articles* and *comments* of these spans; :class:`BanRemovals` goes on. A member who is
        banned already stays banned for the first reason. *actor* is the moderator who does it, of a higher role than
        the member; None is the operator. Raises NoSuchMember, LastAdmin, StillRestoring, LoggedOut, NotAllowed.
        """
        log = self._log.prepare(entry)
        arguments = (
            entry.why,
            new_session_id(),
            "" if days is None else days * 86_400,
            articles.seconds or articles.value,
            comments.seconds or comments.value,
        )
        self._run("ban_member", name, arguments, log, actor)

    def lift(self, name: str, entry: NewLogEntry, *, restore: bool = False, actor: User | None = None) -> None:
        """Lift a ban; with *restore*, begin to restore exactly what it removed, also after it was lifted without.

        Does nothing for a member who is not banned and has nothing to restore. *actor* and errors are those of
        :meth:`ban`; raises NothingToUndo when *entry* undoes a ban that is not in force.
        """
        self._run("lift_ban", name, (int(restore),), self._log.prepare(entry), actor)

    def _run(
        self, script: str, name: str, arguments: tuple[str | int, ...], log: LogArguments, actor: User | None
    ) -> Outcome:
        checked = actor_arguments(self._keys, actor, Role.MODERATOR)
        outcome = self._connection.script(
            script,
            [self._keys.user(name), self._keys.admins(), self._keys.ban_removals(), *log.keys, *checked.keys],
            [*log.arguments, name_key(name), *arguments, *checked.arguments],
        )
        match outcome.status:
            case "unknown":
                raise NoSuchMember(name=name)
            case "last-admin":
                raise LastAdmin(name=name)
            case "restoring":
                raise StillRestoring(name=name)
            case "overruled":
                raise NothingToUndo()
        return outcome

    def count_articles(self, name: str) -> PostCounts:
        """Return how many listed articles of a member each span has."""
        key, now = self._keys.posted(name), clock.now()
        spans = (span.seconds for span in (Span.DAY, Span.WEEK))
        commands = [("ZCOUNT", key, now - (seconds or 0), "+inf") for seconds in spans]
        return PostCounts(*self._connection.run([*commands, ("ZCARD", key)]))

    def count_comments(self, name: str) -> PostCounts:
        """Return how many readable comments of a member each span has, of the newest MAX_COUNTED_COMMENTS."""
        now, counts = clock.now(), {Span.DAY: 0, Span.WEEK: 0, Span.ALL: 0}
        last = config.MAX_COUNTED_COMMENTS
        listed = self._connection.command("LRANGE", self._keys.commented(name), 0, last)
        for first in range(0, len(listed[:last]), config.READ_BATCH_SIZE):
            for posted in self._times(listed[:last][first : first + config.READ_BATCH_SIZE]):
                counts[Span.ALL] += 1
                for span in (Span.DAY, Span.WEEK):
                    counts[span] += posted >= now - (span.seconds or 0)
        return PostCounts(counts[Span.DAY], counts[Span.WEEK], counts[Span.ALL], len(listed) > last)

    def _times(self, members: list[str]) -> list[float]:
        """Return when those of these comments were written that nobody deleted or removed."""
        ids = [id for id in map(parse_comment, members) if id]
        stored = self._connection.run([("HGET", self._keys.thread(id.article), str(id.number)) for id in ids])
        nodes = [parse_node(id.number, text or "") for id, text in zip(ids, stored, strict=True)]
        return [node.time for node in nodes if node and not node.status]
