"""Make the index of members and the set of admins, which layout 0 does not have."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.doctor.member_lists import check_members
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Put every member into the lists; yield how many were missing after each step."""
    scanner, keys = Scanner(connection), connection.keys
    for batch in batched(scanner.keys(keys.user("?*"))):
        findings = check_members(scanner, [keys.split(key)[1] for key in batch])
        fixes = {finding.fix for finding in findings}
        if fixes and not dry_run:
            connection.run(sorted(fixes))
        yield len(fixes)
