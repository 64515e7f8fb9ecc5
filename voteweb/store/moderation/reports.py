"""Reports: members report an article or a comment once, moderators close its reports, and who is told in their inbox.

A comment that was removed together with one above it is covered: such a removal settles its reports, too.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from voteweb.core import clock, config, errors, validation
from voteweb.core.comments import CommentId, NoticeKind, Reported
from voteweb.core.models import ArticleStatus, LogAction, LogEntry, OpenReports, Page, Reason, Report, Role, User
from voteweb.core.names import name_key
from voteweb.core.statistics import wait_bucket
from voteweb.store.comments.comments import is_covered, read_comment, read_time
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import (
    article_id,
    article_member,
    comment_member,
    comment_of,
    is_article,
    parse_comment,
    parse_report,
)
from voteweb.store.site.context import StorePart
from voteweb.store.site.moderation_log import ModerationLog, undo
from voteweb.store.site.rate_limits import count_act
from voteweb.store.site.rows import listed_comment, queue_page


class Thing(NamedTuple):
    """An article or a comment that members report, and moderators remove.

    ``report_key`` is the hash of its open reports, ``dismissed_key`` that of the dismissed ones; ``reported_key`` of a
    name the set of that member's reports, in which ``str(id)`` stands for it; ``member`` stands for it in rankings.
    ``ban_field`` is the hash and the field with the log id of the ban that removed it.
    """

    id: int | CommentId
    report_key: str
    dismissed_key: str
    reported_key: Callable[[str], str]
    member: str
    ban_field: tuple[str, str]


def thing_of(keys: Keys, id: int | CommentId) -> Thing:
    """Return the article or comment of this id."""
    if isinstance(id, CommentId):
        ban_field = (keys.thread(id.article), f"removed-by:{id.number}")
        report_keys = keys.comment_report(*id), keys.dismissed(str(id))
        return Thing(id, *report_keys, keys.reported_comments, comment_member(*id), ban_field)
    return Thing(
        id, keys.report(id), keys.dismissed(id), keys.reported, article_member(id), (keys.article(id), "removed-by")
    )


def things_of(keys: Keys, members: Iterable[str]) -> Iterator[Thing]:
    """Yield the articles and comments for which these *members* of ``reports:`` stand."""
    return (
        thing_of(keys, comment_of(member) or article_id(member))
        for member in members
        if comment_of(member) or is_article(member)
    )


def first_time(reports: Mapping[str, str]) -> float:
    """Return the unix time of the first of these stored reports by name, which is their place in ``reports:``."""
    return min((report.time for report in _readable(reports)), default=0.0)


def without_reports(keys: Keys, thing: Thing) -> list[Command]:
    """Return the writes that close the open reports of a thing, and forget those that were dismissed."""
    return [("UNLINK", thing.report_key, thing.dismissed_key), ("ZREM", keys.reports(), thing.member)]


def settle(
    attempt: Attempt, keys: Keys, thing: Thing, by: str, author: str = "", *, keeps: bool = False
) -> list[Command]:
    """Return the writes that close the open reports of a thing, of which the member *by* has decided.

    *keeps*: they are kept for UNDO_SECONDS.

    Makes *attempt* tell its *author* and MAX_TOLD_REPORTERS of the reporters, of more a sample; counts that they are
    settled, and how long they have waited.
    """
    stored, total = attempt.read_sample(thing.report_key, config.MAX_TOLD_REPORTERS)
    attempt.told = who_is_told(by, author, sorted(stored))
    wait = clock.now() - first_time(stored)
    counted = settled_counts(keys, wait) if total else []
    closed = without_reports(keys, thing)
    if keeps and total:
        closed[0] = ("RENAME", thing.report_key, thing.dismissed_key)
        closed.append(("EXPIRE", thing.dismissed_key, config.UNDO_SECONDS))
    return [*closed, *counted]


def settled_counts(keys: Keys, wait: float) -> list[Command]:
    """Return the writes that count that reports are settled, of which the first has waited so many seconds."""
    return count_act(keys, "settled", f"wait-{wait_bucket(wait)}")


def who_is_told(by: str, author: str = "", reporters: Iterable[str] = ()) -> list[tuple[NoticeKind, str]]:
    """Return who of these finds an act of the member *by* in their inbox, who is not told, with the kind of notice."""
    # An author who is also a reporter is told once.
    members = {name_key(author): NoticeKind.REMOVED}
    for name in reporters:
        members.setdefault(name_key(name), NoticeKind.REPORT)
    return [(kind, name) for name, kind in members.items() if validation.is_member_name(name) and name != name_key(by)]


def find_covered(
    run: Callable[[Sequence[Command]], list[Any]], keys: Keys, ids: Iterable[CommentId]
) -> dict[CommentId, int]:
    """Return those of these comments that are covered, with the number of the one above that was removed.

    Takes a round trip for each level.
    """
    covered: dict[CommentId, int] = {}
    places = {id: id.number for id in ids}
    while places:
        stored = run([("HGET", keys.thread(id.article), number) for id, number in places.items()])
        above: dict[CommentId, int] = {}
        for (id, number), text in zip(places.items(), stored, strict=True):
            node = parse_node(number, text or "")
            if node and node.removes_replies and number != id.number:
                covered[id] = number
            elif node and 0 < node.parent < number:
                above[id] = node.parent
        places = above
    return covered


def settle_covered(connection: Connection, log: ModerationLog, article_id: int | None = None) -> None:
    """Settle the open reports of covered comments, of one article or of all; tell their reporters of the removal."""
    keys = connection.keys
    queued = map(comment_of, connection.command("ZRANGE", keys.reports(), 0, -1))
    covered = find_covered(connection.run, keys, [id for id in queued if id and article_id in (None, id.article)])
    if not covered:
        return
    newest = connection.read(log.queue_page, 1, kind=LogAction.REMOVE)
    removals = {(entry.article, entry.comment): entry for entry in reversed(newest.rows)}
    for id, above in covered.items():
        _settle_covered(connection, id, removals.get((id.article, above)))


def _settle_covered(connection: Connection, id: CommentId, removal: LogEntry | None) -> None:
    """Close the open reports of one comment; nobody is told of a *removal* that is not among the newest acts."""
    keys, thing = connection.keys, thing_of(connection.keys, id)

    def decide(attempt: Attempt) -> list[Command]:
        (stored,) = attempt.read(("HGET", keys.thread(id.article), id.number))
        if not is_covered(attempt, keys, id.article, parse_node(id.number, stored or "")):
            return []
        if removal is None:
            return without_reports(keys, thing)
        attempt.told_of = f"log-{removal.id}"
        return settle(attempt, keys, thing, removal.who)

    commit(connection, decide, when_full=True)


def _check_readable(attempt: Attempt, keys: Keys, id: int | CommentId) -> None:
    """Raise NoSuchArticle, ArticleGone, NoSuchComment or CommentGone if nobody can read this article or comment."""
    if not isinstance(id, CommentId):
        read_time(attempt, keys, id)
        return
    ((title, gone),) = attempt.read(("HMGET", keys.article(id.article), "title", "gone"))
    if title is None:
        raise errors.NoSuchComment()
    read_comment(attempt, keys, id)
    if gone == ArticleStatus.REMOVED:
        raise errors.CommentGone()


class Reports(StorePart):
    """The reports of one site."""

    def make(self, id: int | CommentId, member: User, reason: Reason, note: str) -> None:
        """Report an article or a comment; raise LoggedOut, Held.

        Of an article also AlreadyReported, NoSuchArticle, ArticleGone; of a comment CommentReported, NoSuchComment,
        CommentGone.
        """
        keys, thing, name = self._keys, thing_of(self._keys, id), name_key(member.name)
        reported = thing.reported_key(name)

        def decide(attempt: Attempt) -> list[Command]:
            _check_readable(attempt, keys, id)
            (is_reported,) = attempt.read(("SISMEMBER", reported, str(id)))
            if is_reported:
                raise errors.CommentReported() if isinstance(id, CommentId) else errors.AlreadyReported()
            report = {"by": member.name, "reason": reason.value, "note": note, "time": float(attempt.now)}
            return [
                ("SADD", reported, str(id)),
                ("HSET", thing.report_key, name, json.dumps(report, ensure_ascii=False, separators=(",", ":"))),
                ("ZADD", keys.reports(), "LT", attempt.now, thing.member),  # another may have read the clock before
                *count_act(keys, "reports"),
            ]

        commit(self._connection, decide, actor=member, role=Role.MEMBER)

    def dismiss(self, id: int | CommentId, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Close the open reports of an article or a comment, and leave it as it is; tell whether there were any.

        Tells the reporters. *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed,
        Conflict.
        """
        thing = thing_of(self._keys, id)

        def decide(attempt: Attempt) -> list[Command]:
            (queued,) = attempt.read(("ZSCORE", self._keys.reports(), thing.member))
            if queued is None:
                return []
            return settle(attempt, self._keys, thing, entry.who, keeps=True)

        return commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def reopen(self, id: int | CommentId, entry: NewLogEntry, *, actor: User | None = None) -> None:
        """Open the reports of an article or a comment again whose dismissal *entry* undoes.

        Raises ReportedAgain, NothingToUndo, LoggedOut, NotAllowed, Conflict; when nobody can read it any more,
        NoSuchArticle, ArticleGone, NoSuchComment, CommentGone.
        """
        thing = thing_of(self._keys, id)

        def decide(attempt: Attempt) -> list[Command]:
            _check_readable(attempt, self._keys, id)
            undone = undo(attempt, self._keys, entry)
            dismissed, is_open = attempt.read(("HGETALL", thing.dismissed_key), ("EXISTS", thing.report_key))
            if is_open:
                raise errors.ReportedAgain()
            if not dismissed:
                raise errors.NothingToUndo()
            return [
                ("RENAME", thing.dismissed_key, thing.report_key),
                ("PERSIST", thing.report_key),
                ("ZADD", self._keys.reports(), first_time(dismissed), thing.member),
                *undone,
            ]

        commit(self._connection, decide, actor=actor, entry=entry)

    def withdraw_all(self, name: str) -> Iterator[None]:
        """Withdraw, in bounded steps, all reports by a member who left; those of others stay."""
        for reported in (self._keys.reported(name), self._keys.reported_comments(name)):
            for batch in batched(Scanner(self._connection).members(reported)):
                for text in batch:
                    self._withdraw(name_key(name), reported, text)
                yield

    def _withdraw(self, name: str, reported: str, text: str) -> None:
        keys, id = self._keys, _parse_id(text)
        if id is None:  # another program's member
            self._connection.command("SREM", reported, text)
            return
        thing = thing_of(keys, id)
        forget: list[Command] = [("SREM", reported, text), ("HDEL", thing.dismissed_key, name)]

        def decide(attempt: Attempt) -> list[Command]:
            (stored,) = attempt.read(("HGETALL", thing.report_key))
            if name not in stored:
                return forget
            others = {other: report for other, report in stored.items() if other != name}
            rank: Command = ("ZADD", keys.reports(), first_time(others), thing.member)
            return [
                ("HDEL", thing.report_key, name),
                rank if others else ("ZREM", keys.reports(), thing.member),
                *forget,
            ]

        commit(self._connection, decide)

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles and comments have open reports; a site without comments counts none."""
        if not self._settings.comments:
            members: Command = ("ZRANGE", self._keys.reports(), 0, -1)
            return pipeline.queue([members], lambda replies: sum(map(is_article, replies[0])))
        return pipeline.queue([("ZCARD", self._keys.reports())], lambda replies: int(replies[0]))

    def queue_page(self, pipeline: Pipeline, number: int) -> Future[Page[Reported]]:
        """Queue a read of page *number* (from 1) of the articles and comments with open reports, oldest first.

        With QUEUED_REPORTS open reports of each: the newest, or of many a sample. A site without comments lists none.
        """
        values = {"shows_comments": int(self._settings.comments), "most": config.QUEUED_REPORTS}
        fields = decoding.FIELDS + decoding.TEXT_FIELDS

        def read_from(first: int, size: int) -> list[Command]:
            return [scripts.call(self._keys, "read_reports", first=first, size=size, fields=fields, **values)]

        return queue_page(pipeline, number, self._settings.page_size, read_from, lambda rows: map(_reported, rows))

    def queue_open_page(self, pipeline: Pipeline, id: int | CommentId, position: int) -> Future[OpenReports]:
        """Queue a read of some REPORT_PAGE_SIZE open reports from *position*, 0 or that of ``next``.

        HSCAN costs the same however many there are. Redis returns a small hash whole, in the order of the reports.
        """
        key = thing_of(self._keys, id).report_key
        commands = [("HLEN", key), ("HSCAN", key, position, "COUNT", config.REPORT_PAGE_SIZE)]
        return pipeline.queue(commands, lambda replies: _open_reports(replies[0], *replies[1]))

    def made_by(self, member: User) -> dict[int | CommentId, Report | None]:
        """Return all reports by *member*, of articles and then of comments; None for one that is settled."""
        names = (self._keys.reported(member.name), self._keys.reported_comments(member.name))
        stored = self._connection.run([("SMEMBERS", name) for name in names])
        ids = [id for texts in stored for id in map(_parse_id, texts) if id is not None]
        things = [thing_of(self._keys, id) for id in sorted(ids, key=_place)]
        reports: dict[int | CommentId, Report | None] = {}
        for batch in batched(things):
            open_ones = self._connection.run([("HGET", thing.report_key, name_key(member.name)) for thing in batch])
            reports |= {
                thing.id: parse_report(text) if text else None for thing, text in zip(batch, open_ones, strict=True)
            }
        return reports


def _parse_id(text: str) -> int | CommentId | None:
    """Return what a member of ``reported:`` or ``reported-comments:`` stands for, None for another program's."""
    return int(text) if text.isascii() and text.isdecimal() else parse_comment(text)


def _place(id: int | CommentId) -> tuple[int, ...]:
    return (1, *id) if isinstance(id, CommentId) else (0, id)


def _reported(row: Sequence[Any]) -> Reported | None:
    """Return what a row of ``read_reports.lua`` says, None for what nobody can read."""
    id, fields, total, stored, *comment = row
    reports = _open_reports(total, 0, dict(zip(stored[::2], stored[1::2], strict=True)))
    reports = replace(reports, rows=reports.rows[-config.QUEUED_REPORTS :])
    if comment:
        listed = listed_comment(comment[0])
        return Reported(reports, comment=listed) if listed else None
    article = decoding.article_with_text(int(id), fields) if fields else None
    return Reported(reports, article=article) if article and article.is_listed else None


def _open_reports(total: int, position: int | str, stored: Mapping[str, str]) -> OpenReports:
    reports = sorted(_readable(stored), key=lambda report: report.time)
    return OpenReports(tuple(reports), total, int(position))


def _readable(stored: Mapping[str, str]) -> Iterator[Report]:
    """Yield the reports in a hash, or in a part of it, but those that cannot be read: the doctor takes them out."""
    return (report for report in map(parse_report, stored.values()) if report)
