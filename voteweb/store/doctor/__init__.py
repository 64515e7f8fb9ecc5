"""Check every invariant of the data, and repair it: in bounded steps, each at one instant.

Repairs are made in rounds: one fix may reveal what only the next round can see.
"""

from collections.abc import Iterable, Iterator

from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import articles, key_checks, members, threads
from voteweb.store.doctor.findings import Finding, SpoolingScanner
from voteweb.store.scan.scanner import KeySpool, Scanner
from voteweb.store.schema.keys import TYPES
from voteweb.store.site.context import Context, StorePart

__all__ = ["Doctor", "Finding"]

#: Rounds after which the rest is reported as broken: each repairs all it finds, and few fixes reveal another fault.
MAX_ROUNDS = 10


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
        with KeySpool(self._keys, TYPES) as spool:
            scanner = SpoolingScanner(self._connection, spool)
            yield from key_checks.examine_types(scanner)
            self.is_partial = bool(scanner.mistyped)
            for findings in (
                members.examine_voters(scanner, Scanner(self._connection)),
                articles.examine_bounds(scanner),
                articles.examine(scanner, self._settings),
                articles.examine_groups(scanner),
                key_checks.examine_places(scanner),
                threads.examine(scanner, self._settings),
                key_checks.examine_entries(scanner),
                articles.examine_reports(scanner),
                key_checks.examine_log(scanner),
                members.examine(scanner),
                members.examine_inboxes(scanner),
                key_checks.examine(scanner),
            ):
                yield from scanner.unless_mistyped(findings)

    def repair(self) -> Iterator[tuple[Finding, bool]]:
        """Repair the data from the articles and their voters; yield each finding and whether it was repaired.

        Those that cannot be repaired come last. May run while the site is in use, and again. Every fix
        is one command of a bounded size, which first checks whether it is still needed. On a healthy site nothing is
        written.
        """
        for _ in range(MAX_ROUNDS):
            statuses = set()
            for finding, status in run_fixes(self._connection, self.examine()):
                statuses.add(status)
                if status == "repaired":
                    yield finding, True
            if not statuses:
                return
            if not {"repaired", "again"} & statuses:
                break
        # Examining once more leaves out what somebody else has repaired meanwhile.
        yield from ((finding, False) for finding in self.examine())


def run_fixes(connection: Connection, findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Run the fix of each finding and yield it with what came of it."""
    last_fix: Command = ()
    status = ""
    for finding in findings:
        # One command repairs all that is wrong with a thing, whose findings come one after the other.
        if not finding.fix or finding.fix != last_fix:
            status = _run(connection, finding)
        last_fix = finding.fix
        yield finding, status


def _run(connection: Connection, finding: Finding) -> str:
    """Run the fix of a finding; return the status of a script, or what the reply of another command means."""
    if not finding.fix:
        return "unrepairable"
    *_, reply = connection.run([*finding.prepare, finding.fix])
    status = str(reply[0]) if isinstance(reply, list) else "done" if reply else "unchanged"
    if finding.prepare and status != "done":
        connection.run([("UNLINK", finding.prepare[0][1])])
    return "repaired" if status == "done" else status
