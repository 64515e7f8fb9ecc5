"""Check mail: each member has an address that there can be, and each mail a member."""

from collections.abc import Iterator

from voteweb.core.mail import FIELD_CHECKS, MailKind
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.scanner import Scanner, batched


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check the fields about mail of all members, and all mails."""
    keys = scanner.site_keys
    for found in batched(scanner.keys(keys.user("?*"))):
        commands: list[Command] = [("HMGET", key, *FIELD_CHECKS) for key in found]
        for key, values in zip(found, scanner.run_atomic(commands), strict=True):
            fields = dict(zip(FIELD_CHECKS, values, strict=True))
            for field, is_right in FIELD_CHECKS.items():
                stored = fields[field] or ""
                if not is_right(stored):
                    what = f"has {stored:.60} in the field {field}, which is no such value: it is empty now"
                    yield Finding(key, what, fixes.field(key, field, stored, ""))
    yield from _check_mails(scanner)


def _check_mails(scanner: Scanner) -> Iterator[Finding]:
    """Check that each mail has a kind and a member, and that what is known of mails is of one that waits."""
    keys = scanner.site_keys
    for found in batched(scanner.run_atomic([("ZRANGE", keys.outbox(), 0, -1)])[0]):
        parts = [(*entry.split(" "), "")[:2] for entry in found]
        exist = scanner.run_atomic([("EXISTS", keys.user(name)) for _, name in parts])
        for entry, (kind, _), exists in zip(found, parts, exist, strict=True):
            # A new password may be asked for under any name, and who was warned may leave: the job finds out.
            if kind not in set(MailKind) or not (exists or kind in (MailKind.RESET, MailKind.CHANGED)):
                yield Finding(keys.outbox(), f"holds {entry:.60}, which is no mail", ("ZREM", keys.outbox(), entry))
    for found in batched(scanner.run_atomic([("HKEYS", keys.mails())])[0]):
        due = scanner.run_atomic([("ZSCORE", keys.outbox(), entry) for entry in found])
        for entry, score in zip(found, due, strict=True):
            if score is None:
                yield Finding(keys.mails(), f"has {entry:.60}, which does not wait", ("HDEL", keys.mails(), entry))
