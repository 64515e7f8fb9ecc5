"""Check the lists that are computed from other keys: of acts and of comments. One that is wrong is made anew."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId, Node
from voteweb.core.names import name_key
from voteweb.store.comments.imports import newest_first, times_of
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.looks import Finding, SpoolingScanner
from voteweb.store.doctor.threads import ID_FACTOR, NAMED_AT_ONCE, Written
from voteweb.store.scan.list_replacement import ends_of, replacement
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.fields import BY_HAND, LOG_FIELDS, pack, unpack
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import log_indexes
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import finite_number, is_id_text, parse_comment


def _remade(
    scanner: Scanner, key: str, items: Sequence[str], wanted: Sequence[str], other: str = ""
) -> Iterator[Finding]:
    """Yield what is wrong with a list that has these *items*, and an *other* fault; *wanted* in its place repairs it.

    Another order alone is no fault.
    """
    counts, right = Counter(items), set(wanted)
    problems = [
        *(f"lacks {item}" for item in wanted if item not in counts),
        *(f"holds {item:.40}, which does not belong there" for item in counts if item not in right),
        *(f"holds {item} {count} times" for item, count in counts.items() if count > 1 and item in right),
        *([other] if other else []),
    ]
    if problems:
        prepare, fix = replacement(scanner.site_keys, key, ends_of(items), wanted)
        yield from (Finding(key, what, fix, prepare=prepare) for what in problems)


def examine_log(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that every act is in all lists of ids that index it, and each list holds only its acts, in order.

    Memory grows by 45 bytes an act, and for a while by 300 for each in a list that is wrong.
    """
    keys, entries = scanner.site_keys, scanner.site_keys.log_entries()
    wanted: dict[str, array[int]] = defaultdict(lambda: array("Q"))
    undoing, broken, last = list[tuple[int, int]](), set[int](), 0
    for last, text in scanner.items(entries):
        if not text:
            continue  # an id that no act has
        fields = unpack(text)
        is_act = LOG_FIELDS["kind"].check(fields.get("kind", "")) and fields.get("who")
        if not is_act or finite_number(fields.get("time")) is None:
            broken.add(last)
            yield Finding(entries, f"has no kind, no time, or nobody for the id {last}", why_not=BY_HAND)
            continue
        for index in log_indexes(keys, fields["kind"], fields["who"], fields.get("about", "")):
            wanted[index].append(last)
        if undoes := fields.get("undoes"):
            undone = int(undoes) if undoes.isdecimal() else 0
            undoing.append((last, undone if 0 < undone < last else 0))
    yield from scanner.check_each(
        undoing, lambda pair: [("LINDEX", entries, pair[1] - 1)], partial(_check_undone, keys)
    )
    existing = map(scanner.keys, (keys.log_by("*"), keys.log_kind("*"), keys.log_about("*")))
    for index, items in scanner.list_items(dict.fromkeys(chain([keys.log()], *existing, list(wanted)))):
        yield from _check_index(scanner, index, items, wanted[index], broken, last)


def _check_undone(keys: Keys, pair: tuple[int, int], text: str | None) -> Iterator[Finding]:
    """Check that the second act of a pair is marked as undone by the first; 0 is none."""
    entries, (id, undone) = keys.log_entries(), pair
    fields = unpack(text if text and undone else "")
    if "undone" not in fields:
        what = f"has an entry {undone} that {id} undoes, but it does not say so"
        write = ("LSET", entries, undone - 1, pack(fields | {"undone": "1"}))
        fix = guarded(keys, [("LINDEX", entries, undone - 1)], [text], [write]) if fields else ()
        yield Finding(entries, what, fix, "there is no such entry")


