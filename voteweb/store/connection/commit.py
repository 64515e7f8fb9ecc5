"""Acts as guarded commits: Python reads, decides and lists the writes; one script does them if the reads still hold.

For acts that are rare: a commit takes one round trip more than a script of its own, and no Lua. See "Writes" in
docs/contributing.md.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from voteweb.core import clock, config
from voteweb.core.comments import AccountChange, NoticeKind
from voteweb.core.errors import Conflict, DecidedMeanwhile, NothingToUndo, Unavailable, VotewebError
from voteweb.core.models import LogEntry, ProgramCall, Right, Role, User
from voteweb.core.names import name_key
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.unavailable import BrokenData
from voteweb.store.schema.fields import unpack
from voteweb.store.schema.keys import Keys, key_type
from voteweb.store.schema.log_entries import log_entry, new_token, script_values
from voteweb.store.schema.values import finite_number

#: Commands of one commit that read, and that write: Redis does nothing else meanwhile. More goes in steps. An article
#: that another program has put into a hundred groups moves among them with four writes for each.
MAX_COMMANDS = 640
#: Fields of a hash in one command: Lua takes some thousand arguments at most.
_FIELDS_AT_ONCE = 1_000
#: The values of a commit without actor, token and log entry: it checks nobody, and may run twice.
_UNSAID = {
    "actor_key": "", "actor_id": "", "actor_session": "", "programs_key": "", "program": "", "right": "", "body": "",
    "role": "", "done_key": "", "entry": "", "log_keys": "[]",
    "not_after": "", "when_full": 0, "is_repeated": 0, "added": "", "removed": "", "until_time": "", "former": "",
    "told_of": "",
}  # fmt: skip


class Attempt:
    """One attempt at an act: what it has read, and what its log entry says besides.

    ``now`` is the time of the last read, in unix seconds with six decimals. After ``not_after``, in unix seconds, the
    writes are decided anew. ``told`` are those who find the log entry in their inbox, by kind of notice and name; for
    an act that is not logged, ``told_of``: an earlier entry ("log-<id>"), a comment, or a change of the account and its
    time, each of them once.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.keys = connection.keys
        self.reads: list[Command] = []
        self.replies: list[Any] = []
        self.now = ""
        self.not_after: float | str = ""
        self.added = self.removed = self.until = self.former = ""
        self.told: Sequence[tuple[NoticeKind, str]] = ()
        self.told_of = ""

    def read(self, *commands: Command) -> list[Any]:
        """Return the replies to *commands*, in one round trip: nothing is written once a reply would be another.

        The reply to HGETALL, which has no order of its own, is compared field by field. No other command of that kind
        may be read.
        """
        *replies, (seconds, microseconds) = self._connection.run([*commands, ("TIME",)])
        self.now = f"{seconds}.{microseconds:06d}"
        guards = _guards(commands, replies)
        self.reads += guards
        self.replies += guards.values()
        return replies

    def value(self, *command: Any) -> Any:
        """Return the reply to one *command*, as :meth:`read` does."""
        return self.read(command)[0]

    def tell(self, name: str, change: AccountChange) -> None:
        """Put a *change* of the account of the member *name* into their inbox, once a second at most."""
        self.told, self.told_of = [(NoticeKind.ACCOUNT, name_key(name))], f"{change}-{int(float(self.now))}"

    def read_after(self, key: str, place: int) -> list[str]:
        """Return what a list that only grows holds after so many items: nothing is written once it has more."""
        (length,) = self.read(("LLEN", key))
        items, size = list[str](), config.READ_BATCH_SIZE
        for first in range(place, length, size):
            items += self._connection.command("LRANGE", key, first, min(first + size, length) - 1)
        return items

    def read_sample(self, key: str, count: int) -> tuple[dict[str, str], int]:
        """Return *count* fields of a hash, and how many it has: nothing is written once it has more or fewer."""
        (total,) = self.read(("HLEN", key))
        return dict(self._connection.command("HRANDFIELD", key, count, "WITHVALUES")), total


def _guards(commands: Sequence[Command], replies: Sequence[Any]) -> dict[Command, Any]:
    """Return what is compared in place of *commands* and their *replies*: HGETALL field by field."""
    guards = dict[Command, Any]()
    for command, reply in zip(commands, replies, strict=True):
        guards |= _field_by_field(command[1], reply) if command[0] == "HGETALL" else {command: reply}
    return guards


