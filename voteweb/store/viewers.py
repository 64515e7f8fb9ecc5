"""Viewers: what every page of a member shows of them, read in one command."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.comments import Unread
from voteweb.core.config import Settings
from voteweb.core.models import Session, User, Voter
from voteweb.store.comment_lists import key_beginnings
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import parse_comment
from voteweb.store.reports import Reports
from voteweb.store.sessions import Sessions, digest
from voteweb.store.users import FIELDS, parse_user


class Viewer(NamedTuple):
    """A member whom a session names, None if there is none, with their session, None if it has ended.

    ``waiting`` is the number of accounts that wait for a moderator, ``open_reports`` that of reports, articles and
    answers that do; both are 0 for members.
    """

    member: User | None
    session: Session | None
    unread: Unread
    open_reports: int
    waiting: int


class Viewers:
    """The viewers of one site."""

    def __init__(self, connection: Connection, settings: Settings, sessions: Sessions, reports: Reports) -> None:
        self._keys = connection.keys
        self._settings = settings
        self._sessions = sessions
        self._reports = reports

    def queue_read(self, pipeline: Pipeline, voter: Voter) -> Future[Viewer]:
        """Queue a read of the viewer whom a session names as *voter*."""
        keys, name = self._keys, voter.name
        # Without comments, the reports of comments are not counted.
        reports = None if self._settings.comments else self._reports.queue_count(pipeline)
        command = scripts.call(
            "read_viewer",
            [
                keys.removing(),
                keys.user(name),
                keys.sessions(name),
                keys.unread(name),
                keys.log_entries(),
                keys.held(),
                keys.held_articles(),
                keys.answers(),
                *(() if reports else (keys.reports(),)),
            ],
            [*key_beginnings(keys), config.INBOX_SECONDS, digest(voter.token), *FIELDS],
        )

        def parse(replies: Sequence[Any]) -> Viewer:
            (_, *fields), session, counts, unread, *comments = replies[0]
            waiting, *others = counts or (0,)
            return Viewer(
                parse_user(fields),
                self._sessions.parse(voter, *session),
                Unread(unread, frozenset(filter(None, map(parse_comment, comments)))),
                sum(others) + (reports.result if reports and counts else 0),
                waiting,
            )

        return pipeline.queue([command], parse)