def _check_index(
    scanner: Scanner, index: str, items: Iterator[str], wanted: "array[int]", broken: set[int], last: int
) -> Iterator[Finding]:
    """Compare the *items* of an index with the ids up to *last* that it should hold: both ascend.

    Nobody knows where *broken* ones belong, and acts since the log was read are newer: both stay where they are.
    """
    if array("Q", map(_id, items)) == wanted:  # as on a sound site: nothing that takes more memory is made
        return
    found = [item for _, item in scanner.items(index)]
    ids = list(map(_id, found))
    newest = scanner.command("LLEN", scanner.site_keys.log_entries()) if max(ids, default=0) > last else last
    right = sorted([*wanted, *{id for id in ids if id in broken or last < id <= newest}])
    order = "has its acts in another order" if ids != right and sorted(ids) == right else ""
    yield from _remade(scanner, index, found, list(map(str, right)), order)


def _id(item: str) -> int:
    return int(item) if is_id_text(item) else 0


def examine_comments(scanner: SpoolingScanner, written: Written) -> Iterator[Finding]:
    """Check the lists of the site's newest comments and of each member's; *written* are those by their authors."""
    keys = scanner.site_keys
    yield from scanner.unless_mistyped(_check_newest(scanner))
    listed = (keys.split(key)[1] for key in scanner.keys(keys.commented("*")))
    for name in dict.fromkeys(chain(listed, list(written))):
        yield from scanner.unless_mistyped(_check_commented(scanner, name, written.pop(name, array("Q"))))


def _check_newest(scanner: Scanner) -> Iterator[Finding]:
    """Check that the list of the site's newest comments holds each once, and no more than it may."""
    key, most = scanner.site_keys.comments(), config.NEWEST_COMMENTS
    items = scanner.command("LRANGE", key, 0, -1)
    if len(items) > most:
        yield Finding(key, f"holds {len(items)} comments, more than {most}", ("LTRIM", key, 0, most - 1))
    found: dict[str, Node | None] = {}
    for batch in batched(dict.fromkeys(items)):
        found |= _comments(scanner, batch, ("EXISTS", key))[1]
    yield from _remade(scanner, key, items, [item for item in dict.fromkeys(items) if found.get(item, True)])


def _comments(scanner: Scanner, entries: Sequence[str], beside: Command) -> tuple[Any, dict[str, Node | None]]:
    """Return the reply to a command, and the comment of each of these entries then, None if there is none.

    Damaged comments are left out.
    """
    ids = [parse_comment(entry) or CommentId(0, 0) for entry in entries]
    reads = [("HGET", scanner.site_keys.thread(id.article), id.number) for id in ids]
    reply, *stored = scanner.run_atomic([beside, *reads])
    nodes = [parse_node(id.number, text or "") for id, text in zip(ids, stored, strict=True)]
    return reply, {entry: node for entry, node, text in zip(entries, nodes, stored, strict=True) if node or not text}


def _check_commented(scanner: Scanner, name: str, written: "array[int]") -> Iterator[Finding]:
    """Compare the list of a member's comments with those *written*, which may have become more or fewer since."""
    keys, key = scanner.site_keys, scanner.site_keys.commented(name)
    counts = Counter(item for _, item in scanner.items(key))
    doubtful = {str(CommentId(*divmod(packed, ID_FACTOR))) for packed in written} ^ counts.keys()
    doubtful |= {item for item, count in counts.items() if count > 1}
    strays, lacking, items = set[str](), set[str](), list[str]()
    for batch in batched(doubtful, NAMED_AT_ONCE):
        # The list and these comments at one instant: somebody may write meanwhile.
        items, comments = _comments(scanner, batch, ("LRANGE", key, 0, -1))
        signed = {entry for entry, comment in comments.items() if comment and name_key(comment.author) == name}
        strays |= (comments.keys() - signed).intersection(items)
        lacking |= signed.difference(items)
    if lacking and not scanner.command("HEXISTS", keys.user(name), "id"):
        lacking = set()  # an imported comment may name somebody who is no member; who left is still one
    if strays or lacking or len(set(items)) < len(items):
        ordered = newest_first(times_of(scanner.run_atomic, keys, [*{*items, *lacking} - strays]))
        yield from _remade(scanner, key, items, [item for item, _ in ordered])
