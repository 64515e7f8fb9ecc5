"""Check conversations: the fields of their own, their comments, their voters, and the keys that belong to each."""

from array import array
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import replace

from voteweb.core import config
from voteweb.core.comments import CommentStatus
from voteweb.core.config import Settings
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import comments
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.doctor.thread_repair import NAMED_AT_ONCE, Repair
from voteweb.store.doctor.thread_snapshots import ThreadSnapshot, last_number, take_thread_snapshots
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.decoding import MAX_TIME_DIGITS
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import THREAD_FIELDS, VOTER_FACTOR
from voteweb.store.schema.values import finite_number

#: Fields of ``thread:<id>`` that are no comment; ``hiding`` is there while a removal is being counted.
_FIELDS = frozenset({*THREAD_FIELDS, "hiding"})
#: Comments by the names of their authors in lower case, each as article id × ID_FACTOR + number, ascending.
Written = dict[str, "array[int]"]
ID_FACTOR = 2**20


def examine(scanner: SpoolingScanner, settings: Settings) -> Generator[Finding, None, Written]:
    """Check all conversations; return the comments of each author: memory grows by 8 bytes a comment."""
    keys = scanner.site_keys
    written: Written = defaultdict(lambda: array("Q"))
    names = (keys.split(key)[1] for key in scanner.keys(keys.thread("*")))
    ids = (int(name) for name in names if _is_id(name))
    yield from scanner.findings(ids, _check_threads, settings, written)
    yield from scanner.findings(scanner.keys(keys.voted_comments("*", "*")), _check_voter_keys, size=4)
    yield from scanner.findings(scanner.members(keys.removing()), _check_removing)
    return written


def _is_id(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= 15 and str(int(name)) == name


def _check_threads(scanner: Scanner, settings: Settings, written: Written, ids: list[int]) -> Iterator[Finding]:
    """Check these conversations, each at one instant; again those that changed under the check."""
    keys = scanner.site_keys
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        snapshots = dict(take_thread_snapshots(scanner, ids))
        for id, snapshot in snapshots.items():
            if snapshot and snapshot.fields and snapshot.article[0] is None:
                why_not = (
                    "a backup may hold the article; else UNLINK its thread:, words:, hidden: and voted-comments: keys"
                )
                yield Finding(
                    keys.thread(id), f"belongs to no article: there is no {keys.article(id)}", why_not=why_not
                )
            elif snapshot and snapshot.fields:
                yield from _check_thread(keys, settings, snapshot)
                for number, node in snapshot.thread.nodes.items():
                    if node.author and node.status is not CommentStatus.DELETED:
                        written[name_key(node.author)].append(id * ID_FACTOR + number)
        ids = [id for id, snapshot in snapshots.items() if snapshot is None]
        if not ids:
            return


def _check_thread(keys: Keys, settings: Settings, snapshot: ThreadSnapshot) -> Iterator[Finding]:
    """Check one conversation; one command repairs what can be."""
    repair = Repair(keys, snapshot)
    found = [*_check_fields(repair, settings), *comments.examine(repair), *_check_voters(repair)]
    fix = repair.command() if found else ()
    for finding in found:
        yield finding if finding.fix or finding.why_not else finding._replace(fix=fix)


def _check_fields(repair: Repair, settings: Settings) -> Iterator[Finding]:
    """Check the fields of a conversation that are no comment."""
    snapshot, key, fields = repair.snapshot, repair.keys.thread(repair.snapshot.id), repair.snapshot.fields
    numbers, knows_last = comments.numbers(snapshot), comments.knows_last(snapshot)
    highest = max(numbers, default=0)
    if not knows_last or ("last" in fields and not numbers and not last_number(fields)):
        repair.fields["last"] = str(highest)
        last = fields.get("last", "missing")
        beside = f"but comment {snapshot.id}.{highest}" if highest else "which is no number of a comment"
        yield Finding(key, f"has last {last}, {beside}", now=f"last {highest}")
    revision = fields.get("rev", "")
    if not (revision.isascii() and revision.isdigit() and len(revision) <= 16):
        repair.fields["rev"] = ""  # another one comes with it
        yield Finding(key, f"has the revision {revision or 'none'}, which is no number")
    closes = fields.get("closes", "")
    is_end = closes.isascii() and closes.isdigit() and len(closes) <= MAX_TIME_DIGITS
    if knows_last and (numbers or closes) and not is_end:
        end = _end(snapshot, highest, settings)
        repair.fields |= {"closes": str(end)} if end is not None else {}
        why_not = "its article has no time, either" if end is None else ""
        yield Finding(key, f"ends at {closes or 'no time'}, which is no time", (), why_not, f"closes {end}")
    if "closed" in fields and finite_number(fields["closed"]) is None:
        why_not = "nothing else tells when a moderator closed it: set the field with HSET, or HDEL it to reopen it"
        yield Finding(key, f"was closed at {fields['closed']}, which is no time", why_not=why_not)
    for name in sorted(fields):
        if not (name in _FIELDS or comments.is_number(name.removeprefix("reason:").removeprefix("removed-by:"))):
            yield Finding(key, f"has the unknown field {name:.40}", why_not="another program made this field")


def _end(snapshot: ThreadSnapshot, highest: int, settings: Settings) -> int | None:
    """Return when a conversation ends: as the expiry of its voters says, else as without comments; None if unknown."""
    block, posted = snapshot.blocks.get(highest // config.VOTER_BLOCK), finite_number(snapshot.article[1])
    if block and block.expires >= 0:
        return block.expires // 1000 - config.VOTERS_GRACE_SECONDS
    return int(posted + settings.commenting_seconds) if posted is not None else None


def _check_voters(repair: Repair) -> Iterator[Finding]:
    """Check that the voters of each block expire with the conversation, are for its comments, and were not lost."""
    snapshot, closes = repair.snapshot, repair.snapshot.thread.closes
    if closes is None or not comments.knows_last(snapshot):
        return  # a finding about the conversation says so already
    until = closes + config.VOTERS_GRACE_SECONDS
    for block, (expires, members) in snapshot.blocks.items():
        key = repair.keys.voted_comments(snapshot.id, block)
        strays = sorted(member for member in members if not _is_vote(member, block, snapshot))
        for batch in batched(strays, NAMED_AT_ONCE):
            fix = repair.guarded(("SREM", key, *batch))
            for member in batch:
                yield Finding(key, f"holds {member}, which is no vote for a comment of this block", fix)
        lost = {
            number: node
            for number, node in snapshot.thread.nodes.items()
            if number // config.VOTER_BLOCK == block and node.votes != node.base
        }
        if "0" not in members and snapshot.now < closes and (members or lost):
            repair.nodes |= {
                number: replace(repair.nodes.get(number, node), base=node.votes) for number, node in lost.items()
            }
            repair.writes.append(("UNLINK", key))
            yield Finding(key, "has lost its voters, so that voting on these comments is over")
        elif members and expires < 1000 * (until - 1):
            repair.writes.append(("EXPIREAT", key, until))
            what = f"expires at {expires // 1000}, but the conversation and an hour end at {until}"
            yield Finding(key, what if expires != -1 else "never expires")


def _is_vote(member: str, block: int, snapshot: ThreadSnapshot) -> bool:
    """Tell whether *member* is the 0 of a block, or stands for a vote on one of its comments that were written."""
    if member == "0":
        return True
    if not (member.isascii() and member.isdigit() and str(int(member)) == member):
        return False
    number, voter = divmod(int(member), VOTER_FACTOR)
    return bool(voter) and number // config.VOTER_BLOCK == block and 1 <= number <= last_number(snapshot.fields)


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
