"""Check every invariant of the data, and repair it: in bounded steps, each at one instant."""

from collections.abc import Iterator

from voteweb.store.doctor import (
    articles,
    groups,
    inboxes,
    key_checks,
    lists,
    members,
    reports,
    strays,
    threads,
    voters,
)
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.repair import repair
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner
from voteweb.store.site.context import Context, StorePart

__all__ = ["Doctor", "Finding"]


class Doctor(StorePart):
    """Examines one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: Whether the last examination left out what needs a key of another type.
        self.is_partial = False

    def examine(self) -> Iterator[Finding]:
        """Yield every broken invariant of a site that may be in use; only reads.

        What needs a key of another type is left out: other commands would fail on it.
        """
        with SpoolingScanner(self._connection) as scanner:
            yield from key_checks.examine_types(scanner)
            self.is_partial = bool(scanner.mistyped)
            for findings in (
                voters.examine(scanner, Scanner(self._connection)),
                groups.examine_bounds(scanner),
                articles.examine(scanner, self._settings),
                groups.examine(scanner),
                strays.examine(scanner),
                self._examine_conversations(scanner),
                reports.examine(scanner),
                lists.examine_log(scanner),
                members.examine(scanner),
                inboxes.examine(scanner),
                key_checks.examine(scanner),
            ):
                yield from scanner.unless_mistyped(findings)

    def _examine_conversations(self, scanner: SpoolingScanner) -> Iterator[Finding]:
        written = yield from threads.examine(scanner, self._settings)
        yield from lists.examine_comments(scanner, written)

    def repair(self) -> Iterator[tuple[Finding, bool]]:
        """Repair the data from the articles and their voters; yield each finding and whether it was repaired.

        Those that cannot be repaired come last. May run while the site is in use, and again.
        """
        return repair(self._connection, self.examine)
