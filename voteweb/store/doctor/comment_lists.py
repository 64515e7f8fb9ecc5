"""Check the lists of comments: of the site's newest, and of each member's."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import thread_fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.threads import ID_FACTOR, Written
from voteweb.store.keys import parse_comment
from voteweb.store.nodes import parse_node
from voteweb.store.scanner import SCAN_COUNT, Scanner, batched, split_evenly


def examine(scanner: Scanner, written: Written) -> Iterator[Finding]:
    """Check all lists of comments; *written* are the comments by the names of their authors."""
    keys = scanner.site_keys
    yield from _check_newest(scanner)
    for key in scanner.keys(keys.commented("*")):
        _, name = keys.split(key)
        yield from _check_list(scanner, name, written.pop(name, array("Q")))
    for name, ids in written.items():
        yield from _check_list(scanner, name, ids)


def _check_newest(scanner: Scanner) -> Iterator[Finding]:
    """Check that the list of the site's newest comments holds each once, and no more than it may."""
    keys, most = scanner.site_keys, config.NEWEST_COMMENTS
    key = keys.comments()
    count, entries = scanner.run_atomic([("LLEN", key), ("LRANGE", key, 0, most - 1)])
    if count > most:
        yield Finding(key, f"holds {count} comments, more than {most}", ("LTRIM", key, 0, most - 1))
    seen: set[str] = set()
    for batch in batched(entries):
        exist = dict(zip(batch, _exist(scanner, batch), strict=True))
        for entry in batch:
            id = parse_comment(entry)
            if not id or not exist[entry]:
                # One of them, from the end: the comment that is written now is put in front.
                yield Finding(key, f"holds {entry:.40}, which is no comment", ("LREM", key, -1, entry))
            elif entry in seen:
                yield Finding(key, f"holds {entry} twice", thread_fixes.newest_comment(keys, id))
            seen.add(entry)


def _exist(scanner: Scanner, entries: list[str]) -> list[bool]:
    """Tell of each entry of a list whether it is a comment that was written."""
    ids = [parse_comment(entry) for entry in entries]
    commands = [("HEXISTS", scanner.site_keys.thread(id.article), id.number) for id in ids if id]
    replies = iter(scanner.run_atomic(commands))
    return [id is not None and bool(next(replies)) for id in ids]


def _check_list(scanner: Scanner, name: str, wanted: "array[int]") -> Iterator[Finding]:
    """Compare the list of a member's comments with the comments that name the member."""
    keys = scanner.site_keys
    key, listed, strays = keys.commented(name), array("Q"), []
    for entry in _items(scanner, key):
        id = parse_comment(entry)
        packed = id.article * ID_FACTOR + id.number if id and id.number < ID_FACTOR else 0
        at = bisect_left(wanted, packed)
        if not id:
            yield Finding(key, f"holds {entry:.40}, which is no comment", ("LREM", key, 0, entry))
        elif at == len(wanted) or wanted[at] != packed:
            strays.append(id)
        else:
            listed.append(packed)
    found = sorted(listed)
    twice = {one for one, other in pairwise(found) if one == other}
    missing = [packed for packed in wanted if not _holds(found, packed)]
    if missing and not _is_member(scanner, name):
        missing = []  # an imported comment may name somebody who is none
    doubtful = [*strays, *(CommentId(*divmod(packed, ID_FACTOR)) for packed in [*sorted(twice), *missing])]
    for batch in batched(doubtful):
        yield from _check_entries(scanner, name, batch)


def _is_member(scanner: Scanner, name: str) -> bool:
    """Tell whether there is a member of this name, who may have left: the list tells whose name is to go, then."""
    return bool(scanner.run_atomic([("HEXISTS", scanner.site_keys.user(name), "id")])[0])


def _holds(ids: list[int], id: int) -> bool:
    at = bisect_left(ids, id)
    return at < len(ids) and ids[at] == id


def _items(scanner: Scanner, key: str) -> Iterator[str]:
    """Yield the items of a list that grows at its beginning, from its end."""
    first = -1
    while batch := scanner.run_atomic([("LRANGE", key, first - SCAN_COUNT + 1, first)])[0]:
        yield from reversed(batch)
        first -= SCAN_COUNT


def _check_entries(scanner: Scanner, name: str, ids: list[CommentId]) -> Iterator[Finding]:
    """Check at one instant how often these comments, which the list changed under the check, are in it."""
    keys = scanner.site_keys
    key = keys.commented(name)
    commands: list[Command] = []
    for id in ids:
        commands += [("HGET", keys.thread(id.article), id.number), ("LPOS", key, str(id), "COUNT", 0)]
    for id, (stored, places) in zip(ids, split_evenly(scanner.run_atomic(commands), len(ids)), strict=True):
        node = parse_node(id.number, stored or "")
        if stored and not node:
            continue  # a finding about the conversation says so already
        is_theirs = node is not None and name_key(node.author) == name
        name_as_stored = node.author if node and is_theirs else name
        fix = thread_fixes.member_comment(keys, name_as_stored, id)
        if places and not is_theirs:
            author = node.author if node else ""
            yield Finding(key, f"holds comment {id}, which {author or 'nobody'} wrote", fix)
        elif len(places) > 1:
            yield Finding(key, f"holds comment {id} {len(places)} times", fix)
        elif node and is_theirs and not places:
            fix = thread_fixes.member_comment(keys, name_as_stored, id, _next(scanner, key, node.time))
            yield Finding(key, f"lacks comment {id}", fix)


def _next(scanner: Scanner, key: str, time: float) -> str:
    """Return the newest entry of a list, newest first, that was written before *time*; "" if there is none."""
    keys = scanner.site_keys
    (last,) = scanner.run_atomic([("LLEN", key)])
    first, found = 0, ""
    while first < last:
        middle = (first + last) // 2
        (entry,) = scanner.run_atomic([("LINDEX", key, middle)])
        id = parse_comment(entry or "")
        (stored,) = scanner.run_atomic([("HGET", keys.thread(id.article), id.number)]) if id else [None]
        node = parse_node(id.number, stored or "") if id else None
        if node and node.time > time:
            first = middle + 1
        else:
            last, found = middle, entry or ""
    return found
