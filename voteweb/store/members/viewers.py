"""Viewers: what every page of a member shows of them, and their inboxes: what they are told of, and have not read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import AccountChange, Notice, NoticeKind, Unread
from voteweb.core.errors import NoSuchEntry
from voteweb.core.models import Page, Program, Role, Session, User, Voter
from voteweb.store.accounts.programs import Programs
from voteweb.store.accounts.sessions import Sessions, digest
from voteweb.store.accounts.users import FIELDS, parse_user
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.reports import Reports
from voteweb.store.moderation.waiting import Waiting
from voteweb.store.schema.log_entries import log_entry
from voteweb.store.schema.values import parse_comment
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.rows import listed_comment


@dataclass(frozen=True)
class InboxPage(Page[Notice]):
    """A page of an inbox that has ``of_all`` entries, whether they are on such pages or not."""

    of_all: int = 0


class Inbox(StorePart):
    """The inboxes of one site's members.

    The scripts that write comments and moderate fill them. Both the number of unread entries and the pages leave out
    what cannot be read now, such as a removed comment, comments by members whom the owner hides, and what is older than
    INBOX_SECONDS.
    """

    def queue_page(
        self,
        pipeline: Pipeline,
        name: str,
        number: int,
        size: int = config.INBOX_PAGE_SIZE,
        *,
        with_hidden: bool = False,
        only_unread: bool = False,
        viewer_id: int = 0,
        after: str = "",
    ) -> Future[InboxPage]:
        """Queue a read of page *number* (from 1) of a member's inbox, newest first, with the votes of *viewer_id*.

        With *after*, of what is older than that entry.
        """
        values = {"shows_comments": self._settings.comments, "with_hidden": with_hidden, "only_unread": only_unread}
        page = {"first": (number - 1) * size, "size": size, "viewer": viewer_id, "after": after}
        command = scripts.call(self._keys, "read_inbox", name=name, **page, **{k: int(v) for k, v in values.items()})

        def parse(reply: Sequence[Any]) -> InboxPage:
            total, of_all, *rows = reply
            return replace(InboxPage.at(number, size, filter(None, map(_notice, rows)), total), of_all=of_all)

        return pipeline.queue_one(command, parse)

    def queue_mark_read(self, pipeline: Pipeline, name: str, entries: Iterable[str]) -> Future[None]:
        """Queue that a member has read these entries."""
        return pipeline.queue([("LREM", self._keys.unread(name), 0, entry) for entry in entries], lambda _: None)

    @act(Role.MEMBER)
    def mark_all_read(
        self, attempt: Attempt, actor: User, until: str, since: str = "", *, must_exist: bool = False
    ) -> list[Command]:
        """Mark the entries of the actor's inbox from *until* down to *since*, or the oldest, as read.

        Raises LoggedOut and Held, and NoSuchEntry if *until* is none and *must_exist*.
        """
        inbox_key, unread_key = self._keys.inbox(actor.name), self._keys.unread(actor.name)
        inbox, unread = attempt.read(("LRANGE", inbox_key, 0, -1), ("LRANGE", unread_key, 0, -1))
        if must_exist and until not in inbox:
            raise NoSuchEntry
        first = inbox.index(until) if until in inbox else len(inbox)
        end = inbox.index(since) + 1 if since in inbox else len(inbox)
        shown = set(inbox[first:end])
        return [("LREM", unread_key, 0, entry) for entry in unread if entry in shown]


def _notice(row: Sequence[Any]) -> Notice | None:
    """Return the entry of a row that ``read_inbox.lua`` answered, None for one that another program wrote."""
    entry, is_unread, log_id, about, *state = row
    kind, _, time = entry.split(" ")
    if kind == NoticeKind.ACCOUNT:
        change = AccountChange(about) if about in set(AccountChange) else None
        return Notice(entry, NoticeKind.ACCOUNT, float(time), bool(is_unread), change=change) if change else None
    comment = None if log_id else listed_comment(about)
    log = log_entry(log_id, about) if log_id else None
    if comment is None and log is None:
        return None
    return Notice(entry, NoticeKind(kind), float(time), bool(is_unread), comment, log, None, *map(bool, state))


class Viewer(NamedTuple):
    """A member whom a session names, None if there is none, with their session, None if it has ended.

    Where a program acts, ``program`` is what its token stands for in place of the session, None if it has ended.

    ``waiting`` is the number of all that waits for a moderator, ``logged`` that of the entries of the log, 0 for
    members. ``voted_at`` is when votes of the member on articles changed last, "" for never: it is only compared.
    """

    member: User | None
    session: Session | None
    unread: Unread
    waiting: int
    logged: int
    voted_at: str
    program: Program | None = None


#: What is read of a reader.
NO_VIEWER = Viewer(None, None, Unread(), 0, 0, "")


class _Seen(NamedTuple):
    """A member when this process last saw them: is there a list of what is unread, do they moderate.

    If it is remembered, ``viewer`` is what ``replies`` say of ``voter`` before the unix time ``until``.
    """

    has_list: bool = True
    moderates: bool = True
    voter: Voter | None = None
    viewer: Viewer | None = None
    replies: Sequence[Any] = ()
    until: float = 0.0


class Viewers(StorePart):
    """The viewers of one site.

    What is unread is counted by a script, and what waits is of no use to most. Both are asked for in the same round
    trip as the member if this process expects it, else in another one: the answer is right either way.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._sessions, self._programs = Sessions(context), Programs(context)
        #: Members as last seen, until their replies differ: nothing is parsed twice, what few have is not asked for.
        self._seen: BoundedCache[int, _Seen] = BoundedCache(config.HINT_CACHE_SIZE)

    def queue_read(self, pipeline: Pipeline, voter: Voter) -> Future[Viewer]:
        """Queue a read of the viewer whom a session names as *voter*."""
        keys, name, seen = self._keys, voter.name, self._seen.get(voter.id) or _Seen()
        token_digest = voter.call.program if voter.call else digest(voter.token)
        # Plain commands: one script for all of it took Redis 17 microseconds instead of 1, a tenth of a page.
        commands: list[Command] = [
            ("HMGET", keys.user(name), *FIELDS, "voted"),
            (self._programs if voter.call else self._sessions).find_command(name, token_digest),
            self._count_unread(name) if seen.has_list else ("EXISTS", keys.unread(name)),
        ]
        counts = self._queue_waiting(pipeline) if seen.moderates else None

        def parse(replies: Sequence[Any]) -> Viewer:
            # Nothing has changed since the last page, mostly: a member's list takes a tenth less.
            if seen.viewer and seen.voter == voter and replies == seen.replies and clock.now() < seen.until:
                return seen.viewer
            (*fields, voted_at), session, unread = replies
            member = parse_user(fields)
            if member and voter.call:
                member = replace(member, call=voter.call)
            moderates = member is not None and member.role is not Role.MEMBER
            if unread == 1:
                (unread,) = pipeline.send([self._count_unread(name)])
            waiting = logged = 0
            if moderates:
                waiting, logged = counts.result if counts else self._connection.read(self._queue_waiting)
            own_session = None if voter.call else self._sessions.parse(voter, token_digest, *session)
            program = self._programs.parse(voter, token_digest, *session) if voter.call else None
            viewer = Viewer(member, own_session, _unread(unread), waiting, logged, voted_at or "", program)
            now_seen = _Seen(bool(unread), moderates)
            if member and (own_session or program) and not (moderates or member.banned_until or unread != replies[-1]):
                until = self._sessions.end_of(own_session) if own_session else program.until if program else 0.0
                now_seen = now_seen._replace(voter=voter, viewer=viewer, replies=replies, until=until)
            if now_seen != seen:
                self._seen.put(voter.id, now_seen)
            return viewer

        return pipeline.queue(commands, parse)

    def _count_unread(self, name: str) -> Command:
        return scripts.call(self._keys, "count_unread", name=name, shows_comments=int(self._settings.comments))

    def queue_logged(self, pipeline: Pipeline) -> Future[int]:
        """Queue a count of the entries of the log."""
        return pipeline.queue_one(("LLEN", self._keys.log_entries()), int)

    def _queue_waiting(self, pipeline: Pipeline) -> Future[tuple[int, int]]:
        """Queue a count of all that waits for a moderator, and of the entries of the log."""
        logged = self.queue_logged(pipeline)
        reports = Reports(self._context).queue_count(pipeline)
        others = Waiting(self._context).queue_counts(pipeline)
        return pipeline.then(lambda: (reports.result + sum(others.result), logged.result))


def _unread(reply: Any) -> Unread:
    """Return what is unread, from the answer of the script or, if there is no such list, of EXISTS."""
    if not reply:
        return Unread()
    count, *entries = reply
    comments = {entry: parse_comment(entry.split(" ")[1]) for entry in entries}
    return Unread(count, {entry: comment for entry, comment in comments.items() if comment})
