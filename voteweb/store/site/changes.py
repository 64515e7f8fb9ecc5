"""The stream of changes: which articles and comments those who keep an index of the site have to read again."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.search_documents import Changes
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys, parse_comment
from voteweb.store.site.context import StorePart

#: Entries read at once.
BATCH_SIZE = 500
#: The number of entries from which on the stream has lost its first ones: changes.lua has the same.
MAX_CHANGES = 100_000
#: The position before the first entry.
START = "0-0"
#: The share of the connection's deadline for which a read may wait for an entry.
WAIT_SHARE = 0.5


def record_change(keys: Keys, kind: str, id: int | str) -> Command:
    """Return the write that notes a change, of a *kind* "a", "c", "t" or "p" (see changes.lua), of what has this id."""
    return ("XADD", keys.changes(), "MAXLEN", "~", MAX_CHANGES, "*", kind, id)


class ChangeStream(StorePart):
    """The stream of changes of one site, and the epoch of its data."""

    def end(self) -> str:
        """Return the position after the last change."""
        newest = self._connection.command("XREVRANGE", self._keys.changes(), "+", "-", "COUNT", 1)
        return str(newest[0][0]) if newest else START

    def read(self, position: str, *, wait: float) -> Changes:
        """Return what has changed since *position*, BATCH_SIZE changes at most.

        If nothing has, wait for a change, at most *wait* seconds and half the deadline of the connection. The changes
        are incomplete if the stream does not have the entry at *position*: it was cut since, or a server has taken
        over that had not heard of it.
        """
        key, milliseconds = self._keys.changes(), int(1000 * min(wait, WAIT_SHARE * self._connection.deadline))
        block = ("BLOCK", milliseconds) if milliseconds else ()
        streams = self._connection.command("XREAD", "COUNT", BATCH_SIZE, *block, "STREAMS", key, position)
        # After the entries, so that what was cut in the meantime is noticed.
        at_position, length, epoch = self._connection.run(
            [("XRANGE", key, position, position), ("XLEN", key), ("GET", self._keys.search_epoch())]
        )
        is_complete = bool(at_position) or (position == START and length < MAX_CHANGES)
        return _parse(position, _entries(streams), epoch or self._make_epoch(), is_complete)

    def _make_epoch(self) -> str:
        key = self._keys.search_epoch()
        _, epoch = self._connection.run([("SET", key, _new_epoch(), "NX"), ("GET", key)])
        return str(epoch)


def _entries(streams: Mapping[str, Sequence[Any]] | None) -> list[tuple[str, Mapping[str, str]]]:
    """Return the entries in a reply about one stream; redis-py puts those of a read into a list of their own."""
    entries = next(iter(streams.values()), []) if streams else []
    return list(entries[0]) if entries and isinstance(entries[0], list) else list(entries)


def _parse(position: str, entries: list[tuple[str, Mapping[str, str]]], epoch: str, is_complete: bool) -> Changes:
    fields = [field for _, entry in entries for field in entry.items()]
    articles = {int(id) for kind, id in fields if kind == "a" and id.isdecimal()}
    conversations = {int(id) for kind, id in fields if kind in ("t", "p") and id.isdecimal()}
    comments = {parse_comment(id) for kind, id in fields if kind in ("c", "p")}
    comments = {comment for comment in comments if comment and comment.number <= config.MAX_COMMENTS}
    return Changes(
        entries[-1][0] if entries else position,
        epoch,
        articles=frozenset(articles | conversations),
        comments=frozenset(comment for comment in comments if comment and comment.article not in conversations),
        conversations=frozenset(conversations),
        is_complete=is_complete,
        may_be_more=len(entries) == BATCH_SIZE,
        is_purge=any(kind == "p" for kind, _ in fields),
    )


def begin_epoch(keys: Keys) -> list[Command]:
    """Return the commands after which every index of the site is made anew."""
    return [("SET", keys.search_epoch(), _new_epoch()), ("UNLINK", keys.changes())]


def _new_epoch() -> str:
    return secrets.token_hex(8)
