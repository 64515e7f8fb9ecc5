"""Repair what is broken, in rounds: one fix may reveal what only the next round can see."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

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
            # One command repairs all that is wrong with an article, whose findings come one after the other.
            if not finding.fix or finding.fix != last_fix:
                status, now = _outcome(connection.run([finding.fix])[0]) if finding.fix else ("unrepairable", "")
                statuses.add(status)
                finding = finding._replace(now=now)
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


def _outcome(reply: Any) -> tuple[str, str]:
    """Return the status of a script with the new values that it tells, or what another command's reply means."""
    if isinstance(reply, list):
        return str(reply[0]), ", ".join(map(str, reply[1:]))
    return "repaired" if reply else "unchanged", ""
