"""Reports: members report an article or a comment once, moderators close its reports, and who is told in their inbox.

A comment that was removed together with one above it is covered: such a removal settles its reports, too.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from voteweb.core import clock, config, errors
from voteweb.core.comments import CommentId, Reported
from voteweb.core.conversation import climb
from voteweb.core.models import ArticleStatus, LogAction, LogEntry, OpenReports, Page, Reason, Report, Role, User
from voteweb.core.names import name_key
from voteweb.core.statistics import wait_bucket
from voteweb.store.comments.comments import covering, read_comment, read_time
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node, parse_thread
from voteweb.store.schema.values import (
    article_member,
    comment_member,
    comment_of,
    is_article,
    parse_comment,
    parse_report,
    posted_of,
)
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.moderation_log import ModerationLog, mark_undone, who_is_told
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
    return (thing_of(keys, id) for id in map(posted_of, members) if id)


def first_time(reports: Mapping[str, str]) -> float:
    """Return the unix time of the first of these stored reports by name, which is their place in ``reports:``."""
    return min((report.time for report in _readable(reports)), default=0.0)


def without_reports(keys: Keys, thing: Thing) -> list[Command]:
    """Return the writes that close the open reports of a thing, and forget those that were dismissed."""
    return [("UNLINK", thing.report_key, thing.dismissed_key), ("ZREM", keys.reports(), thing.member)]


def settle(attempt: Attempt, thing: Thing, by: str, author: str = "", *, keeps: bool = False) -> list[Command]:
    """Return the writes that close the open reports of a thing, of which the member *by* has decided.

    *keeps*: they are kept for UNDO_SECONDS.

    Makes *attempt* tell its *author* and MAX_TOLD_REPORTERS of the reporters, of more a sample; counts that they are
    settled, and how long they have waited.
    """
    stored, total = attempt.read_sample(thing.report_key, config.MAX_TOLD_REPORTERS)
    attempt.told = who_is_told(by, author, sorted(stored))
    wait = clock.now() - first_time(stored)
    counted = settled_counts(attempt.keys, wait) if total else []
    closed = without_reports(attempt.keys, thing)
    if keeps and total:
        closed[0] = ("RENAME", thing.report_key, thing.dismissed_key)
        closed.append(("EXPIRE", thing.dismissed_key, config.UNDO_SECONDS))
    return [*closed, *counted]


def settled_counts(keys: Keys, wait: float) -> list[Command]:
    """Return the writes that count that reports are settled, of which the first has waited so many seconds."""
    return count_act(keys, "settled", f"wait-{wait_bucket(wait)}")


def settle_covered(connection: Connection, log: ModerationLog, article_id: int | None = None) -> None:
    """Settle the open reports of covered comments, of one article or of all; tell their reporters of the removal."""
    queued = map(comment_of, connection.command("ZRANGE", connection.keys.reports(), 0, -1))
    ids = [id for id in queued if id and article_id in (None, id.article)]
    covered = {article: _covered_on(connection, article) for article in {id.article for id in ids}}
    ids = [id for id in ids if id.number in covered[id.article]]
    if ids:
        newest = connection.read(log.queue_page, 1, kind=LogAction.REMOVE)
        removals = {(entry.article, entry.comment): entry for entry in reversed(newest.rows)}
        for id in ids:
            commit(connection, partial(_settle_covered, id, removals), when_full=True)


def _covered_on(connection: Connection, article: int) -> set[int]:
    thread = parse_thread(article, connection.command("HGETALL", connection.keys.thread(article)))
    return climb(thread.nodes)[2]


def _settle_covered(id: CommentId, removals: Mapping[tuple[int, int], LogEntry], attempt: Attempt) -> list[Command]:
    """Return the writes that close the open reports of one comment, none if it is not covered any more.

    Nobody is told of a removal that is not among *removals*.
    """
    keys, thing = attempt.keys, thing_of(attempt.keys, id)
    stored = attempt.value("HGET", keys.thread(id.article), id.number)
    above = covering(attempt.value, keys, id.article, parse_node(id.number, stored or ""))
    removal = removals.get((id.article, above))
    if not above or not removal:
        return without_reports(keys, thing) if above else []
    attempt.told_of = f"log-{removal.id}"
    return settle(attempt, thing, removal.who)


def _check_readable(attempt: Attempt, id: int | CommentId) -> None:
    """Raise NoSuchArticle, ArticleGone, NoSuchComment or CommentGone if nobody can read this article or comment."""
    if not isinstance(id, CommentId):
        read_time(attempt, id)
        return
    title, gone = attempt.value("HMGET", attempt.keys.article(id.article), "title", "gone")
    if title is None:
        raise errors.NoSuchComment()
    read_comment(attempt, id)
    if gone == ArticleStatus.REMOVED:
        raise errors.CommentGone()


class Reports(StorePart):
    """The reports of one site."""

    @act(Role.MEMBER)
    def make(self, attempt: Attempt, id: int | CommentId, actor: User, reason: Reason, note: str) -> list[Command]:
        """Report an article or a comment; raise LoggedOut, Held.

        Of an article also AlreadyReported, NoSuchArticle, ArticleGone; of a comment CommentReported, NoSuchComment,
        CommentGone.
        """
        keys, thing, name = self._keys, thing_of(self._keys, id), name_key(actor.name)
        reported = thing.reported_key(name)
        _check_readable(attempt, id)
        if attempt.value("SISMEMBER", reported, str(id)):
            raise errors.CommentReported() if isinstance(id, CommentId) else errors.AlreadyReported()
        report = {"by": actor.name, "reason": reason.value, "note": note, "time": float(attempt.now)}
        return [
            ("SADD", reported, str(id)),
            ("HSET", thing.report_key, name, json.dumps(report, ensure_ascii=False, separators=(",", ":"))),
            ("ZADD", keys.reports(), "LT", attempt.now, thing.member),  # another may have read the clock before
            *count_act(keys, "reports"),
        ]

    @act(when_full=True)
    def dismiss(
        self, attempt: Attempt, id: int | CommentId, entry: LogEntry, *, actor: User | None = None
    ) -> list[Command]:
        """Close the open reports of an article or a comment, and leave it as it is; tell whether there were any.

        Tells the reporters. *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed,
        Conflict.
        """
        thing = thing_of(self._keys, id)
        queued = attempt.value("ZSCORE", self._keys.reports(), thing.member)
        return [] if queued is None else settle(attempt, thing, entry.who, keeps=True)

    @act()
    def reopen(
        self, attempt: Attempt, id: int | CommentId, entry: LogEntry, *, actor: User | None = None
    ) -> list[Command]:
        """Open the reports of an article or a comment again whose dismissal *entry* undoes.

        Raises ReportedAgain, NothingToUndo, LoggedOut, NotAllowed, Conflict; when nobody can read it any more,
        NoSuchArticle, ArticleGone, NoSuchComment, CommentGone.
        """
        thing = thing_of(self._keys, id)
        _check_readable(attempt, id)
        undone = mark_undone(attempt, entry)
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

    def withdraw_all(self, name: str) -> Iterator[None]:
        """Withdraw, in bounded steps, all reports by a member who left; those of others stay."""
        for reported in (self._keys.reported(name), self._keys.reported_comments(name)):
            for batch in batched(Scanner(self._connection).members(reported)):
                for text in batch:
                    self._withdraw(name_key(name), reported, text)
                yield

    @act()
    def _withdraw(self, attempt: Attempt, name: str, reported: str, text: str) -> list[Command]:
        keys, id = self._keys, _parse_id(text)
        forget: list[Command] = [("SREM", reported, text)]
        if id is None:  # another program's member
            return forget
        thing = thing_of(keys, id)
        forget.append(("HDEL", thing.dismissed_key, name))
        others = attempt.value("HGETALL", thing.report_key)
        if others.pop(name, None) is None:
            return forget
        rank: Command = ("ZADD", keys.reports(), first_time(others), thing.member)
        return [
            *forget,
            ("HDEL", thing.report_key, name),
            rank if others else ("ZREM", keys.reports(), thing.member),
        ]

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles and comments have open reports; a site without comments counts none."""
        if not self._settings.comments:
            members: Command = ("ZRANGE", self._keys.reports(), 0, -1)
            return pipeline.queue_one(members, lambda reply: sum(map(is_article, reply)))
        return pipeline.queue_one(("ZCARD", self._keys.reports()), int)

    def queue_page(self, pipeline: Pipeline, number: int) -> Future[Page[Reported]]:
        """Queue a read of page *number* (from 1) of the articles and comments with open reports, oldest first.

        With QUEUED_REPORTS open reports of each: the newest, or of many a sample. A site without comments lists none.
        """
        values = {"shows_comments": int(self._settings.comments), "most": config.QUEUED_REPORTS}

        def read_from(first: int, size: int) -> list[Command]:
            return [scripts.call(self._keys, "read_reports", first=first, size=size, fields=decoding.WHOLE, **values)]

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
        ids.sort(key=lambda id: (isinstance(id, CommentId), id))
        things = [thing_of(self._keys, id) for id in ids]
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


def _reported(row: Sequence[Any]) -> Reported | None:
    """Return what a row of ``read_reports.lua`` says, None for what nobody can read."""
    id, fields, total, stored, *comment = row
    reports = _open_reports(total, 0, dict(zip(stored[::2], stored[1::2], strict=True)))
    reports = reports._replace(rows=reports.rows[-config.QUEUED_REPORTS :])
    if comment:
        listed = listed_comment(comment[0])
        return Reported(reports, comment=listed) if listed else None
    article = decoding.article(int(id), fields) if fields else None
    return Reported(reports, article=article) if article and article.is_listed else None


def _open_reports(total: int, position: int | str, stored: Mapping[str, str]) -> OpenReports:
    reports = sorted(_readable(stored), key=lambda report: report.time)
    return OpenReports(tuple(reports), total, int(position))


def _readable(stored: Mapping[str, str]) -> Iterator[Report]:
    """Yield the reports in a hash, or in a part of it, but those that cannot be read: the doctor takes them out."""
    return (report for report in map(parse_report, stored.values()) if report)
