"""Decode and encode what ``thread:<id>`` stores of each comment."""

import re
from collections.abc import Iterable, Mapping

from voteweb.core import config
from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.store.scanner import finite_number
from voteweb.store.thread_cache import KnownThread

_NODE = re.compile(
    r"(?P<parent>[0-9]{1,9}) (?P<votes>-?[0-9]{1,12}) (?P<base>-?[0-9]{1,12}) (?P<time>[0-9.]{1,20})"
    r" (?P<state>-|[drRqe]{1,5}) (?P<author>.{0,40})"
)
#: Whole numbers that are exact in scripts too: a revision is a unix time in microseconds.
_WHOLE = re.compile(r"[0-9]{1,16}")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
#: The fields of ``thread:<id>`` that are the conversation's own; all others are of its comments.
THREAD_FIELDS = ("last", "rev", "closes", "closed", "close-reason", "quiet")
#: A voter in a set of voted-comments: is the comment's number times this, plus the id of the member.
VOTER_FACTOR = 2**32


def split_node(stored: str) -> dict[str, str] | None:
    """Return the parts of what is stored of a comment, each as it is; None if it holds none."""
    match = _NODE.fullmatch(stored)
    return match.groupdict() if match else None


def join_node(parts: Mapping[str, str]) -> str:
    """Return the text that :func:`split_node` took apart."""
    return " ".join(parts.get(name, "") for name in _NODE.groupindex)


def comment_numbers(names: Iterable[str]) -> list[int]:
    """Return the numbers of comments among the names of the fields of ``thread:<id>``, ascending."""
    return sorted(int(name) for name in names if _NUMBER.fullmatch(name))


def parse_node(number: int, stored: str) -> Node | None:
    """Return the comment that *stored* holds, None if it holds none: other programs write here too."""
    match = split_node(stored)
    time = finite_number(match["time"]) if match else None
    if match is None or time is None or not 0 <= time < config.MAX_TIME:
        return None
    state = match["state"]
    removed = CommentStatus.REMOVED if {"r", "R"} & set(state) else CommentStatus.VISIBLE
    return Node(
        number=number,
        parent=int(match["parent"]),
        votes=int(match["votes"]),
        base=int(match["base"]),
        time=time,
        author=match["author"],
        status=CommentStatus.DELETED if "d" in state else removed,
        removes_replies="R" in state,
        is_quiet="q" in state,
        is_edited="e" in state,
    )


def format_node(node: Node) -> str:
    """Return the text that stores *node*; times have six decimals, as scripts write them."""
    covers = "R" * node.removes_replies
    letters = {CommentStatus.DELETED: f"d{covers}", CommentStatus.REMOVED: covers or "r", CommentStatus.VISIBLE: ""}[
        node.status
    ]
    letters += "q" * node.is_quiet + "e" * node.is_edited
    return f"{node.parent} {node.votes} {node.base} {node.time:.6f} {letters or '-'} {node.author}"


def parse_thread(article: int, fields: Mapping[str, str], known: KnownThread | None = None) -> Thread:
    """Return the conversation that the hash ``thread:<id>`` holds; a comment that cannot be read is left out.

    Comments that are as in an earlier state *known* are taken from it: at 5,000 comments that takes 1 ms, not 30.
    """
    stored = {int(name): value for name, value in fields.items() if _NUMBER.fullmatch(name)}
    nodes = {number: _known_node(number, value, known) or parse_node(number, value) for number, value in stored.items()}
    reasons = {
        int(name.removeprefix("reason:")): value
        for name, value in fields.items()
        if name.startswith("reason:") and _NUMBER.fullmatch(name.removeprefix("reason:"))
    }
    closes = fields.get("closes", "")
    return Thread(
        article=article,
        revision=_whole(fields.get("rev")),
        last=_whole(fields.get("last")),
        closes=int(closes) if _WHOLE.fullmatch(closes) else None,
        closed=finite_number(fields.get("closed")) or 0.0,
        close_reason=fields.get("close-reason", ""),
        is_quiet="quiet" in fields,
        nodes={number: node for number, node in sorted(nodes.items()) if node},
        reasons=reasons,
    )


def _known_node(number: int, stored: str, known: KnownThread | None) -> Node | None:
    return known.thread.nodes.get(number) if known and known.fields.get(str(number)) == stored else None


def _whole(stored: str | None) -> int:
    return int(stored) if stored and _WHOLE.fullmatch(stored) else 0
