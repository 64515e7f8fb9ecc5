"""Check conversations: the fields of their own, their comments, and the keys that belong to each."""

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator

from voteweb.core import config
from voteweb.core.comments import CommentStatus
from voteweb.core.config import Settings
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Command
from voteweb.store.decoding import MAX_TIME_DIGITS
from voteweb.store.doctor import comments, thread_fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.thread_snapshots import ThreadSnapshot, last_number, take_thread_snapshots
from voteweb.store.keys import Keys
from voteweb.store.nodes import THREAD_FIELDS, VOTER_FACTOR, parse_node
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, batched, split_evenly

#: Fields of ``thread:<id>`` that are no comment; ``hiding`` is there while a removal is being counted.
_FIELDS = frozenset({*THREAD_FIELDS, "hiding"})
#: Comments by the names of their authors in lower case, each as article id × ID_FACTOR + number, ascending.
Written = dict[str, "array[int]"]
ID_FACTOR = 2**20


def examine(scanner: Scanner, settings: Settings) -> Generator[Finding, None, Written]:
    """Check all conversations; return the comments of each author: memory grows by 8 bytes a comment."""
    keys = scanner.site_keys
    written: Written = defaultdict(lambda: array("Q"))
    for batch in batched(_ids(keys, scanner.keys(keys.thread("*")))):
        ids = batch
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            ids = yield from _check_threads(scanner, settings, ids, written)
            if not ids:
                break
    for pattern in (keys.words("*"), keys.hidden("*")):
        for found in batched(scanner.keys(pattern)):
            yield from _check_orphans(scanner, found)
    for found in batched(scanner.keys(keys.voted_comments("*", "*")), 4):
        yield from _check_voter_keys(scanner, found)
    for members in batched(scanner.members(keys.removing())):
        yield from _check_removing(scanner, members)
    return written


def _ids(keys: Keys, found: Iterable[str]) -> Iterator[int]:
    for key in found:
        _, name = keys.split(key)
        if _is_id(name):
            yield int(name)


