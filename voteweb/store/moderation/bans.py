"""Bans and notes: members logged out and refused, for good or until an end, and what moderators write down about them.

A ban removes a member's posts and takes their open votes back if that is wanted. This, or its undoing, goes on in
bounded steps. The field ``ban-removal`` of a member is its task: "<id of the ban's log entry> <state> <time from which
on articles are removed> <the same of comments>", each time "-" for none, and " votes" if votes are taken back. Each
removed post names the log entry of its ban; ``revoked-votes:<name>`` lists the votes.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain
from math import ceil
from typing import NamedTuple

from voteweb.core import clock, config, errors
from voteweb.core.comments import CommentId, Node
from voteweb.core.models import BanRemoval, LogEntry, Note, Page, RemovalState, Role, User
from voteweb.core.names import name_key
from voteweb.core.permissions import may_answer_ban, may_ban
from voteweb.core.search_documents import DocumentId
from voteweb.store.accounts.users import NO_BAN, StoredMember, Users, banned_now, read_member, read_present_member
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import thing_of
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.fields import unpack
from voteweb.store.schema.log_entries import rewrite
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import articles_of, digest_of, json_object, parse_comment, parse_note
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.leases import steps_of_each
from voteweb.store.site.moderation_log import mark_undone
from voteweb.store.site.rows import articles_since, queue_page
from voteweb.store.votes.open_votes import OpenVotes
from voteweb.store.votes.votes import Votes


class Notes(StorePart):
    """The notes on members of one site."""

    @act()
    def add(self, attempt: Attempt, name: str, text: str, actor: User) -> list[Command]:
        """Add a note of the moderator *actor* on a member, unless it is there: a form that is sent again adds nothing.

        Raises NoSuchMember, TooManyNotes, LoggedOut, NotAllowed.
        """
        key, id = self._keys.notes(name), digest_of(f"{actor.id} {text}")
        (member, left), is_there, count = attempt.read(
            ("HMGET", self._keys.user(name), "id", "left"), ("HEXISTS", key, id), ("HLEN", key)
        )
        if member is None or left is not None:
            raise errors.NoSuchMember(name=name)
        if is_there:
            return []
        if count >= config.MAX_NOTES:
            raise errors.TooManyNotes(max=config.MAX_NOTES)
        return [("HSET", key, id, json.dumps({"by": actor.name, "time": attempt.now, "text": text}))]

    @act(when_full=True)
    def delete(self, attempt: Attempt, name: str, id: str, actor: User) -> list[Command]:
        """Delete a note that *actor* wrote, or any as an admin; does nothing if there is none.

        Raises NotYourNote, LoggedOut, NotAllowed.
        """
        key = self._keys.notes(name)
        stored, role = attempt.read(("HGET", key, id), ("HGET", self._keys.user(actor.name), "role"))
        if stored is not None and role != Role.ADMIN and json_object(stored).get("by") != actor.name:
            raise errors.NotYourNote()
        return [("HDEL", key, id)] if stored is not None else []

    def queue_on(self, pipeline: Pipeline, name: str) -> Future[tuple[Note, ...]]:
        """Queue a read of the notes on one member, newest first."""
        return pipeline.queue_one(("HGETALL", self._keys.notes(name)), _notes)

    def queue_of(self, pipeline: Pipeline, names: Iterable[str]) -> Future[dict[str, tuple[Note, ...]]]:
        """Queue a read of the notes on these members by name in lower case, newest first; none for who has none."""
        notes = {name: self.queue_on(pipeline, name) for name in dict.fromkeys(map(name_key, names))}
        return pipeline.then(lambda: {name: read.result for name, read in notes.items() if read.result})


def _notes(stored: dict[str, str]) -> tuple[Note, ...]:
    notes = (parse_note(id, text) for id, text in stored.items())
    return tuple(sorted((note for note in notes if note), key=lambda note: note.time, reverse=True))


#: Articles, comments or votes that one step changes: some milliseconds each.
_STEP = 50


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

    def since(self, now: float) -> str:
        """Return the whole unix second from which on things are removed, "-" if none are."""
        if self is Span.NONE:
            return "-"
        return "0" if self.seconds is None else str(int(now - self.seconds))


class PostCounts(NamedTuple):
    """How many articles, or comments, of members each span has; ``is_bounded``: of all there are more."""

    day: int
    week: int
    all: int
    is_bounded: bool = False

    def of(self, span: Span) -> int:
        return 0 if span is Span.NONE else int(getattr(self, span.value))


class RemovalCounts(NamedTuple):
    """How many articles and comments the end of a ban restores, and how many votes it gives back or, closed, cannot."""

    articles: int = 0
    comments: int = 0
    votes: int = 0
    closed: int = 0


class Bans(StorePart):
    """The bans of one site."""

    @act(when_full=True)
    def ban(
        self,
        attempt: Attempt,
        name: str,
        entry: LogEntry,
        *,
        days: int | None = None,
        articles: Span = Span.NONE,
        comments: Span = Span.NONE,
        votes: bool = False,
        actor: User | None = None,
    ) -> list[Command]:
        """Log a member out everywhere and refuse log-ins, for *days* or for good, for the reason of *entry*.

        Begins to remove the *articles* and *comments* of these spans, and with *votes* to take back the open votes;
        :meth:`steps` goes on. A member who is banned already stays banned for the first reason. *actor* is the
        moderator who does it, of a higher role than the member; None is the operator. Raises NoSuchMember, LastAdmin,
        StillRestoring, LoggedOut, NotAllowed.
        """
        member, stored = read_present_member(attempt, name)
        attempt.until = "" if days is None else str(ceil(float(attempt.now) + days * 86_400))
        if member.held or member.banned:
            return []
        _check_actor(attempt, actor, member)
        if member.ban_removal and member.ban_removal.state is RemovalState.RESTORING:
            raise errors.StillRestoring(name=name)
        changes = {**NO_BAN, **banned_now(attempt, entry.why), "banned-until": attempt.until or None}
        forgotten: list[Command] = []
        # A ban that removes nothing leaves what an earlier one removed to be restored.
        if votes or (articles, comments) != (Span.NONE, Span.NONE):
            entries = attempt.value("LLEN", self._keys.log_entries())
            since = " ".join(span.since(float(attempt.now)) for span in (articles, comments))
            changes["ban-removal"] = f"{entries + 1} {RemovalState.REMOVING} {since}{' votes' if votes else ''}"
            forgotten = [("UNLINK", self._keys.revoked_votes(name))]
        return [*stored.change(changes), *forgotten]

    @act(when_full=True)
    def lift(
        self,
        attempt: Attempt,
        name: str,
        entry: LogEntry,
        *,
        restore: bool = False,
        actor: User | None = None,
    ) -> list[Command]:
        """Lift a ban; with *restore*, begin to restore exactly what it removed, also after it was lifted without.

        Does nothing for a member who is not banned and has nothing to restore. *actor* and errors are those of
        :meth:`ban`; raises NothingToUndo when *entry* undoes a ban that is not in force.
        """
        member, stored = read_present_member(attempt, name)
        removal = member.ban_removal
        restores = restore and removal is not None and removal.state is not RemovalState.RESTORING
        if member.held or not (member.banned or restores):
            return []
        _check_actor(attempt, actor, member)
        changes = dict(NO_BAN)
        if removal and (restores or removal.state is RemovalState.REMOVING):
            # Without restoring, posts that are not yet removed stay, and the others can be restored later.
            changes["ban-removal"] = _in_state(stored, RemovalState.RESTORING if restores else RemovalState.REMOVED)
        return [*stored.change(changes), *mark_undone(attempt, entry)]

    @act()
    def answer(self, attempt: Attempt, name: str, text: str) -> list[Command]:
        """Answer the ban of a member, once. Raises AnsweredBefore, and FormExpired if no ban is in force."""
        member, stored = read_member(attempt, name)
        if member is None or not may_answer_ban(member):
            raise errors.FormExpired()
        if member.ban_answer not in ("", text):
            raise errors.AnsweredBefore()
        return [] if member.ban_answer else stored.change({"ban-answer": text, "ban-answered": attempt.now})

    @act(when_full=True)
    def keep(self, attempt: Attempt, name: str, entry: LogEntry, *, actor: User | None = None) -> list[Command]:
        """Leave a member banned who has answered; tell whether the answer waited. *actor* and errors as for a ban."""
        member, stored = read_present_member(attempt, name)
        if not member.banned or not member.ban_answered:
            return []
        _check_actor(attempt, actor, member)
        return stored.change({"ban-answered": None})

    def queue_answered(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of members whose answers wait."""
        key, now = self._keys.ban_answers(), clock.now()

        def read_from(first: int, size: int) -> list[Command]:
            return [("ZCOUNT", key, now, "+inf"), ("ZRANGE", key, now, "+inf", "BYSCORE", "LIMIT", first, size)]

        return queue_page(pipeline, number, config.QUEUE_SIZE, read_from)

    @act(when_full=True)
    def _forget_answer(self, attempt: Attempt, name: str) -> list[Command]:
        """Return the writes that delete a member's answer to a ban that has ended by itself."""
        member, stored = read_member(attempt, name)
        return [] if member is None or member.banned else stored.change(NO_BAN)

    def count_articles(self, *names: str) -> PostCounts:
        """Return how many articles of these members each span has, listed ones and those that wait."""
        since = [Span(span).since(clock.now()) for span in ("day", "week", "all")]
        reads = [("ZCOUNT", self._keys.posted(name), time, "+inf") for time in since for name in names]
        listed = map(sum, split_evenly(self._connection.run(reads), len(since)))
        times = [time for _, time in self._waiting(*names)]
        waiting = [sum(time >= float(first) for time in times) for first in since]
        day, week, total = map(sum, zip(listed, waiting, strict=True))
        return PostCounts(day, week, total)

    def _waiting(self, *names: str) -> Iterable[tuple[str, float]]:
        """Return the articles of these members that wait for a moderator, each with its time."""
        held = self._keys.held_articles()
        reads = [("ZINTER", 2, held, self._keys.gone(name), "WEIGHTS", 1, 0, "WITHSCORES") for name in names]
        return chain.from_iterable(self._connection.run(reads))

    def count_comments(self, *names: str) -> PostCounts:
        """Return how many readable comments of these members each span has, of the newest MAX_COUNTED_COMMENTS.

        Of several members, each has an equal part of these.
        """
        now, last = clock.now(), config.MAX_COUNTED_COMMENTS // max(1, len(names))
        listed = self._connection.run([("LRANGE", self._keys.commented(name), 0, last) for name in names])
        batches = batched(chain.from_iterable(ids[:last] for ids in listed), config.READ_BATCH_SIZE)
        times = [node.time for batch in batches for node in self._readable(batch).values()]
        day, week = (sum(time >= now - (span.seconds or 0) for time in times) for span in (Span.DAY, Span.WEEK))
        return PostCounts(day, week, len(times), any(len(ids) > last for ids in listed))

    def count_removed(self, member: User) -> RemovalCounts:
        """Return how much the ban removed whose removal can be undone, nothing if there is none.

        The list of the votes goes when voting has closed on all; then the log tells how many they were.
        """
        removal, open_votes = member.ban_removal, OpenVotes(self._context)
        ban = self._context.log.get(removal.entry) if removal else None
        if removal is None or ban is None:
            return RemovalCounts()
        revoked = open_votes.revoked(member.name) if removal.votes else []
        total = len(revoked) or (ban.votes if removal.state is RemovalState.REMOVED else 0)
        count = len(open_votes.still_open(revoked))
        return RemovalCounts(ban.articles, ban.comments, count, total - count)

    def _readable(self, members: Sequence[str]) -> dict[CommentId, Node]:
        """Return those of these comments that nobody deleted or removed."""
        ids = [id for id in map(parse_comment, members) if id]
        stored = self._connection.run([("HGET", self._keys.thread(id.article), id.number) for id in ids])
        nodes = {id: parse_node(id.number, text or "") for id, text in zip(ids, stored, strict=True)}
        return {id: node for id, node in nodes.items() if node and not node.status}

    def steps(self) -> Iterator[None]:
        """Finish all removals and restorations that were begun, in bounded steps; forget answers to bans that ended."""
        ended = ("ZRANGE", self._keys.ban_answers(), "-inf", clock.now(), "BYSCORE", "LIMIT", 0, config.QUEUE_SIZE)
        for name in self._connection.command(*ended):
            self._forget_answer(name)
            yield
        names = sorted(self._connection.command("SMEMBERS", self._keys.ban_removals()))
        # All votes before any article or comment: once that is removed, no vote for it can be taken back.
        yield from steps_of_each([*names, *names], partial(self._steps, set()))

    def _steps(self, done: set[int], name: str) -> Iterator[None]:
        """Take votes back at the first call, then do the rest; *done* are the bans that have taken all votes back."""
        member, removals = Users(self._context).find(name), Removals(self._context)
        removal = member.ban_removal if member else None
        ban = self._context.log.get(removal.entry) if removal else None
        if member and removal and ban and removal.state is not RemovalState.REMOVED:
            if removal.state is RemovalState.REMOVING and removal.entry not in done:
                yield from self._change_votes(member, removal)
                done.add(removal.entry)
                return
            changed = True
            # A post that is deleted in between moves the rest of a list, hence the loop.
            while changed:
                changed = False
                for batch in self._batches(member, removal):
                    for id in batch:
                        changed = removals.change_by_ban(id, ban, removal.state) or changed
                    yield
            if removal.state is RemovalState.RESTORING:
                yield from self._change_votes(member, removal)
        self._end(name, removal)

    def _change_votes(self, member: User, removal: BanRemoval) -> Iterator[None]:
        """Take the open votes of a member back, or give back those on which voting is still open."""
        open_votes, votes = OpenVotes(self._context), Votes(self._context)
        found: Iterable[list[DocumentId]] = ()
        revoked_key = self._keys.revoked_votes(member.name)
        if removal.votes:
            is_removing = removal.state is RemovalState.REMOVING
            found = open_votes.find(member.id) if is_removing else [open_votes.revoked(member.name)]
        for ids in found:
            for batch in batched(ids, _STEP):
                for id in batch:
                    votes.change_by_ban(id, member, removal)
                self._connection.command("ZREMRANGEBYRANK", revoked_key, 0, -config.MAX_REVOKED_VOTES - 1)
                yield
            yield

    @act(when_full=True)
    def _end(self, attempt: Attempt, name: str, removal: BanRemoval | None) -> list[Command]:
        """Note that all of *removal* is done, unless somebody has decided otherwise meanwhile."""
        user, listed = self._keys.user(name), ("SREM", self._keys.ban_removals(), name_key(name))
        member, stored = read_member(attempt, name)
        if member is None or member.ban_removal is None:
            return [listed]
        if removal is None or member.ban_removal != removal:
            return []
        if removal.state is RemovalState.RESTORING:
            return [listed, ("HDEL", user, "ban-removal"), ("UNLINK", self._keys.revoked_votes(name))]
        told = self._tell_votes(attempt, name, removal) if removal.votes else []
        return [listed, ("HSET", user, "ban-removal", _in_state(stored, RemovalState.REMOVED)), *told]

    def _tell_votes(self, attempt: Attempt, name: str, removal: BanRemoval) -> list[Command]:
        """Return the write that makes the log say how many votes were taken back, of which it had an estimate."""
        entry = ("LINDEX", self._keys.log_entries(), removal.entry - 1)
        text, count = attempt.read(entry, ("ZCARD", self._keys.revoked_votes(name)))
        fields = unpack(text or "")
        is_told = not fields or fields.get("votes", "0") == str(count)
        return [] if is_told else [rewrite(self._keys, removal.entry, fields | {"votes": str(count or "")})]

    def _batches(self, member: User, removal: BanRemoval) -> Iterator[Sequence[int | CommentId]]:
        """Yield the ids of the posts still to be removed or restored, some at a time."""
        things: Iterable[Sequence[int | CommentId]] = self._comments(member.name, removal)
        if removal.articles is not None:
            is_removing, since = removal.state is RemovalState.REMOVING, removal.articles
            ranking = (self._keys.posted if is_removing else self._keys.gone)(member.name)
            held = self._waiting(member.name) if is_removing else ()
            waiting = articles_of(text for text, time in held if time >= since)
            things = chain([waiting], articles_since(self._connection, ranking, str(since)), things)
        for ids in things:
            if removal.state is RemovalState.RESTORING:
                entries = self._connection.run([("HGET", *thing_of(self._keys, id).ban_field) for id in ids])
                ids = [id for id, entry in zip(ids, entries, strict=True) if entry == str(removal.entry)]
            yield from batched(ids, _STEP)

    def _comments(self, name: str, removal: BanRemoval) -> Iterator[list[int | CommentId]]:
        """Yield the ids of the comments to look at, some at a time; none to remove that nobody can read."""
        if removal.comments is None:
            return
        for listed in batched(Scanner(self._connection).members(self._keys.commented(name)), config.READ_BATCH_SIZE):
            if removal.state is RemovalState.REMOVING:
                yield [id for id, node in self._readable(listed).items() if node.time >= removal.comments]
            else:
                yield [id for id in map(parse_comment, listed) if id]


def _check_actor(attempt: Attempt, actor: User | None, member: User) -> None:
    """Raise NotAllowed to an actor whose role is by now too low for this *member*."""
    if actor and not may_ban(read_member(attempt, actor.name)[0], member):
        raise errors.NotAllowed()


def _in_state(member: StoredMember, state: RemovalState) -> str:
    """Return the stored text of the removal of a *member*, in another *state*."""
    entry, _, *rest = (member.fields["ban-removal"] or "").split(" ")
    return " ".join((entry, state, *rest))
