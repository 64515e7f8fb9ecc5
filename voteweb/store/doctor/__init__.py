"""Check every invariant of the data, and repair it: in bounded steps, each at one instant."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.doctor import (
    answers,
    articles,
    comment_lists,
    counters,
    earlier_versions,
    imported,
    inboxes,
    key_types,
    mail,
    member_fields,
    member_lists,
    members,
    moderation_log,
    notes,
    own_lists,
    rankings,
    reports,
    secret_feeds,
    threads,
    top_rankings,
    voters,
)
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.repair import repair
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scanner import Scanner

__all__ = ["Doctor", "Finding"]


class Doctor:
    """Examines one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def examine(self) -> Iterator[Finding]:
        """Yield every broken invariant of a site that may be in use; only reads.

        If a key is of a wrong type, only types and lifetimes are checked: other commands would fail on it.
        """
        with SpoolingScanner(self._connection) as scanner:
            all_typed = yield from key_types.examine(scanner)
            if not all_typed:
                return
            yield from voters.examine(scanner, Scanner(self._connection))
            yield from top_rankings.examine(scanner, scanner.groups())
            yield from articles.examine(scanner, self._settings)
            yield from earlier_versions.examine(scanner)
            yield from rankings.examine(scanner, scanner.groups())
            written = yield from threads.examine(scanner, self._settings)
            yield from comment_lists.examine(scanner, written)
            yield from reports.examine(scanner)
            yield from answers.examine(scanner)
            yield from moderation_log.examine(scanner)
            yield from members.examine(scanner)
            yield from member_fields.examine(scanner)
            yield from member_lists.examine(scanner)
            yield from inboxes.examine(scanner)
            yield from own_lists.examine(scanner)
            yield from secret_feeds.examine(scanner)
            yield from notes.examine(scanner)
            yield from mail.examine(scanner)
            yield from imported.examine(scanner)
            yield from counters.examine(scanner)

    def repair(self) -> Iterator[tuple[Finding, bool]]:
        """Repair the data from the articles and their voters; yield each finding and whether it was repaired.

        Those that cannot be repaired come last. May run while the site is in use, and again.
        """
        return repair(self._connection, self.examine)