def _field_by_field(key: str, fields: Mapping[str, str]) -> dict[Command, Any]:
    """Return the commands that read the number of *fields* of the hash at *key*, and these, each with its reply."""
    names = sorted(fields)
    parts = (names[at : at + _FIELDS_AT_ONCE] for at in range(0, len(names), _FIELDS_AT_ONCE))
    values = {("HMGET", key, *part): [fields[name] for name in part] for part in parts}
    return {("HLEN", key): len(names), **values}


#: Returns the commands that an attempt writes; none, or None, if there is nothing to do. What it raises ends the act.
Decision = Callable[[Attempt], Sequence[Command] | None]


def commit(
    connection: Connection,
    decide: Decision,
    *,
    actor: User | None = None,
    role: Role = Role.MODERATOR,
    entry: LogEntry | None = None,
    when_full: bool = False,
    remembers: bool = True,
) -> bool:
    """Do what *decide* returns for *actor* (None: the operator) and log *entry*; tell whether there was anything to do.

    It is decided anew while others change what was read. Where *actor* finds what they did lately, it was sent again:
    then there was something to do, see :func:`is_own_result`. *when_full*: also on a server whose memory is full, for
    acts that free memory or keep the site safe. Unless it *remembers* the answer, the state alone decides a repetition:
    for acts that do no harm late, whose first write is to a key that never expires, or sets its expiry. Raises
    LoggedOut, Held and NotAllowed to an actor who may not (also in place of what *decide* raises), what that
    raises, DecidedMeanwhile for an *entry* that says what its actor has seen, and Conflict.
    """
    keys = connection.keys
    if entry and actor and actor.call:
        entry = replace(entry, program=1)
    logged, log_keys = script_values(keys, entry)
    act: dict[str, Any] = {
        **_UNSAID,
        "done_key": keys.done(new_token()) if remembers else "",
        "entry": logged,
        "log_keys": json.dumps(log_keys),
    }
    act["when_full"] = int(when_full)
    if actor:
        act |= {"actor_key": keys.user(actor.name), "actor_id": actor.id, "role": role.value}
        act["actor_session"] = actor.session
    if actor and actor.call:
        act |= _call_values(keys, actor, actor.call, role)
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        attempt, refusal, writes = Attempt(connection), None, None
        try:
            if entry and actor and entry.seen is not None:
                _check_seen(connection, attempt, entry, entry.seen, actor)
            writes = decide(attempt)
        except Unavailable:
            raise
        except VotewebError as error:
            refusal = error
        if entry and entry.part_of:
            attempt.told_of = f"log-{entry.part_of}"
        told = [(kind.value, keys.user(name), keys.inbox(name), keys.unread(name)) for kind, name in attempt.told]
        named, guard = _guard(keys, attempt.reads, attempt.replies, writes or (), told)
        said = {
            "not_after": attempt.not_after, "added": attempt.added, "removed": attempt.removed,
            "until_time": attempt.until, "former": attempt.former, "told_of": attempt.told_of,
        }  # fmt: skip
        named += filter(None, [act["done_key"], *log_keys, act["actor_key"], act["programs_key"]])
        outcome = connection.script("commit", named=named, **{**act, **said}, **guard)
        act["is_repeated"] |= outcome.repeated
        if outcome.status == "done" and outcome.values:  # by now, or before, with this Idempotency-Key
            return True
        if outcome.status == "nothing":
            writes = None
        if outcome.status in ("done", "nothing"):
            is_done = not writes and isinstance(refusal, NothingToUndo | None)
            if is_done and entry and actor and is_own_result(connection, entry, attempt.until):
                return True
            if refusal:
                raise refusal
            return bool(writes)
    raise Conflict


def _call_values(keys: Keys, actor: User, call: ProgramCall, role: Role) -> dict[str, Any]:
    """Return the values of an act that a program does for *actor*; one that takes a *role* has its own right."""
    right = call.right if role is Role.MEMBER else Right.MODERATE
    values = {"programs_key": keys.programs(actor.name), "program": call.program, "right": right, "body": call.body}
    return values | ({"done_key": keys.done(call.once)} if call.once else {})


