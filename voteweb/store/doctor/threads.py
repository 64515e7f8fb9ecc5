"""Check conversations: their fields, their comments with words, votes and bits, and their voters."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from dataclasses import replace

from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus, Node
from voteweb.core.config import Settings
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.conversations import (
    NAMED_AT_ONCE,
    Conversation,
    is_comment_field,
    last_number,
    read_conversations,
)
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.keys import is_member_id
from voteweb.store.schema.nodes import VOTER_FACTOR
from voteweb.store.schema.nouns import BY_HAND, NOUNS, THREAD_FIELDS
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.values import is_id_text

#: Comments by the names of their authors in lower case, each as article id × ID_FACTOR + number, ascending.
Written = dict[str, "array[int]"]
ID_FACTOR = 2**20


def examine(scanner: SpoolingScanner, settings: Settings) -> Generator[Finding, None, Written]:
    """Check all conversations; return the comments of each author: memory grows by 8 bytes a comment."""
    keys = scanner.site_keys
    written: Written = defaultdict(lambda: array("Q"))
    ids = (name for key in scanner.keys(keys.thread("*")) if is_id_text(name := keys.split(key)[1]))
    yield from scanner.findings(ids, _check_threads, settings, written)
    yield from scanner.findings(scanner.keys(keys.voted_comments("*", "*")), _check_voter_keys, size=4)
    return written


def _check_threads(scanner: Scanner, settings: Settings, written: Written, ids: list[str]) -> Iterator[Finding]:
    """Check these conversations, each at one instant; one command repairs what can be."""
    for thread in read_conversations(scanner, ids):
        if thread.fields and thread.article[0] is None:
            article = thread.keys.article(thread.id)
            why_not = "a backup may hold the article; else UNLINK its thread:, words:, hidden: and voted-comments: keys"
            yield Finding(
                thread.keys.thread(thread.id), f"belongs to no article: there is no {article}", why_not=why_not
            )
        elif thread.fields:
            found = [
                *_check_fields(thread, settings),
                *_check_comments(thread),
                *_check_words(thread),
                *_check_voters(thread),
            ]
            fix = thread.repair() if found else ()
            for finding in found:
                yield finding if finding.fix or finding.why_not else finding._replace(fix=fix)
            for number, node in thread.thread.nodes.items():
                if node.author and node.status is not CommentStatus.DELETED:
                    written[name_key(node.author)].append(thread.id * ID_FACTOR + number)


def _knows_last(thread: Conversation) -> bool:
    """Tell whether the last number is not behind the comments; a repair of it comes before what depends on it."""
    return thread.last >= max(thread.numbers, default=0)


def _check_fields(thread: Conversation, settings: Settings) -> Iterator[Finding]:
    """Check the fields of a conversation that are no comment."""
    key, fields, highest = thread.keys.thread(thread.id), thread.fields, max(thread.numbers, default=0)
    knows_last, needed = _knows_last(thread), {"rev", *(["closes"] if thread.numbers else [])}
    # Another revision comes with every repair.
    lost = {"last": str(highest), "rev": "", "closes": _end(thread, settings)}
    for name, field in THREAD_FIELDS.items():
        value = fields.get(name)
        is_right = name not in needed if value is None else field.check(value)
        if name == "last":
            is_right = knows_last and (value is None or is_right)
        if is_right or (name == "closes" and not knows_last):
            continue
        if (new := lost.get(name)) is not None:
            thread.new_fields[name] = new
        what = f"has {value:.60} in the field {name}, which is wrong" if value else f"has no {name}"
        yield Finding(key, what, why_not="" if new is not None else BY_HAND, now=f"{name} {new}" if new else "")
    for name in sorted(fields.keys() - THREAD_FIELDS - {"hiding"}):  # that is there while a removal is being counted
        if not is_comment_field(name.removeprefix("reason:").removeprefix("removed-by:")):
            yield Finding(key, f"has the unknown field {name:.40}", why_not="another program made this field")


def _end(thread: Conversation, settings: Settings) -> str | None:
    """Return when a conversation ends: as the expiry of its voters says, else as without comments; None if unknown."""
    expires = thread.expiries.get(max(thread.numbers, default=0) // config.VOTER_BLOCK, -1)
    if expires >= 0:
        return str(expires // 1000 - config.VOTERS_GRACE_SECONDS)
    posted = finite_number(thread.article[1])
    return str(int(posted + settings.commenting_seconds)) if posted is not None else None


def _check_comments(thread: Conversation) -> Iterator[Finding]:
    """Check the place, the author and the votes of each comment, and who can read it."""
    key, nodes = thread.keys.thread(thread.id), thread.thread.nodes
    for number in set(thread.numbers) - nodes.keys():
        yield Finding(key, f"holds comment {CommentId(thread.id, number)} with a damaged text", why_not=BY_HAND)
    counts = Counter(int(vote) // VOTER_FACTOR for own in thread.voters.values() for vote in own if _is_vote(vote))
    levels, covered = {0: 0}, set[int]()
    for number, node in nodes.items():
        above = node.parent if node.parent < number and node.parent in levels else 0
        levels[number] = levels[above] + 1
        if above in covered or (above and nodes[above].removes_replies):
            covered.add(number)
        if levels[number] == config.MAX_COMMENT_LEVEL + 1:
            what = f"comment {CommentId(thread.id, number)} stands below level {config.MAX_COMMENT_LEVEL}, the deepest"
            yield Finding(key, what, why_not="pages show it all the same, and nothing else tells where it belongs")
        yield from (Finding(key, what) for what in _check_comment(thread, node, counts[number]))
    if _knows_last(thread):  # else the bits are checked once it does
        readable = {n for n, node in nodes.items() if node.status is CommentStatus.VISIBLE} - covered
        yield from _check_hidden(thread, set(range(1, thread.last + 1)) - readable)


def _is_vote(member: str) -> bool:
    return is_member_id(member) and int(member) % VOTER_FACTOR > 0


def _check_comment(thread: Conversation, node: Node, voters: int) -> Iterator[str]:
    id, repaired, own = CommentId(thread.id, node.number), node, thread.voters.get(node.number // config.VOTER_BLOCK)
    if node.parent and (node.parent >= node.number or str(node.parent) not in thread.fields):
        why = "which is not older" if node.parent >= node.number else "which is not there"
        yield f"comment {id} answers {thread.id}.{node.parent}, {why}: it stands at the top level now"
        repaired = replace(repaired, parent=0)
    if node.status is CommentStatus.DELETED and node.author:
        yield f"comment {id} is deleted, but names its author"
        repaired = replace(repaired, author="")
    if own and "0" in own and node.votes != node.base + voters:  # with the member 0, all voters are there
        yield f"comment {id} has {node.votes} votes, but base {node.base} and {voters} voters make {node.base + voters}"
        votes = max(node.votes, node.base + voters)  # votes never fall because voters are missing
        repaired = replace(repaired, votes=votes, base=votes - voters)
    if repaired != node:
        thread.new_nodes[node.number] = repaired


def _check_words(thread: Conversation) -> Iterator[Finding]:
    """Check that there are words exactly for the comments that are not deleted."""
    key = thread.keys.words(thread.id)
    for number, node in thread.thread.nodes.items():
        id, has_words = CommentId(thread.id, number), str(number) in thread.words
        if node.status is CommentStatus.DELETED and has_words:
            thread.lost_words.append(number)
            yield Finding(key, f"holds the words of comment {id}, which is deleted")
        elif node.status is not CommentStatus.DELETED and not has_words:
            why_not = "they are stored nowhere else: a backup may hold them; set the field with HSET"
            yield Finding(key, f"lacks the words of comment {id}", why_not=why_not)
    for field in sorted(thread.words - set(map(str, thread.numbers))):
        why_not = f"{thread.keys.thread(thread.id)} lacks the comment, which a backup may hold; else HDEL the field"
        yield Finding(key, f"holds the words of comment {thread.id}.{field}, which is not there", why_not=why_not)


def _check_hidden(thread: Conversation, wanted: set[int]) -> Iterator[Finding]:
    """Check the bits, unless a removal is still hiding or showing comments, and the number of comments."""
    key, article, before = thread.keys.hidden(thread.id), thread.keys.article(thread.id), thread.hidden
    after, stored = before if thread.is_removing else wanted, thread.article[2] or "0"
    for number in sorted(before ^ after):
        what = f"{'hides' if number in before else 'does not hide'} comment {CommentId(thread.id, number)}"
        yield Finding(key, what, now=f"comments {thread.last - len(after)}")
    if thread.hidden_bits != len(before):
        yield Finding(key, "hides numbers that no comment has")
    if thread.hidden_bits != len(before) or before != after:
        bits = bytearray(max(after, default=0) // 8 + 1)
        for number in after:
            bits[number // 8] |= 0x80 >> number % 8
        sets = [part for at, byte in enumerate(bits) for part in ("SET", "u8", f"#{at}", byte)]
        thread.writes += [("UNLINK", key), *([("BITFIELD", key, *sets)] if after else [])]
    if stored != str(thread.last - len(before)):
        yield Finding(article, f"has comments {stored}, but {thread.last - len(before)} can be read")
    if stored != str(thread.last - len(after)):
        thread.writes.append(("HSET", article, "comments", thread.last - len(after)))


def _check_voters(thread: Conversation) -> Iterator[Finding]:
    """Check that the voters of each block expire with the conversation, are for its comments, and were not lost."""
    closes = thread.thread.closes
    if closes is None or not _knows_last(thread):
        return  # a finding about the conversation says so already
    until = closes + config.VOTERS_GRACE_SECONDS
    for block, members in thread.voters.items():
        key, expires = thread.keys.voted_comments(thread.id, block), thread.expiries[block]
        strays = sorted(member for member in members if not _is_of_block(member, block, thread.last))
        for batch in batched(strays, NAMED_AT_ONCE):
            fix = thread.fix(("SREM", key, *batch))
            for member in batch:
                yield Finding(key, f"holds {member}, which is no vote for a comment of this block", fix)
        lost = {
            number: node
            for number, node in thread.thread.nodes.items()
            if number // config.VOTER_BLOCK == block and node.votes != node.base
        }
        if "0" not in members and thread.now < closes and (members or lost):
            for number, node in lost.items():
                thread.new_nodes[number] = replace(thread.new_nodes.get(number, node), base=node.votes)
            thread.writes.append(("UNLINK", key))
            yield Finding(key, "has lost its voters, so that voting on these comments is over")
        elif members and expires < 1000 * (until - 1):
            thread.writes.append(("EXPIREAT", key, until))
            what = f"expires at {expires // 1000}, but the conversation and an hour end at {until}"
            yield Finding(key, what if expires != -1 else "never expires")


def _is_of_block(member: str, block: int, last: int) -> bool:
    """Tell whether *member* is the 0 of a block, or stands for a vote on one of its comments up to the *last* one."""
    number = int(member) // VOTER_FACTOR if _is_vote(member) else 0
    return member == "0" or (number // config.VOTER_BLOCK == block and 1 <= number <= last)


def _check_voter_keys(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that these sets of voters belong to a block of a conversation."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for key in found:
        id, _, block = keys.split(key)[1].partition("-")
        first = last_number(block) * config.VOTER_BLOCK
        commands += [("EXISTS", key), ("HMGET", keys.thread(id), *range(first, first + config.VOTER_BLOCK))]
    replies = split_evenly(scanner.run_atomic(commands), len(found))
    for key, (exists, stored) in zip(found, replies, strict=True):
        if exists and not (NOUNS["voted-comments"].name(keys.split(key)[1]) and any(stored)):
            yield Finding(key, "belongs to no comments of a conversation", ("UNLINK", key))
