"""Check the fingerprints of imported rows: whole numbers in buckets."""

from collections.abc import Iterator

from voteweb.store.doctor.finding import Finding
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema import fingerprints


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all buckets."""
    keys = scanner.site_keys
    for key in scanner.keys(keys.imported("*")):
        name = keys.split(key)[1]
        if not fingerprints.is_bucket(name):
            yield Finding(
                key, f"is no bucket: there are {fingerprints.BUCKETS}", why_not="another program made this key"
            )
        else:
            for member in scanner.members(key):
                if not fingerprints.is_member(member):
                    what = f"holds {member}, which is no fingerprint of a row"
                    yield Finding(key, what, ("SREM", key, member))