def is_own_result(connection: Connection, entry: LogEntry, until: str = "") -> bool:
    """Tell whether the last entry of the log about its subject says what *entry* does, and is of DONE_SECONDS.

    Then the same member has done this, and nobody has decided otherwise since: its answer was lost. *until* is the unix
    time at which what it does would end now.
    """
    wanted, oldest = unpack(script_values(connection.keys, entry)[0]), clock.now() - config.DONE_SECONDS
    wanted |= {"until": until}
    newest = connection.command("LRANGE", connection.keys.log_entries(), -config.READ_BATCH_SIZE, -1)
    for fields in map(unpack, reversed(newest)):
        if subject_of(fields) == subject_of(wanted):
            is_new = _time(fields, "time") >= oldest
            is_same = all(fields.get(name) == wanted.get(name) for name in ("kind", "who", "why", "undoes"))
            # What it does to their posts it has done by now, so that a repetition finds fewer.
            does_less = any(wanted.get(name) and not fields.get(name) for name in ("articles", "comments", "votes"))
            gaps = [abs(_time(fields, name) - _time(wanted, name)) for name in ("since", "until")]
            return is_new and is_same and not does_less and max(gaps) <= config.DONE_SECONDS
    return False


def _check_seen(connection: Connection, attempt: Attempt, entry: LogEntry, seen: int, actor: User) -> None:
    """Raise DecidedMeanwhile if the newest entry about the subject of *entry* is another's, and not among the *seen*.

    Of those that *actor* has not seen, it looks at the newest LOG_SEARCHED.
    """
    key, subject = attempt.keys.log_entries(), subject_of(unpack(script_values(attempt.keys, entry)[0]))
    length = attempt.value("LLEN", key)
    first = max(seen, length - config.LOG_SEARCHED)
    texts = connection.command("LRANGE", key, first, length - 1) if first < length else []
    for at, text in enumerate(reversed(texts)):
        if subject_of(unpack(text)) == subject:
            newest = log_entry(length - at, text)
            if newest and name_key(newest.who) != name_key(actor.name):
                raise DecidedMeanwhile(entries=(newest,))
            return


def _time(fields: Mapping[str, str], name: str) -> float:
    return finite_number(fields.get(name)) or 0.0


def subject_of(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the article or comment, else the member, else the group, domain or switch that an entry is about."""
    if article := fields.get("article"):
        return "article", article, fields.get("comment", "")
    if about := fields.get("about"):
        return "member", name_key(about)
    return "title", fields.get("title", "")


def guarded(keys: Keys, reads: Sequence[Command], replies: Sequence[Any], writes: Sequence[Command]) -> Command:
    """Return the command that does *writes* if all *reads* still have these *replies*: it answers "done" or "again".

    Of more writes than a commit may have, it does the first: what repairs in rounds finds the others again.
    """
    guards = _guards(reads, replies)
    named, guard = _guard(keys, list(guards), list(guards.values()), writes[:MAX_COMMANDS])
    return scripts.call(keys, "commit", named=named, **_UNSAID, **guard)


def _guard(
    keys: Keys,
    reads: Sequence[Command],
    replies: Sequence[Any],
    writes: Sequence[Command],
    told: Sequence[tuple[str, ...]] = (),
) -> tuple[list[str], dict[str, str]]:
    """Return the keys that the commands of a commit name, and its values for them (see lua/commit.lua)."""
    if max(len(reads), len(writes)) > MAX_COMMANDS:
        # Only an article that another program has put into very many groups needs more.
        raise BrokenData from ValueError(f"a commit has {len(reads)} reads and {len(writes)} writes")
    inboxes = [key for _, *keys_of_one in told for key in keys_of_one]
    named = dict.fromkeys([*(str(key) for command in (*reads, *writes) for key in _keys(command)), *inboxes])
    written = dict.fromkeys(str(key) for command in writes if command[0] != "UNLINK" for key in _keys(command))
    written |= dict.fromkeys(inboxes)
    types = [(key, kind) for key in written if (kind := key_type(keys, key))]
    texts = [[list(map(str, command)) for command in commands] for commands in (reads, writes)]
    comparable = [_comparable(reply) for reply in replies]
    parts = {"reads": texts[0], "replies": comparable, "writes": texts[1], "types": types, "told": told}
    return list(named), {name: json.dumps(part) for name, part in parts.items()}


def _keys(command: Command) -> Sequence[Any]:
    return command[1:] if command[0] in ("EXISTS", "RENAME", "UNLINK") else command[1:2]


def _comparable(reply: Any) -> Any:
    """Return a reply as JSON can hold it; an infinite score is compared as text."""
    if isinstance(reply, list | tuple):
        return list(map(_comparable, reply))
    if isinstance(reply, float) and not isfinite(reply):
        return str(reply)
    return int(reply) if isinstance(reply, bool) else reply
