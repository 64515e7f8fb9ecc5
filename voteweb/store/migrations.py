"""The layout of the data: its number in Redis, and all conversions from one layout to the next.

Data without a number are new, those of a program written after the book, of a server that was emptied while the site
ran, or of layout 0: what voteweb 0.1 wrote. All but the last get the number when the site starts, because there is
nothing to convert.

A conversion works in bounded steps, and yields after each how many records it converted, or would convert in a dry
run. It may be stopped anywhere and run again: data already converted are left alone.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import redis

from voteweb import __version__
from voteweb.core import clock
from voteweb.core.config import MEMBER_BLOCK, SCHEMA
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.settings import env_name
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.former_domains import respell_domains
from voteweb.store.moderation.reports import first_time, things_of
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.rankings import Rankings, place_writes
from voteweb.store.schema.values import article_member, digest_of, invitation_member, is_digest, is_id_text
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.site_settings import SiteSettings, refuse_other_scores

_FORMER_COMMENT_GOOD_VOTES = 10


def rename_invitations(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """Rename the keys of invitations, also in the lists of their makers."""
    keys, scanner = context.keys, Scanner(context.connection)
    names = scanner.names("invite")
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
            context.connection.run(writes, atomic=True)
        yield len(made)


def forget_mails(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """Forget which mails again and again members have chosen, such as the best articles of each week."""
    connection, keys, scanner = context.connection, context.keys, Scanner(context.connection)
    for batch in batched(scanner.keys_of("user")):
        chosen = scanner.run_atomic([("HEXISTS", key, "email-for") for key in batch])
        members = [key for key, exists in zip(batch, chosen, strict=True) if exists]
        if members and not dry_run:
            connection.run([("HDEL", key, "email-for") for key in members])
        yield len(members)
    if not dry_run:
        for entries in batched(connection.command("ZRANGE", keys.digests(), 0, -1)):
            connection.command("HDEL", keys.mails(), *entries)
        connection.command("UNLINK", keys.digests())


def store_settings(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """Store these settings; raise ConfigError if stored scores tell of others.

    Unless the environment says another, comments stay in the order that they had by the default of that time.
    """
    settings = context.settings
    if not os.environ.get(env_name("comment_good_votes")):
        settings = replace(settings, comment_good_votes=_FORMER_COMMENT_GOOD_VOTES, comment_vote_score=0.0)
    if dry_run:
        refuse_other_scores(context.connection, settings)
    else:
        SiteSettings(Context(context.connection, settings)).take_settings()
    yield 1


def list_names(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """List the names of members by their ids."""
    keys, scanner = context.keys, Scanner(context.connection)
    for batch in batched(scanner.keys_of("user")):
        stored = scanner.run_atomic([("HMGET", key, "id", "left") for key in batch])
        members = zip(batch, stored, strict=True)
        names = {int(id): keys.split(key)[1] for key, (id, left) in members if is_id_text(id or "") and left is None}
        if names and not dry_run:
            context.connection.run([("ZADD", keys.names(id // MEMBER_BLOCK), id, name) for id, name in names.items()])
        yield len(names)


def rank_reports(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """Rank reported articles and comments by the time of the first open report, no longer by the number of these."""
    keys, scanner = context.keys, Scanner(context.connection)
    for things in batched(things_of(keys, scanner.members(keys.reports()))):
        stored = scanner.run_atomic([("HGETALL", thing.report_key) for thing in things])
        places = [(first_time(reports), thing.member) for thing, reports in zip(things, stored, strict=True)]
        if not dry_run:
            context.connection.command("ZADD", keys.reports(), *chain(*places))
        yield len(things)


def relist_links(context: Context, *, dry_run: bool = False) -> Iterator[int]:
    """List articles anew by their links and domains."""
    connection, keys, scanner = context.connection, context.keys, Scanner(context.connection)
    settings, names = context.settings, (*decoding.FIELDS, "base", "answer", "answered", "as-posted")
    if not dry_run:
        for listed in batched(scanner.keys_of("link", "domain")):
            connection.command("UNLINK", *listed)
    for ids in batched(scanner.article_ids()):
        writes: list[Command] = []
        for id, values in zip(ids, connection.run([("HMGET", keys.article(id), *names) for id in ids]), strict=True):
            article = decoding.article(id, values[: len(decoding.FIELDS)])
            if article is None:  # the doctor reports it
                continue
            fields, member = dict(zip(names, values, strict=True)), article_member(id)
            places = Rankings(keys).present_places(article, fields, settings, now=clock.now(), has_poster=False)
            for key, place in places.items():
                noun = keys.split(key)[0]
                writes += place_writes(keys, key, member, place) if noun == "link" else []
                writes += [("ZADD", key, repr(place), member)] if noun == "domain" else []
        if not dry_run:
            connection.run(writes)
        yield len(ids)


class Conversion(NamedTuple):
    """One change of layout, with the words that tell an operator what it does.

    ``run`` takes the context of the site and whether this is a ``dry_run``. It may yield sentences for the operator.
    """

    title: str
    run: Callable[..., Iterator[int | str]]


#: The conversions that lead to each layout from the one before, in the order in which they run.
CONVERSIONS: dict[int, tuple[Conversion, ...]] = {
    # Who may list the names of keys must not learn a token.
    4: (
        Conversion("Keep invitations under digests of their links", rename_invitations),
        Conversion("Forget who wants digests by mail", forget_mails),
    ),
    # Who starts a command without the environment of the site must not compute other scores.
    5: (Conversion("Keep the settings that shape scores", store_settings),),
    6: (Conversion("List the names of members by their ids", list_names),),
    7: (Conversion("Rank reports by their time", rank_reports),),
    # A host that a rule refused could be posted with characters that browsers drop.
    8: (
        Conversion("Spell domains as browsers do", respell_domains),
        Conversion("List articles by their links and domains", relist_links),
    ),
}
#: The oldest layout that can be converted.
OLDEST = min(CONVERSIONS) - 1


class State(NamedTuple):
    """The layout of the data, and the backup that a migration made before it began, "" unless one is unfinished."""

    number: int
    backup: str

    @property
    def is_current(self) -> bool:
        """Whether this version can serve the data."""
        return self.number == SCHEMA and not self.backup


class Migrations(StorePart):
    """The layout of one site's data."""

    def state(self, *, writes: bool = True) -> State:
        """Return the layout of the data; with *writes*, the number is written if there is nothing to convert.

        Raises ConfigError if a newer version wrote the data, or one that is too old.
        """
        keys = self._keys
        # Every site of voteweb that was ever used has one of the latter, and no program after the book has any.
        used = (keys.last_user_id(), keys.log(), keys.groups(), keys.imported(""))
        # No layout before 6 has the list of the first members, which is written with each of them. A layout after 7
        # must tell such data of its own from older ones.
        number, backup, is_used, has_names = self._connection.run(
            [("GET", keys.schema()), ("GET", keys.migrating()), ("EXISTS", *used), ("EXISTS", keys.names(0))]
        )
        if number is None and (has_names or not is_used):
            # A replica, a full server or one with a full disk refuses the number: the next start writes it.
            with suppress(redis.ResponseError, Unavailable):
                if writes:
                    self._connection.command("SET", keys.schema(), SCHEMA, "NX")
            number = SCHEMA
        known = int(number or 0) if str(number or 0).isdecimal() else SCHEMA + 1
        if known > SCHEMA:
            raise ConfigError(
                "The data have layout %(number)s, and voteweb %(version)s reads up to %(current)s: a newer version "
                "of voteweb wrote them. Install that version.",
                version=__version__,
                number=number,
                current=SCHEMA,
            )
        if known < OLDEST:
            raise ConfigError(
                "The data have layout %(number)s, and voteweb %(version)s converts those from %(oldest)s on. Convert "
                "them with an older version first: docs/upgrading.md, From 0.1 to 0.2.",
                version=__version__,
                number=known,
                oldest=OLDEST,
            )
        return State(known, backup or "")

    def refuse_other(self, *, writes: bool = True, is_converting: bool = False) -> None:
        """Raise ConfigError unless the data have the current layout, as :meth:`state` tells.

        *is_converting*: another process sees to that.

        Silent if the database is unavailable or refuses us: the next command reports that.
        """
        with suppress(Unavailable, redis.ResponseError):
            state = self.state(writes=writes)
            if state.is_current:
                return
            if is_converting:
                raise ConfigError(
                    "The data are being converted from layout %(number)s to %(current)s. Try again when that is done.",
                    number=state.number,
                    current=SCHEMA,
                )
            reason = "A migration did not finish" if state.backup else "An older version of voteweb wrote the data"
            raise ConfigError(
                "%(reason)s: they have layout %(number)s, and voteweb %(version)s needs %(current)s. Stop the site "
                "and run `voteweb migrate`, which makes a backup first.",
                version=__version__,
                reason=reason,
                number=state.number,
                current=SCHEMA,
            )

    def begin(self, backup: str) -> None:
        """Note that *backup* is complete and the conversion begins; nothing else uses the data until it ends."""
        self._connection.command("SET", self._keys.migrating(), backup, "NX")

    def conversions(self, number: int) -> list[Conversion]:
        """Return what turns layout *number* into the current one, in this order."""
        return [conversion for version in range(number + 1, SCHEMA + 1) for conversion in CONVERSIONS[version]]

    def finish(self) -> None:
        """Note that the data have the current layout."""
        commands = [("SET", self._keys.schema(), SCHEMA), ("UNLINK", self._keys.migrating())]
        self._connection.run(commands, atomic=True)
