"""Reports: members report an article or a comment once, moderators close its reports."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from voteweb.core import config
from voteweb.core.comment_errors import CommentGone, CommentReported, NoSuchComment
from voteweb.core.comments import CommentId, ListedComment, Reported
from voteweb.core.errors import AlreadyReported
from voteweb.core.models import ArticleStatus, OpenReports, Page, Reason, Report, Role, User
from voteweb.core.names import name_key
from voteweb.store.comments.stored_comments import read_comment, read_time
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.settling import settle, thing_of
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema import decoding
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import article_id, comment_of, is_article, parse_comment
from voteweb.store.site.context import StorePart
from voteweb.store.site.rows import members_of, queue_page
from voteweb.store.site.statistics import count_act


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
            if isinstance(id, CommentId):
                ((title, gone),) = attempt.read(("HMGET", keys.article(id.article), "title", "gone"))
                if title is None:
                    raise NoSuchComment()
                read_comment(attempt, keys, id)
                if gone == ArticleStatus.REMOVED:
                    raise CommentGone()
            else:
                read_time(attempt, keys, id)
            is_reported, is_open, count = attempt.read(
                ("SISMEMBER", reported, str(id)), ("HEXISTS", thing.report_key, name), ("HLEN", thing.report_key)
            )
            if is_reported:
                raise CommentReported() if isinstance(id, CommentId) else AlreadyReported()
            report = {"by": member.name, "reason": reason.value, "note": note, "time": float(attempt.now)}
            return [
                ("SADD", reported, str(id)),
                ("HSET", thing.report_key, name, json.dumps(report, ensure_ascii=False, separators=(",", ":"))),
                ("ZADD", keys.reports(), count + (not is_open), thing.member),
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
            return settle(attempt, self._keys, thing, entry.who)

        return commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def withdraw_all(self, name: str) -> Iterator[None]:
        """Withdraw, in bounded steps, all reports by a member who left; the queue counts the others."""
        for reported in (self._keys.reported(name), self._keys.reported_comments(name)):
            for batch in batched(Scanner(self._connection).members(reported)):
                for text in batch:
                    self._withdraw(name_key(name), reported, text)
                yield

    def _withdraw(self, name: str, reported: str, text: str) -> None:
        keys, id = self._keys, _parse_id(text)
        forget: Command = ("SREM", reported, text)
        if id is None:  # another program's member
            self._connection.command(*forget)
            return
        thing = thing_of(keys, id)

        def decide(attempt: Attempt) -> list[Command]:
            is_open, count = attempt.read(("HEXISTS", thing.report_key, name), ("HLEN", thing.report_key))
            if not is_open:
                return [forget]
            rank: Command = ("ZADD", keys.reports(), count - 1, thing.member)
            return [
                ("HDEL", thing.report_key, name),
                rank if count > 1 else ("ZREM", keys.reports(), thing.member),
                forget,
            ]

        commit(self._connection, decide)

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles and comments have open reports; a site without comments counts none."""
        if not self._settings.comments:
            return pipeline.queue([self._read_members()], lambda replies: len(_articles(replies[0])))
        return pipeline.queue([("ZCARD", self._keys.reports())], lambda replies: int(replies[0]))

    def queue_page(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the articles and comments with open reports, most reported first.

        The rows are members of rankings, for :meth:`queue_reported`. A site without comments lists none.
        """
        size = self._settings.page_size
        if self._settings.comments:
            return queue_page(pipeline, number, size, members_of(self._keys.reports(), size))

        def parse(replies: list[Any]) -> Page[str]:
            articles = _articles(replies[0])
            return Page.at(number, size, articles[(number - 1) * size : number * size], len(articles))

        return pipeline.queue([self._read_members()], parse)

    def _read_members(self) -> Command:
        return ("ZREVRANGE", self._keys.reports(), 0, -1)

    def queue_reported(self, pipeline: Pipeline, members: Sequence[str]) -> Future[tuple[Reported, ...]]:
        """Queue a read of the reported articles and comments that stand for *members*; leaves out what is none.

        With QUEUED_REPORTS open reports of each: the newest, or of many a sample.
        """
        ids = [id for id in map(_id_of, members) if id is not None]
        commands = [command for id in ids for command in self._read_reported(id)]

        def parse(replies: list[Any]) -> tuple[Reported, ...]:
            parts = split_evenly(replies, len(ids))
            rows = [_reported(id, part) for id, part in zip(ids, parts, strict=True)]
            return tuple(row for row in rows if row)

        return pipeline.queue(commands, parse)

    def _read_reported(self, id: int | CommentId) -> list[Command]:
        """Return five commands that read an article or a comment with its article, and its open reports."""
        article, number = id if isinstance(id, CommentId) else (id, 0)
        return [
            ("HMGET", self._keys.article(article), *decoding.FIELDS, *decoding.TEXT_FIELDS),
            ("HGET", self._keys.thread(article), number),
            ("HGET", self._keys.words(article), number),
            *self._read_open(thing_of(self._keys, id).report_key, 0, config.QUEUED_REPORTS),
        ]

    def queue_open_page(self, pipeline: Pipeline, id: int | CommentId, position: int) -> Future[OpenReports]:
        """Queue a read of some REPORT_PAGE_SIZE open reports from *position*, 0 or that of ``next``."""
        commands = self._read_open(thing_of(self._keys, id).report_key, position, config.REPORT_PAGE_SIZE)
        return pipeline.queue(commands, lambda replies: _open_reports(*replies))

    def _read_open(self, reports: str, position: int, count: int) -> list[Command]:
        """Return the commands that read how many open reports a hash has, and about *count* of them.

        HSCAN costs the same however many there are. Redis returns a small hash whole, in the order of the reports.
        """
        return [("HLEN", reports), ("HSCAN", reports, position, "COUNT", count)]

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


def _id_of(member: str) -> int | CommentId | None:
    """Return what a member of the queue stands for, None for another program's."""
    return article_id(member) if is_article(member) else comment_of(member)


def _reported(id: int | CommentId, replies: Sequence[Any]) -> Reported | None:
    article_fields, stored, text, *stored_reports = replies
    reports = _open_reports(*stored_reports)
    reports = replace(reports, rows=reports.rows[-config.QUEUED_REPORTS :])
    if not isinstance(id, CommentId):
        article = decoding.article_with_text(id, article_fields)
        return Reported(reports, article=article) if article and article.is_listed else None
    article, node = decoding.article_with_text(id.article, article_fields), parse_node(id.number, stored or "")
    if article is None or node is None:
        return None
    return Reported(reports, comment=ListedComment(id, node, text or "", article.title, article.poster))


def _articles(members: Sequence[str]) -> list[str]:
    return [member for member in members if is_article(member)]


def _open_reports(total: int, scanned: tuple[int, dict[str, str]]) -> OpenReports:
    position, stored = scanned
    reports = sorted(map(parse_report, stored.values()), key=lambda report: report.time)
    return OpenReports(tuple(reports), total, int(position))


def parse_report(stored: str) -> Report:
    """Return the report that is stored as JSON."""
    fields: dict[str, Any] = json.loads(stored)
    return Report(fields["by"], Reason(fields["reason"]), fields["note"], float(fields["time"]))
