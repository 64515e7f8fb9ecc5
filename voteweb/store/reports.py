"""Reports: members report an article once, moderators close its reports."""

import json
from typing import Any

from voteweb.core.errors import AlreadyReported, ArticleGone, NoSuchArticle
from voteweb.core.models import Article, Reason, Report, User
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_id, article_member
from voteweb.store.moderation_log import ModerationLog, NewLogEntry


class Reports:
    """The reports of one site."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def make(self, id: int, member: User, reason: Reason, note: str) -> None:
        """Report an article; raise AlreadyReported, NoSuchArticle, ArticleGone."""
        keys = self._keys
        outcome = self._connection.script(
            "report_article",
            [keys.article(id), keys.reports(), keys.report(id), keys.reported(member.name)],
            [
                article_member(id),
                member.name.lower(),
                json.dumps({"by": member.name, "reason": reason.value, "note": note}),
            ],
        )
        match outcome.status:
            case "unknown":
                raise NoSuchArticle()
            case "gone":
                raise ArticleGone()
            case "already" if not outcome.repeated:
                raise AlreadyReported()

    def dismiss(self, id: int, entry: NewLogEntry) -> bool:
        """Close the open reports of an article and leave it as it is; tell whether there were any."""
        keys, log = self._keys, self._log.prepare(entry)
        outcome = self._connection.script(
            "dismiss_reports",
            [keys.article(id), keys.reports(), keys.report(id), *log.keys],
            [*log.arguments, article_member(id)],
        )
        return outcome.status == "dismissed" or outcome.repeated

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles have open reports."""
        return pipeline.queue([("ZCARD", self._keys.reports())], lambda replies: int(replies[0]))

    def queue_open(self, pipeline: Pipeline, articles: tuple[Article, ...]) -> Future[dict[int, tuple[Report, ...]]]:
        """Queue a read of the open reports of *articles*, by id, oldest first."""

        def parse(replies: list[dict[str, str]]) -> dict[int, tuple[Report, ...]]:
            reports_of = {}
            for article, stored in zip(articles, replies, strict=True):
                reports = [parse_report(report) for report in stored.values()]
                reports_of[article.id] = tuple(sorted(reports, key=lambda report: report.time))
            return reports_of

        return pipeline.queue([("HGETALL", self._keys.report(article.id)) for article in articles], parse)

    def made_by(self, member: User) -> dict[int, Report]:
        """Return all reports by *member*, by article id."""
        stored: dict[str, str] = self._connection.command("HGETALL", self._keys.reported(member.name))
        return {article_id(article): parse_report(report) for article, report in stored.items()}


def parse_report(stored: str) -> Report:
    """Return the report that the script stored as JSON."""
    fields: dict[str, Any] = json.loads(stored)
    return Report(fields["by"], Reason(fields["reason"]), fields["note"], float(fields["time"]))
