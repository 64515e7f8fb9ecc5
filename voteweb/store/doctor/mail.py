"""Check mail: each member has an address that there can be, and stands in digests: if they want some."""

from collections.abc import Iterator

from voteweb.core import clock
from voteweb.core.config import DIGEST_SECONDS
from voteweb.core.mail import FIELD_CHECKS, MailKind
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.mail import wanted_digests
from voteweb.store.scanner import Scanner, batched, split_evenly


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
            yield from _check_digests(scanner, keys.split(key)[1], fields["email-for"] or "")
    yield from _check_mails(scanner)


def _check_digests(scanner: Scanner, name: str, choices: str) -> Iterator[Finding]:
    """Check that what a member wants to get is in ``digests:``."""
    digests, wanted = scanner.site_keys.digests(), wanted_digests(name, choices)
    stored = scanner.run_atomic([("ZSCORE", digests, entry) for entry in wanted]) if wanted else []
    for entry, due in zip(wanted, stored, strict=True):
        if due is None:
            yield Finding(digests, f"lacks {entry}", ("ZADD", digests, "NX", clock.now() + DIGEST_SECONDS, entry))


def _check_mails(scanner: Scanner) -> Iterator[Finding]:
    """Check that each mail has a kind and a member, and that what is known of mails is of one that waits."""
    keys = scanner.site_keys
    queues = (keys.outbox(), keys.digests())
    for queue in queues:
        for found in batched(scanner.run_atomic([("ZRANGE", queue, 0, -1)])[0]):
            parts = [(*entry.split(" "), "")[:2] for entry in found]
            exist = scanner.run_atomic([("EXISTS", keys.user(name)) for _, name in parts])
            for entry, (kind, _), exists in zip(found, parts, exist, strict=True):
                # A new password may be asked for under any name, and who was warned may leave: the job finds out.
                if kind not in set(MailKind) or not (exists or kind in (MailKind.RESET, MailKind.CHANGED)):
                    yield Finding(queue, f"holds {entry:.60}, which is no mail", ("ZREM", queue, entry))
    for found in batched(scanner.run_atomic([("HKEYS", keys.mails())])[0]):
        due = scanner.run_atomic([("ZSCORE", queue, entry) for entry in found for queue in queues])
        for entry, scores in zip(found, split_evenly(due, len(found)), strict=True):
            if scores == [None, None]:
                yield Finding(keys.mails(), f"has {entry:.60}, which does not wait", ("HDEL", keys.mails(), entry))
