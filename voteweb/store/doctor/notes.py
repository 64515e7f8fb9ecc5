"""Check notes on members: each is on a member."""

from collections.abc import Iterator

from voteweb.store.doctor.finding import Finding
from voteweb.store.scanner import Scanner, batched


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check the notes on all members; those on who has left go with what they left behind."""
    keys = scanner.site_keys
    for found in batched(scanner.keys(keys.notes("*"))):
        names = [keys.split(key)[1] for key in found]
        exist = scanner.run_atomic([("EXISTS", keys.user(name)) for name in names])
        for key, name, exists in zip(found, names, exist, strict=True):
            if not exists:
                yield Finding(key, f"belongs to {name}, who is no member", ("UNLINK", key))
