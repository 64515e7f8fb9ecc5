"""Decode and encode what ``thread:<id>`` stores of each comment."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from voteweb.core import config, mentions
from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.store.schema.values import finite_number, whole_number

T = TypeVar("T")

#: The letters of a comment's state.
STATE = f"-|[drRqep{mentions.LETTERS}]{{1,{6 + config.MAX_MENTIONS}}}"
_NODE = re.compile(
    r"(?P<parent>[0-9]{1,9}) (?P<votes>-?[0-9]{1,12}) (?P<base>-?[0-9]{1,12}) (?P<time>[0-9.]{1,20})"
    rf" (?P<state>{STATE}) (?P<author>.{{0,40}})"
)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
#: The beginning of the fields with the reasons of removals, before the comment's number.
REASON = "reason:"
#: A voter of a comment is stored as its number × VOTER_FACTOR + member id: thread.lua has the same.
VOTER_FACTOR = 2**32


def split_node(stored: str) -> dict[str, str] | None:
    """Return the stored parts of a comment, each as it is; None if *stored* holds none."""
    match = _NODE.fullmatch(stored)
    return match.groupdict() if match else None


def join_node(parts: Mapping[str, str]) -> str:
    """Return the text that :func:`split_node` took apart."""
    return " ".join(parts.get(name, "") for name in _NODE.groupindex)


def change_state(stored: str, *, put: str = "", take: str = "") -> str:
    """Return a *stored* comment with the letters *take* out of its state, and *put* at its end."""
    parts = split_node(stored) or {}
    kept = [letter for letter in parts.get("state", "") if letter not in f"-{put}{take}"]
    return join_node({**parts, "state": "".join([*kept, put]) or "-"})


def replace_author(stored: str, author: str, *, state: str | None = None) -> str:
    """Return a *stored* comment with another *author*, and another *state* if one is given."""
    parts = split_node(stored) or {}
    return join_node({**parts, "author": author, "state": state or parts.get("state", "-")})


def comment_numbers(names: Iterable[str]) -> list[int]:
    """Return the numbers of comments among the names of the fields of ``thread:<id>``, ascending."""
    return sorted(int(name) for name in names if _NUMBER.fullmatch(name))


def parse_node(number: int, stored: str) -> Node | None:
    """Return the comment that *stored* holds, None if it holds none: other programs write here too."""
    match = _NODE.fullmatch(stored)
    if match is None:
        return None
    parent, votes, base, time, state, author = match.groups()
    written = finite_number(time)
    if written is None or written >= config.MAX_TIME:
        return None
    return Node(number, int(parent), int(votes), int(base), written, author, *_parse_state(state))


def _parse_state(state: str) -> tuple[CommentStatus, bool, bool, bool, str, bool]:
    """Return what a state of these letters says: status, removes_replies, is_quiet, is_edited, named, by_program."""
    removed = CommentStatus.REMOVED if {"r", "R"} & set(state) else CommentStatus.VISIBLE
    status = CommentStatus.DELETED if "d" in state else removed
    return status, "R" in state, "q" in state, "e" in state, state.strip("-drRqep"), "p" in state


def format_node(node: Node) -> str:
    """Return the text that stores *node*; times have six decimals, as scripts write them."""
    covers = "R" * node.removes_replies
    letters = {CommentStatus.DELETED: f"d{covers}", CommentStatus.REMOVED: covers or "r", CommentStatus.VISIBLE: ""}[
        node.status
    ]
    letters += "q" * node.is_quiet + "e" * node.is_edited + "p" * node.by_program + node.named
    return f"{node.parent} {node.votes} {node.base} {node.time:.6f} {letters or '-'} {node.author}"


def next_revision(before: str | None, now: str) -> int:
    """Return another revision of a thread, at the time *now* of an attempt: write_node() in thread.lua."""
    return max(int(now.replace(".", "")), (whole_number(before) or 0) + 1)


def parse_thread(
    article: int, fields: Mapping[str, str], before: tuple[Thread, Mapping[str, str]] | None = None
) -> Thread:
    """Return the conversation that the hash ``thread:<id>`` holds; a comment that cannot be read is left out.

    Comments that are as *before*, in the conversation that other fields held, are taken from there: of 10,000 that
    takes 2 ms, not 50.
    """
    thread, known = before or (None, {})
    nodes, reasons = (dict(thread.nodes), dict(thread.reasons)) if thread else ({}, {})
    changed = [name for name, value in fields.items() if known.get(name) != value]
    for name in [*changed, *(known.keys() - fields.keys())]:
        stored = fields.get(name)
        if _NUMBER.fullmatch(name):
            _put(nodes, int(name), parse_node(int(name), stored) if stored else None)
        elif name.startswith(REASON) and _NUMBER.fullmatch(name.removeprefix(REASON)):
            _put(reasons, int(name.removeprefix(REASON)), stored)
    return Thread(
        article=article,
        revision=whole_number(fields.get("rev")) or 0,
        last=whole_number(fields.get("last")) or 0,
        closes=whole_number(fields.get("closes")),
        closed=finite_number(fields.get("closed")) or 0.0,
        close_reason=fields.get("close-reason", ""),
        is_quiet="quiet" in fields,
        nodes=dict(sorted(nodes.items())),
        reasons=reasons,
    )


def _put(values: dict[int, T], number: int, value: T | None) -> None:
    """Enter a value under *number*, or take out the value that is there if there is none."""
    if value is None:
        values.pop(number, None)
    else:
        values[number] = value
