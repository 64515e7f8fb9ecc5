"""Check the lists of comments: of the site's newest, and of each member's."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.names import name_key
from voteweb.store.comments.order import newest_first, times_of
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.doctor.threads import ID_FACTOR, Written
from voteweb.store.scan.list_replacement import Ends, ends_of, replacement
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.keys import Keys, parse_comment
from voteweb.store.schema.nodes import parse_node


def examine(scanner: SpoolingScanner, written: Written) -> Iterator[Finding]:
    """Check all lists of comments; *written* are the comments by the names of their authors."""
    keys = scanner.site_keys
    yield from scanner.unless_mistyped(_check_newest(scanner))
    for key in scanner.keys(keys.commented("*")):
        _, name = keys.split(key)
        yield from scanner.unless_mistyped(_check_list(scanner, name, written.pop(name, array("Q"))))
    for name, ids in written.items():
        yield from scanner.unless_mistyped(_check_list(scanner, name, ids))


def _check_newest(scanner: Scanner) -> Iterator[Finding]:
    """Check that the list of the site's newest comments holds each once, and no more than it may."""
    keys, key, most = scanner.site_keys, scanner.site_keys.comments(), config.NEWEST_COMMENTS
    count, entries, last = scanner.run_atomic([("LLEN", key), ("LRANGE", key, 0, most - 1), ("LINDEX", key, -1)])
    problems = [f"holds {count} comments, more than {most}"] if count > most else []
    kept: dict[str, None] = {}
    for batch in batched(entries):
        for entry, exists in zip(batch, _exist(scanner, batch), strict=True):
            if not exists:
                problems.append(f"holds {entry:.40}, which is no comment")
            elif entry in kept:
                problems.append(f"holds {entry} twice")
            else:
                kept[entry] = None
    yield from _replaced(keys, key, problems, Ends(count, entries[0] if entries else None, last), kept)


def _replaced(keys: Keys, key: str, problems: Sequence[str], seen: Ends, items: Iterable[str]) -> Iterator[Finding]:
    """Yield the findings that a list with these *problems* makes, which *items* in its place repair."""
    if problems:
        prepare, fix = replacement(keys, key, seen, items)
        yield from (Finding(key, what, fix, prepare=prepare) for what in problems)


def _exist(scanner: Scanner, entries: list[str]) -> list[bool]:
    """Tell of each entry of a list whether it is a comment that was written."""
    ids = [parse_comment(entry) for entry in entries]
    commands = [("HEXISTS", scanner.site_keys.thread(id.article), id.number) for id in ids if id]
    replies = iter(scanner.run_atomic(commands))
    return [id is not None and bool(next(replies)) for id in ids]


def _check_list(scanner: Scanner, name: str, wanted: "array[int]") -> Iterator[Finding]:
    """Compare the list of a member's comments with the comments that name the member."""
    keys, key = scanner.site_keys, scanner.site_keys.commented(name)
    listed = Counter(entry for _, entry in scanner.items(key))
    theirs = {str(CommentId(*divmod(packed, ID_FACTOR))) for packed in wanted}
    doubtful = [entry for entry, count in listed.items() if count > 1 or entry not in theirs]
    missing = sorted(theirs - listed.keys())
    if missing and scanner.run_atomic([("HEXISTS", keys.user(name), "id")])[0]:
        doubtful += missing  # but an imported comment may name somebody who is none; who left is still one
    problems = [
        (f"holds {entry:.40}, which is no comment", entry, False) for entry in doubtful if not parse_comment(entry)
    ]
    for batch in batched(id for entry in doubtful if (id := parse_comment(entry))):
        problems += _check_entries(scanner, name, batch)
    if problems:
        items = scanner.command("LRANGE", key, 0, -1)
        kept = {*items, *(entry for _, entry, belongs in problems if belongs)}
        kept -= {entry for _, entry, belongs in problems if not belongs}
        ordered = (item for item, _ in newest_first(times_of(scanner.run_atomic, keys, list(kept))))
        yield from _replaced(keys, key, [what for what, _, _ in problems], ends_of(items), ordered)


def _check_entries(scanner: Scanner, name: str, ids: list[CommentId]) -> Iterator[tuple[str, str, bool]]:
    """Check at one instant how often these comments, which the list changed under the check, are in it.

    Yield what is wrong, with the comment, and whether it belongs there.
    """
    keys = scanner.site_keys
    commands: list[Command] = []
    for id in ids:
        commands += [("HGET", keys.thread(id.article), id.number), ("LPOS", keys.commented(name), str(id), "COUNT", 0)]
    for id, (stored, places) in zip(ids, split_evenly(scanner.run_atomic(commands), len(ids)), strict=True):
        node = parse_node(id.number, stored or "")
        if stored and not node:
            continue  # a finding about the conversation says so already
        author = node.author if node else ""
        is_theirs = node is not None and name_key(author) == name
        if places and not is_theirs:
            yield f"holds comment {id}, which {author or 'nobody'} wrote", str(id), False
        elif len(places) > 1:
            yield f"holds comment {id} {len(places)} times", str(id), True
        elif is_theirs and not places:
            yield f"lacks comment {id}", str(id), True
