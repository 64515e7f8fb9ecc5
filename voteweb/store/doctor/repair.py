"""Repair what is broken, in rounds: one fix may reveal what only the next round can see."""

from collections.abc import Callable, Iterable, Iterator

from voteweb.store.connection.connection import Connection
from voteweb.store.doctor.finding import Finding

#: Rounds after which the rest is reported as broken: each repairs all it finds, and few fixes reveal another fault.
MAX_ROUNDS = 10


def repair(connection: Connection, examine: Callable[[], Iterable[Finding]]) -> Iterator[tuple[Finding, bool]]:
    """Yield each finding of *examine* and whether it was repaired; those that were not, and warnings, come last.

    Every fix is one command of a bounded size, which first checks whether it is still needed. On a healthy site
    nothing is written.
    """
    for _ in range(MAX_ROUNDS):
        statuses, last_fix, status = set(), (), ""
        warnings: list[Finding] = []
        for finding in examine():
            if finding.is_warning:
                warnings.append(finding)
                continue
            # One command repairs all that is wrong with a thing, whose findings come one after the other.
            if not finding.fix or finding.fix != last_fix:
                status = _run(connection, finding)
                statuses.add(status)
            last_fix = finding.fix
            if status == "repaired":
                yield finding, True
        if not statuses:
            yield from ((warning, False) for warning in warnings)
            return
        if not {"repaired", "again"} & statuses:
            break
    # Examining once more leaves out what somebody else has repaired meanwhile.
    yield from ((finding, False) for finding in examine())


def _run(connection: Connection, finding: Finding) -> str:
    """Run the fix of a finding; return the status of a script, or what the reply of another command means."""
    if not finding.fix:
        return "unrepairable"
    connection.run(finding.prepare)
    (reply,) = connection.run([finding.fix])
    status = str(reply[0]) if isinstance(reply, list) else "done" if reply else "unchanged"
    if finding.prepare and status != "done":
        connection.run([("UNLINK", finding.prepare[0][1])])
    return "repaired" if status == "done" else status