def _is_id(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= 15 and str(int(name)) == name


def _check_threads(
    scanner: Scanner, settings: Settings, ids: list[int], written: Written
) -> Generator[Finding, None, list[int]]:
    """Check these conversations, each at one instant; return the ids of those that changed under the check."""
    keys, changed = scanner.site_keys, []
    for id, snapshot in take_thread_snapshots(scanner, ids):
        if snapshot is None:
            changed.append(id)
        elif snapshot.fields and snapshot.article[0] is None:
            why_not = "a backup may hold the article; else UNLINK its thread:, words:, hidden: and voted-comments: keys"
            yield Finding(keys.thread(id), f"belongs to no article: there is no {keys.article(id)}", why_not=why_not)
        elif snapshot.fields:
            yield from _check_fields(keys, settings, snapshot)
            yield from comments.examine(keys, snapshot)
            yield from _check_voters(keys, snapshot)
            for number, node in snapshot.thread.nodes.items():
                if node.author and node.status is not CommentStatus.DELETED:
                    written[name_key(node.author)].append(id * ID_FACTOR + number)
    return changed


def _check_fields(keys: Keys, settings: Settings, snapshot: ThreadSnapshot) -> Iterator[Finding]:
    """Check the fields of a conversation that are no comment."""
    key, fields = keys.thread(snapshot.id), snapshot.fields
    numbers = comments.numbers(snapshot)
    highest = max(numbers, default=0)
    fix = thread_fixes.thread(keys, settings, snapshot.id, highest)
    if not comments.knows_last(snapshot):
        yield Finding(key, f"has last {fields.get('last', 'missing')}, but comment {snapshot.id}.{highest}", fix)
    elif "last" in fields and not numbers and not last_number(fields):
        yield Finding(key, f"has last {fields['last']}, which is no number of a comment", fix)
    revision = fields.get("rev", "")
    if not (revision.isascii() and revision.isdigit() and len(revision) <= 16):
        yield Finding(key, f"has the revision {revision or 'none'}, which is no number", fix)
    closes = fields.get("closes", "")
    if (numbers or closes) and not (closes.isascii() and closes.isdigit() and len(closes) <= MAX_TIME_DIGITS):
        yield Finding(key, f"ends at {closes or 'no time'}, which is no time", fix, "its article has no time, either")
    if "closed" in fields and finite_number(fields["closed"]) is None:
        why_not = "nothing else tells when a moderator closed it: set the field with HSET, or HDEL it to reopen it"
        yield Finding(key, f"was closed at {fields['closed']}, which is no time", why_not=why_not)
    for field in sorted(fields):
        if not (field in _FIELDS or comments.is_number(field.removeprefix("reason:").removeprefix("removed-by:"))):
            yield Finding(key, f"has the unknown field {field:.40}", why_not="another program made this field")


def _check_voters(keys: Keys, snapshot: ThreadSnapshot) -> Iterator[Finding]:
    """Check that the voters of each block expire with the conversation, are for its comments, and were not lost."""
    closes = snapshot.thread.closes
    if closes is None or not comments.knows_last(snapshot):
        return  # a finding about the conversation says so already
    for block, (expires, members) in snapshot.blocks.items():
        key = keys.voted_comments(snapshot.id, block)
        strays = sorted(member for member in members if not _is_vote(member, block, snapshot))
        for batch in batched(strays):
            fix = thread_fixes.voters(keys, snapshot.id, block, batch)
            for member in batch:
                yield Finding(key, f"holds {member}, which is no vote for a comment of this block", fix)
        until = closes + config.VOTERS_GRACE_SECONDS
        fix = thread_fixes.voters(keys, snapshot.id, block)
        if "0" not in members and snapshot.now < closes and (members or _has_votes(snapshot, block)):
            yield Finding(key, "has lost its voters, so that voting on these comments is over", fix)
        elif members and expires == -1:
            yield Finding(key, "never expires", fix)
        elif members and expires < 1000 * (until - 1):
            what = f"expires at {expires // 1000}, but the conversation and an hour end at {until}"
            yield Finding(key, what, fix)


def _is_vote(member: str, block: int, snapshot: ThreadSnapshot) -> bool:
    """Tell whether *member* is the 0 of a block, or stands for a vote on one of its comments that were written."""
    if member == "0":
        return True
    if not (member.isascii() and member.isdigit() and str(int(member)) == member):
        return False
    number, voter = divmod(int(member), VOTER_FACTOR)
    return bool(voter) and number // config.VOTER_BLOCK == block and 1 <= number <= last_number(snapshot.fields)


def _has_votes(snapshot: ThreadSnapshot, block: int) -> bool:
    """Tell whether a comment of a block has votes with a voter."""
    first = block * config.VOTER_BLOCK
    nodes = (
        parse_node(number, snapshot.fields.get(str(number), "")) for number in range(first, first + config.VOTER_BLOCK)
    )
    return any(node and node.votes != node.base for node in nodes)


def _check_orphans(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that these words and bits belong to a conversation."""
    keys = scanner.site_keys
    names = [keys.split(key)[1] for key in found]
    commands = [("EXISTS", key) for pair in zip(found, map(keys.thread, names), strict=True) for key in pair]
    replies = scanner.run_atomic(commands)
    for key, name, exists, has_thread in zip(found, names, replies[::2], replies[1::2], strict=True):
        if exists and not has_thread:
            is_bits = key == keys.hidden(name) and _is_id(name)
            fix = thread_fixes.hidden(keys, int(name)) if is_bits else ()
            why_not = "a backup may hold the conversation; else UNLINK the key"
            yield Finding(key, "belongs to no conversation", fix, why_not)


def _check_voter_keys(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that these sets of voters belong to a block of a conversation."""
    keys = scanner.site_keys
    parts = [keys.split(key)[1].partition("-") for key in found]
    commands: list[Command] = []
    for key, (id, _, block) in zip(found, parts, strict=True):
        first = int(block) * config.VOTER_BLOCK if _is_id(block) else 0
        commands += [("EXISTS", key), ("HMGET", keys.thread(id), *range(first, first + config.VOTER_BLOCK))]
    replies = split_evenly(scanner.run_atomic(commands), len(found))
    for key, (_, _, block), (exists, stored) in zip(found, parts, replies, strict=True):
        if exists and not (_is_id(block) and any(stored)):
            yield Finding(key, "belongs to no comments of a conversation", ("UNLINK", key))


def _check_removing(scanner: Scanner, members: list[str]) -> Iterator[Finding]:
    """Check that these articles, whose comments are being hidden or shown again, have a conversation."""
    keys = scanner.site_keys
    exist = scanner.run_atomic([("EXISTS", keys.thread(id)) for id in members])
    for id, has_thread in zip(members, exist, strict=True):
        if not has_thread:
            yield Finding(keys.removing(), f"holds {id}, which has no conversation", ("SREM", keys.removing(), id))
