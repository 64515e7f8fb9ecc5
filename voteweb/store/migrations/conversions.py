"""All conversions of the data from one layout to the next.

A conversion works in bounded steps, and yields after each how many records it converted, or would convert in a dry
run. It may be stopped anywhere and run again: what is converted already is left alone.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.values import digest_of, invitation_member, is_digest
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings, refuse_other_scores


def rename_invitations(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Rename the keys of invitations, also in the lists of their makers."""
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


def forget_mails(connection: Connection, _settings: Settings, dry_run: bool) -> Iterator[int]:
    """Forget which mails again and again members have chosen, such as the best articles of each week."""
    keys, scanner = connection.keys, Scanner(connection)
    for batch in batched(scanner.keys(keys.user("?*"))):
        chosen = scanner.run_atomic([("HEXISTS", key, "email-for") for key in batch])
        members = [key for key, exists in zip(batch, chosen, strict=True) if exists]
        if members and not dry_run:
            connection.run([("HDEL", key, "email-for") for key in members])
        yield len(members)
    if not dry_run:
        for entries in batched(connection.command("ZRANGE", keys.digests(), 0, -1)):
            connection.command("HDEL", keys.mails(), *entries)
        connection.command("UNLINK", keys.digests())


def store_settings(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Store these settings; raise ConfigError if stored scores tell of others."""
    if dry_run:
        refuse_other_scores(connection, settings)
    else:
        SiteSettings(Context.of(connection, settings)).take_settings()
    yield 1


class Conversion(NamedTuple):
    """One change of layout, with the words that tell an operator what it does; ``run`` takes whether it only counts."""

    title: str
    run: Callable[[Connection, Settings, bool], Iterator[int]]


#: The conversions that lead to each layout from the one before, in the order in which they run.
CONVERSIONS: dict[int, tuple[Conversion, ...]] = {
    # Who may list the names of keys must not learn a token.
    4: (
        Conversion("Keep invitations under digests of their links", rename_invitations),
        Conversion("Forget who wants digests by mail", forget_mails),
    ),
    # Who starts a command without the environment of the site must not compute other scores.
    5: (Conversion("Keep the settings that shape scores", store_settings),),
}
#: The oldest layout that can be converted.
OLDEST = min(CONVERSIONS) - 1
