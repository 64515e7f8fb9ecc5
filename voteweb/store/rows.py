"""Rows: a part of a ranking together with the hashes that its members stand for, in one command."""

from collections.abc import Sequence

from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys


def read_rows(keys: Keys, ranking: str, first: int, count: int, fields: Sequence[str]) -> Command:
    """Return the command that reads *count* rows from position *first* (from 0), the highest first.

    The reply has a list for each row: the member, then the *fields* of its hash, None for a missing one.
    """
    return scripts.call("read_rows", [ranking], [keys.prefix, first, count, *fields])
