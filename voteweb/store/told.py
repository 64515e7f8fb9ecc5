"""Who finds in their inbox what a moderator did: the author of what was removed or restored, and its reporters."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from voteweb.core import clock, config, validation
from voteweb.core.comments import NoticeKind
from voteweb.core.names import name_key
from voteweb.core.statistics import wait_bucket
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import Keys
from voteweb.store.statistics import today


class ToldArguments(NamedTuple):
    """The keys and arguments that name the members to be told, before those of the act and the actor (thread.lua)."""

    keys: tuple[str, ...]
    arguments: tuple[str | int, ...]


class Reporters(NamedTuple):
    """Who reported something: some of their names, in lower case, how many there are, and since when (unix time)."""

    names: Sequence[str]
    total: int
    since: float = 0.0


def read_reporters(connection: Connection, key: str) -> Reporters:
    """Return the names of MAX_TOLD_REPORTERS members with open reports in the hash *key*, of more a sample."""
    sample, total = connection.run([("HRANDFIELD", key, config.MAX_TOLD_REPORTERS, "WITHVALUES"), ("HLEN", key)])
    stored = dict(sample or ())
    return Reporters(sorted(stored), total, min(map(_time, stored.values()), default=0.0))


def _time(report: str) -> float:
    return float(json.loads(report)["time"])


def told_arguments(keys: Keys, by: str, author: str = "", reporters: Reporters | None = None) -> ToldArguments:
    """Return what a script needs to tell *author* and *reporters* about an act of the member *by*, who is not told.

    The script answers "again" if those are not all *reporters*; None: it does not matter who they are.
    """
    # An author who is also a reporter is told once.
    members = {name_key(author): NoticeKind.REMOVED}
    for name in reporters.names if reporters else ():
        members.setdefault(name_key(name), NoticeKind.REPORT)
    told = [(kind, name) for name, kind in members.items() if validation.is_member_name(name) and name != name_key(by)]
    settles = reporters is not None and reporters.total > 0
    waited = f"wait-{wait_bucket(clock.now() - reporters.since)}" if reporters and settles else ""
    return ToldArguments(
        (
            *([today(keys)] if settles else ()),
            *(key for _, name in told for key in (keys.user(name), keys.inbox(name), keys.unread(name))),
        ),
        (
            *(text for kind, name in told for text in (kind.value, name)),
            reporters.total if reporters else "",
            config.INBOX_SIZE,
            config.INBOX_SECONDS,
            len(told),
            waited,
            config.STATISTICS_SECONDS,
        ),
    )
