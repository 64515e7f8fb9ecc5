"""Inboxes: what members are told of, and which of it they have not read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.comments import Notice, NoticeKind
from voteweb.core.models import Page, Role, User
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.log_entries import log_entry
from voteweb.store.site.context import StorePart
from voteweb.store.site.rows import listed_comment, queue_page, read_all


class Inbox(StorePart):
    """The inboxes of one site's members.

    The scripts that write comments and moderate fill them. Both the number of unread entries and the pages leave out
    what cannot be read now, such as a removed comment, and what is older than INBOX_SECONDS.
    """

    def queue_page(self, pipeline: Pipeline, name: str, number: int) -> Future[Page[Notice]]:
        """Queue a read of page *number* (from 1) of a member's inbox, newest first."""
        shows_comments = int(self._settings.comments)

        def read_from(first: int) -> list[Command]:
            return [scripts.call(self._keys, "read_inbox", name=name, shows_comments=shows_comments, first=first)]

        return queue_page(pipeline, number, config.INBOX_PAGE_SIZE, read_from, lambda rows: map(_notice, rows))

    def all(self, name: str) -> Iterator[Notice]:
        """Yield all entries of a member's inbox, the newest first, read page by page."""
        return read_all(self._connection, lambda pipeline, number, _: self.queue_page(pipeline, name, number))

    def queue_mark_read(self, pipeline: Pipeline, name: str, entries: Iterable[str]) -> Future[None]:
        """Queue that a member has read these entries."""
        return pipeline.queue([("LREM", self._keys.unread(name), 0, entry) for entry in entries], lambda _: None)

    def mark_all_read(self, member: User, until: str) -> None:
        """Mark an entry of a member's inbox and all older ones as read; newer ones stay unread.

        Raises LoggedOut and Held.
        """
        inbox_key, unread_key = self._keys.inbox(member.name), self._keys.unread(member.name)

        def decide(attempt: Attempt) -> list[Command]:
            inbox, unread = attempt.read(("LRANGE", inbox_key, 0, -1), ("LRANGE", unread_key, 0, -1))
            is_read = set(inbox[inbox.index(until) :]) if until in inbox else set()
            newer = next((at for at, entry in enumerate(unread) if entry in is_read), None)
            if newer is None:
                return []
            return [("LTRIM", unread_key, 0, newer - 1) if newer else ("UNLINK", unread_key)]

        commit(self._connection, decide, actor=member, role=Role.MEMBER)


def _notice(row: Sequence[Any]) -> Notice | None:
    """Return the entry of a row that ``read_inbox.lua`` answered, None for one that another program wrote."""
    entry, is_unread, log_id, about = row
    kind, _, time = entry.split(" ")
    comment = None if log_id else listed_comment(about)
    log = log_entry(log_id, about) if log_id else None
    if comment is None and log is None:
        return None
    return Notice(entry, NoticeKind(kind), float(time), bool(is_unread), comment, log)
