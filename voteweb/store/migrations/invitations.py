"""Layout 4: an invitation is kept under a digest of the token in its link, no longer under the token."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.digests import digest_of, is_digest
from voteweb.store.schema.keys import invitation_member


def convert(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Rename the keys of invitations, also in the lists of their makers; yield after each step how many."""
    keys, scanner = connection.keys, Scanner(connection)
    names = (keys.split(key)[1] for key in scanner.keys(keys.invite("*")))
    for tokens in batched(name for name in names if not is_digest(name)):
        makers = scanner.run_atomic([("HGET", keys.invite(token), "by") for token in tokens])
        # SCAN may name a key twice, also after it was renamed. What has no maker is no invitation.
        made = {token: keys.invites(by) for token, by in zip(tokens, makers, strict=True) if by is not None}
        ends = scanner.run_atomic([("ZSCORE", invites, invitation_member(token)) for token, invites in made.items()])
        writes: list[Command] = []
        for (token, invites), end in zip(made.items(), ends, strict=True):
            digest = digest_of(token)
            writes.append(("RENAME", keys.invite(token), keys.invite(digest)))
            if end is not None:
                writes.append(("ZADD", invites, end, invitation_member(digest)))
                writes.append(("ZREM", invites, invitation_member(token)))
        if writes and not dry_run:
            connection.run(writes, atomic=True)
        yield len(made)
