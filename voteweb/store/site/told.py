"""Who finds in their inbox what a moderator did: the author of what was removed or restored, and its reporters."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from voteweb.core import clock, config, validation
from voteweb.core.comments import NoticeKind
from voteweb.core.models import LogEntry, RemovalState
from voteweb.core.names import name_key
from voteweb.core.statistics import wait_bucket
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.site.statistics import count_act


class Reporters(NamedTuple):
    """Who reported something: some of their names, in lower case, how many there are, and since when (unix time)."""

    names: Sequence[str]
    total: int
    since: float = 0.0


def read_open_reports(attempt: Attempt, key: str) -> Reporters:
    """Return the names of MAX_TOLD_REPORTERS members with open reports in the hash *key*, of more a sample."""
    stored, total = attempt.read_sample(key, config.MAX_TOLD_REPORTERS)
    times = [float(json.loads(report)["time"]) for report in stored.values()]
    return Reporters(sorted(stored), total, min(times, default=0.0))


def count_settled(keys: Keys, reporters: Reporters) -> list[Command]:
    """Return the writes that count that open reports are settled, and how long they have waited; none if none are."""
    waited = f"wait-{wait_bucket(clock.now() - reporters.since)}"
    return count_act(keys, "settled", waited) if reporters.total else []


def who_is_told(by: str, author: str = "", reporters: Iterable[str] = ()) -> list[tuple[NoticeKind, str]]:
    """Return who of these finds an act of the member *by* in their inbox, who is not told, with the kind of notice."""
    # An author who is also a reporter is told once.
    members = {name_key(author): NoticeKind.REMOVED}
    for name in reporters:
        members.setdefault(name_key(name), NoticeKind.REPORT)
    return [(kind, name) for name, kind in members.items() if validation.is_member_name(name) and name != name_key(by)]


def is_ban_in_state(attempt: Attempt, keys: Keys, name: str, ban: LogEntry, state: RemovalState) -> bool:
    """Tell whether the *ban* of the member *name* is in this *state*: somebody may have decided otherwise since."""
    (removal,) = attempt.read(("HGET", keys.user(name or config.DELETED_MEMBER), "ban-removal"))
    return (removal or "").split(" ")[:2] == [str(ban.id), state.value]
