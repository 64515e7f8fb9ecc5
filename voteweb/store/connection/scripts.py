"""The Lua scripts: one file per verb, read once, called by their digest."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any

#: The scripts that only read: a replica may run them.
READING = frozenset({
    "check_rate_limit", "count_new", "count_unread", "list_comments", "own_votes", "read_inbox", "read_log",
    "read_rows", "read_thread", "read_unsorted",
})  # fmt: skip

#: Reading scripts that use no helper of ``common.lua``: without it a call takes 0.7 microseconds of Redis instead of 4.
WITHOUT_HELPERS = frozenset({"count_new", "own_votes", "read_log", "read_rows", "read_thread", "read_unsorted"})
#: Reading scripts that list comments of several conversations: they have those of ``node.lua`` and ``listed.lua``.
LISTING = frozenset({"count_unread", "list_comments", "read_inbox"})
#: The line of a script before which it may answer without its helpers.
HERE = "-- The helpers stand here.\n"
#: The scripts about conversations: they have the helpers of ``node.lua`` and ``thread.lua`` too.
ABOUT_THREADS = frozenset({
    "delete_comment", "disown_comment", "edit_comment", "import_comment", "quiet_comment", "vote_comment",
    "write_comment",
    "repair_comment", "repair_comment_reports", "repair_comment_voters", "repair_hidden", "repair_listed_comment",
    "repair_thread",
    "remove_comment", "restore_comment", "hide_replies", "close_thread", "reopen_thread",
    "report_comment", "dismiss_reports", "keep_removed", "unlist_article", "restore_article",
    "release_article",
})  # fmt: skip


@cache
def sources() -> dict[str, str]:
    """Return the source of every script by name, all but some with the helpers that they need in front."""
    folder = files("voteweb.store").joinpath("lua")
    scripts = [file for file in folder.iterdir() if file.name.endswith(".lua")]
    texts = {file.name.removesuffix(".lua"): file.read_text("utf-8") for file in scripts}
    helpers = {name: texts.pop(name) for name in ("common", "node", "thread", "listed")}
    return {name: _with_helpers(text, [helpers[helper] for helper in _helpers(name)]) for name, text in texts.items()}


def _with_helpers(text: str, helpers: Sequence[str]) -> str:
    """Return the text of a script with *helpers* in front, or in place of the line HERE."""
    first, here, rest = text.partition(HERE)
    return "\n".join([first, *helpers, rest] if here else [*helpers, text])


def _helpers(name: str) -> tuple[str, ...]:
    """Return the files of helpers that the script *name* has in front."""
    if name in WITHOUT_HELPERS:
        return ()
    if name in LISTING:
        return ("node", "listed")
    return ("common", "node", "thread") if name in ABOUT_THREADS else ("common",)


@cache
def digest(name: str) -> str:
    """Return the SHA-1 digest by which Redis knows the script *name*."""
    return sha1(sources()[name].encode(), usedforsecurity=False).hexdigest()


def call(name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> tuple[Any, ...]:
    """Return the command that runs the script *name* on *keys* with *arguments*."""
    return ("EVALSHA", digest(name), len(keys), *keys, *(_exact(argument) for argument in arguments))


def _exact(value: str | int | float) -> str:
    return repr(value) if isinstance(value, float) else str(value)
