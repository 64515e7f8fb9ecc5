"""Reports: members report an article once, moderators close its reports."""

import json
from dataclasses import replace
from typing import Any

from voteweb.core import config
from voteweb.core.errors import AlreadyReported, ArticleGone, NoSuchArticle
from voteweb.core.models import Article, OpenReports, Reason, Report, Role, User
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import ModerationLog, NewLogEntry


class Reports:
    """The reports of one site."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def make(self, id: int, member: User, reason: Reason, note: str) -> None:
        """Report an article; raise AlreadyReported, NoSuchArticle, ArticleGone, LoggedOut."""
        keys = self._keys
        actor = actor_arguments(keys, member, Role.MEMBER)
        outcome = self._connection.script(
            "report_article",
            [keys.article(id), keys.reports(), keys.report(id), keys.reported(member.name), *actor.keys],
            [
                article_member(id),
                id,
                member.name.lower(),
                json.dumps({"by": member.name, "reason": reason.value, "note": note}),
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

    def dismiss(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Close the open reports of an article and leave it as it is; tell whether there were any.

        *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed.
        """
        keys, log = self._keys, self._log.prepare(entry)
        checked = actor_arguments(keys, actor)
        outcome = self._connection.script(
            "dismiss_reports",
            [keys.article(id), keys.reports(), keys.report(id), *log.keys, *checked.keys],
            [*log.arguments, article_member(id), *checked.arguments],
        )
        return outcome.status == "dismissed"

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles have open reports."""
        return pipeline.queue([("ZCARD", self._keys.reports())], lambda replies: int(replies[0]))

    def queue_open(self, pipeline: Pipeline, articles: tuple[Article, ...]) -> Future[dict[int, OpenReports]]:
        """Queue a read of QUEUED_REPORTS open reports of each of *articles*, by id: the newest, or of many a sample."""

        def parse(replies: list[Any]) -> dict[int, OpenReports]:
            return {
                article.id: replace(reports, rows=reports.rows[-config.QUEUED_REPORTS :])
                for article, *stored in zip(articles, replies[::2], replies[1::2], strict=True)
                for reports in [_open_reports(*stored)]
            }

        commands = [self._read_open(article.id, 0, config.QUEUED_REPORTS) for article in articles]
        return pipeline.queue([command for pair in commands for command in pair], parse)

    def queue_open_page(self, pipeline: Pipeline, id: int, position: int) -> Future[OpenReports]:
        """Queue a read of some REPORT_PAGE_SIZE open reports of an article from *position*, 0 or that of ``next``."""
        commands = self._read_open(id, position, config.REPORT_PAGE_SIZE)
        return pipeline.queue(commands, lambda replies: _open_reports(*replies))

    def _read_open(self, id: int, position: int, count: int) -> list[Command]:
        """Return the commands that read how many open reports an article has, and about *count* of them.

        HSCAN costs the same however many there are. Redis returns a small hash whole, in the order of the reports.
        """
        return [("HLEN", self._keys.report(id)), ("HSCAN", self._keys.report(id), position, "COUNT", count)]

    def made_by(self, member: User) -> dict[int, Report | None]:
        """Return all reports by *member*, by article id; None for one that is settled, whose words are gone."""
        ids = sorted(map(int, self._connection.command("SMEMBERS", self._keys.reported(member.name))))
        reports: dict[int, Report | None] = {}
        for at in range(0, len(ids), config.READ_BATCH_SIZE):
            batch = ids[at : at + config.READ_BATCH_SIZE]
            stored = self._connection.run([("HGET", self._keys.report(id), member.name.lower()) for id in batch])
            reports |= {id: parse_report(text) if text else None for id, text in zip(batch, stored, strict=True)}
        return reports


def _open_reports(total: int, scanned: tuple[int, dict[str, str]]) -> OpenReports:
    position, stored = scanned
    reports = sorted(map(parse_report, stored.values()), key=lambda report: report.time)
    return OpenReports(tuple(reports), total, int(position))


def parse_report(stored: str) -> Report:
    """Return the report that the script stored as JSON."""
    fields: dict[str, Any] = json.loads(stored)
    return Report(fields["by"], Reason(fields["reason"]), fields["note"], float(fields["time"]))
