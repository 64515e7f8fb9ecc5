"""Reports: made by members once per article, settled by moderators."""

import json
from typing import Any

from voteweb.errors import AlreadyReported, ArticleGone, NoSuchArticle
from voteweb.models import Article, Reason, Report, User
from voteweb.store import keys
from voteweb.store.connect import Connection
from voteweb.store.log import Deed, Log
from voteweb.store.trip import Reply, Trip


class Reports:
    """The reports of one site."""

    def __init__(self, connection: Connection, log: Log) -> None:
        self._connection = connection
        self._log = log

    def make(self, id: int, member: User, reason: Reason, note: str) -> None:
        """Report an article; raise AlreadyReported, NoSuchArticle, ArticleGone."""
        outcome = self._connection.script(
            "report_article",
            [keys.article(id), keys.reports(), keys.report(id), keys.reported(member.name)],
            [member.name.lower(), json.dumps({"by": member.name, "reason": reason.value, "note": note})],
        )
        match outcome.word:
            case "unknown":
                raise NoSuchArticle()
            case "gone":
                raise ArticleGone()
            case "already" if not outcome.repeated:
                raise AlreadyReported()

    def dismiss(self, id: int, deed: Deed) -> bool:
        """Settle the open reports of an article without touching it; tell whether there were any."""
        record = self._log.record(deed)
        outcome = self._connection.script(
            "dismiss_reports", [keys.article(id), keys.reports(), keys.report(id), *record.keys], record.arguments
        )
        return outcome.word == "dismissed" or outcome.repeated

    def ask_count(self, trip: Trip) -> Reply[int]:
        """Queue the question how many articles have open reports."""
        return trip.ask([("ZCARD", keys.reports())], lambda answers: int(answers[0]))

    def ask_open(self, trip: Trip, articles: tuple[Article, ...]) -> Reply[dict[int, tuple[Report, ...]]]:
        """Queue the question for the open reports of *articles*, by id, oldest first."""

        def read(answers: list[dict[str, str]]) -> dict[int, tuple[Report, ...]]:
            found = {}
            for article, reports in zip(articles, answers, strict=True):
                each = [read_report(text) for text in reports.values()]
                found[article.id] = tuple(sorted(each, key=lambda report: report.time))
            return found

        return trip.ask([("HGETALL", keys.report(article.id)) for article in articles], read)

    def made_by(self, member: User) -> dict[int, Report]:
        """Return all that *member* reported, by article id."""
        found: dict[str, str] = self._connection.command("HGETALL", keys.reported(member.name))
        return {keys.article_id(name): read_report(text) for name, text in found.items()}


def read_report(text: str) -> Report:
    """Return the report that the script stored as JSON."""
    stored: dict[str, Any] = json.loads(text)
    return Report(stored["by"], Reason(stored["reason"]), stored["note"], float(stored["time"]))
