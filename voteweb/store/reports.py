"""Reports: members report an article or a comment once, moderators close its reports."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from voteweb.core import config
from voteweb.core.comment_errors import CommentGone, CommentReported, NoSuchComment
from voteweb.core.comments import CommentId, ListedComment, Reported
from voteweb.core.config import Settings
from voteweb.core.errors import AlreadyReported, ArticleGone, Conflict, NoSuchArticle
from voteweb.core.models import OpenReports, Page, Reason, Report, Role, User
from voteweb.core.names import name_key
from voteweb.store import decoding
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import article_id, article_member, comment_member, comment_of, is_article, parse_comment
from voteweb.store.moderation_log import ModerationLog, NewLogEntry
from voteweb.store.nodes import parse_node
from voteweb.store.scanner import batched, split_evenly
from voteweb.store.statistics import today
from voteweb.store.told import read_reporters, told_arguments

Id = TypeVar("Id", int, CommentId)


class Reports:
    """The reports of one site."""

    def __init__(self, connection: Connection, settings: Settings, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._settings = settings
        self._keys = connection.keys
        self._log = moderation_log

    def make(self, id: int, member: User, reason: Reason, note: str) -> None:
        """Report an article; raise AlreadyReported, NoSuchArticle, ArticleGone, LoggedOut."""
        keys = self._keys
        actor = actor_arguments(keys, member, Role.MEMBER)
        outcome = self._connection.script(
            "report_article",
            [keys.article(id), keys.reports(), keys.report(id), keys.reported(member.name), today(keys), *actor.keys],
            [
                article_member(id),
                id,
                name_key(member.name),
                _to_json(member, reason, note),
                config.STATISTICS_SECONDS,
                *actor.arguments,
            ],
        )
        match outcome.status:
            case "unknown":
                raise NoSuchArticle()
            case "gone":
                raise ArticleGone()
            case "already" if not outcome.repeated:
                raise AlreadyReported()

    def make_comment_report(self, id: CommentId, member: User, reason: Reason, note: str) -> None:
        """Report a comment; raise CommentReported, NoSuchComment, CommentGone, LoggedOut."""
        keys = self._keys
        actor = actor_arguments(keys, member, Role.MEMBER)
        outcome = self._connection.script(
            "report_comment",
            [
                keys.article(id.article),
                keys.thread(id.article),
                keys.reports(),
                keys.comment_report(*id),
                keys.reported_comments(member.name),
                today(keys),
                *actor.keys,
            ],
            [
                id.number,
                comment_member(*id),
                str(id),
                name_key(member.name),
                _to_json(member, reason, note),
                config.STATISTICS_SECONDS,
                *actor.arguments,
            ],
        )
        match outcome.status:
            case "unknown":
                raise NoSuchComment()
            case "gone":
                raise CommentGone()
            case "already" if not outcome.repeated:
                raise CommentReported()

    def dismiss(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Close the open reports of an article and leave it as it is; tell whether there were any.

        Tells the reporters. *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed,
        Conflict.
        """
        return self._dismiss(id, self._keys.report(id), article_member(id), entry, actor)

    def dismiss_comment(self, id: CommentId, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Close the open reports of a comment and leave it as it is, as :meth:`dismiss` does for an article."""
        return self._dismiss(id.article, self._keys.comment_report(*id), comment_member(*id), entry, actor)

    def _dismiss(self, article_id: int, reports: str, member: str, entry: NewLogEntry, actor: User | None) -> bool:
        keys, log = self._keys, self._log.prepare(entry)
        checked = actor_arguments(keys, actor)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            told = told_arguments(keys, entry.who, reporters=read_reporters(self._connection, reports))
            outcome = self._connection.script(
                "dismiss_reports",
                [keys.article(article_id), keys.reports(), reports, *told.keys, *log.keys, *checked.keys],
                [*log.arguments, member, *told.arguments, *checked.arguments],
            )
            if outcome.status != "again":
                return outcome.status == "dismissed"
        raise Conflict()

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
        first = (number - 1) * size

        def page(members: Sequence[str], total: int) -> Page[str]:
            return Page(tuple(members), number, total, first_rank=first + 1, more=total > first + size)

        if not self._settings.comments:
            return pipeline.queue(
                [self._read_members()],
                lambda replies: page((found := _articles(replies[0]))[first : first + size], len(found)),
            )
        commands: list[Command] = [("ZCARD", self._keys.reports()), self._read_members(first, first + size - 1)]
        return pipeline.queue(commands, lambda replies: page(replies[1], replies[0]))

    def _read_members(self, first: int = 0, last: int = -1) -> Command:
        return ("ZREVRANGE", self._keys.reports(), first, last)

    def queue_reported(self, pipeline: Pipeline, members: Sequence[str]) -> Future[tuple[Reported, ...]]:
        """Queue a read of the reported articles and comments that stand for *members*; leaves out what is none.

        With QUEUED_REPORTS open reports of each: the newest, or of many a sample.
        """
        known = [member for member in members if is_article(member) or comment_of(member)]
        commands = [command for member in known for command in self._read_reported(member)]

        def parse(replies: list[Any]) -> tuple[Reported, ...]:
            parts = split_evenly(replies, len(known))
            rows = [_reported(member, part) for member, part in zip(known, parts, strict=True)]
            return tuple(row for row in rows if row)

        return pipeline.queue(commands, parse)

    def _read_reported(self, member: str) -> list[Command]:
        """Return five commands that read an article or a comment with its article, and its open reports."""
        keys, comment = self._keys, comment_of(member)
        id = comment.article if comment else article_id(member)
        number = str(comment.number if comment else 0)
        return [
            ("HMGET", keys.article(id), *decoding.FIELDS, *decoding.TEXT_FIELDS),
            ("HGET", keys.thread(id), number),
            ("HGET", keys.words(id), number),
            *self._read_open(keys.comment_report(*comment) if comment else keys.report(id), 0, config.QUEUED_REPORTS),
        ]

    def queue_open_page(self, pipeline: Pipeline, id: int | CommentId, position: int) -> Future[OpenReports]:
        """Queue a read of some REPORT_PAGE_SIZE open reports from *position*, 0 or that of ``next``."""
        reports = self._keys.comment_report(*id) if isinstance(id, CommentId) else self._keys.report(id)
        commands = self._read_open(reports, position, config.REPORT_PAGE_SIZE)
        return pipeline.queue(commands, lambda replies: _open_reports(*replies))

    def _read_open(self, reports: str, position: int, count: int) -> list[Command]:
        """Return the commands that read how many open reports a hash has, and about *count* of them.

        HSCAN costs the same however many there are. Redis returns a small hash whole, in the order of the reports.
        """
        return [("HLEN", reports), ("HSCAN", reports, position, "COUNT", count)]

    def made_by(self, member: User) -> dict[int, Report | None]:
        """Return all reports by *member*, by article id; None for one that is settled, whose words are gone."""
        ids = sorted(map(int, self._connection.command("SMEMBERS", self._keys.reported(member.name))))
        return self._made(member, {id: self._keys.report(id) for id in ids})

    def made_of_comments_by(self, member: User) -> dict[CommentId, Report | None]:
        """Return all reports of comments by *member*, as :meth:`made_by` does those of articles."""
        stored = self._connection.command("SMEMBERS", self._keys.reported_comments(member.name))
        ids = sorted(filter(None, map(parse_comment, stored)))
        return self._made(member, {id: self._keys.comment_report(*id) for id in ids})

    def _made(self, member: User, keys: dict[Id, str]) -> dict[Id, Report | None]:
        reports: dict[Id, Report | None] = {}
        for batch in batched(keys):
            stored = self._connection.run([("HGET", keys[id], name_key(member.name)) for id in batch])
            reports |= {id: parse_report(text) if text else None for id, text in zip(batch, stored, strict=True)}
        return reports


def _reported(member: str, replies: Sequence[Any]) -> Reported | None:
    article_fields, stored, text, *stored_reports = replies
    reports = _open_reports(*stored_reports)
    reports = replace(reports, rows=reports.rows[-config.QUEUED_REPORTS :])
    comment = comment_of(member)
    article = decoding.article_with_text(comment.article if comment else article_id(member), article_fields)
    if article is None or comment is None:
        return Reported(reports, article=article) if article and article.is_listed else None
    node = parse_node(comment.number, stored or "")
    if node is None:
        return None
    return Reported(reports, comment=ListedComment(comment, node, text or "", article.title, article.poster))


def _articles(members: Sequence[str]) -> list[str]:
    return [member for member in members if is_article(member)]


def _to_json(member: User, reason: Reason, note: str) -> str:
    return json.dumps({"by": member.name, "reason": reason.value, "note": note})


def _open_reports(total: int, scanned: tuple[int, dict[str, str]]) -> OpenReports:
    position, stored = scanned
    reports = sorted(map(parse_report, stored.values()), key=lambda report: report.time)
    return OpenReports(tuple(reports), total, int(position))


def parse_report(stored: str) -> Report:
    """Return the report that the script stored as JSON."""
    fields: dict[str, Any] = json.loads(stored)
    return Report(fields["by"], Reason(fields["reason"]), fields["note"], float(fields["time"]))
