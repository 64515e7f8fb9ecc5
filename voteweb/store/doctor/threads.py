"""Check conversations: their fields, their comments with words, votes and bits, their voters, and lists of comments.

Each is looked at as it was at one instant, which its revision proves, and one command repairs all of it.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId, Node
from voteweb.core.conversation import climb
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.store.articles.search_documents import record_change
from voteweb.store.comments.comments import count_votes, hidden_numbers, hidden_writes, is_vote
from voteweb.store.comments.imports import newest_first, times_of
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.findings import Finding, SpoolingScanner, check_expiry, one_fix, remade
from voteweb.store.scan.looks import Fields, Kind, Look, look_at
from voteweb.store.scan.scanner import Scanner, batched, portions
from voteweb.store.schema.fields import BY_HAND, THREAD_FIELDS, Field, faults
from voteweb.store.schema.keys import NOUNS, Keys
from voteweb.store.schema.nodes import VOTER_FACTOR, format_node, next_revision, parse_node, parse_thread
from voteweb.store.schema.values import finite_number, is_id_text, is_number, parse_comment

#: Fields that Redis returns in one block: about a millisecond; the largest conversation alone.
STEP_SIZE = 5_000
#: Bits of a bitmap that one GET of BITFIELD returns.
_BITS = 32
#: Members of a set, or comments, that one command names.
NAMED_AT_ONCE = 500


class ExaminedThread:
    """One conversation with its comments, its voters by block, and what its repair writes."""

    def __init__(self, seen: Look, voters: Sequence[frozenset[str]]) -> None:
        self.keys = seen.keys
        self.now = seen.now
        self.id = int(seen.name)
        self.voters = dict(enumerate(voters))
        self.fix = seen.fix
        #: Of the article the fields ``title``, ``time`` and ``comments``, as stored.
        self.article, self.is_removing, self.hidden_bits = seen.replies
        self.fields, words, bits, *ends = seen.more
        self.words = frozenset(words)
        #: When the voters of each block expire, in unix milliseconds as PEXPIRETIME tells it.
        self.expiries = dict(enumerate(ends))
        #: The conversation as pages read it, without the comments that cannot be read.
        self.thread = parse_thread(self.id, self.fields)
        #: The numbers of its comments, readable or not, and the last number given out.
        self.numbers = sorted(int(name) for name in self.fields if is_comment_field(name))
        self.last = last_number(self.fields.get("last"))
        #: The numbers up to the last one whose bits are 1.
        self.hidden = {
            number
            for at, value in enumerate(bits)
            for bit in range(_BITS)
            if value >> _BITS - 1 - bit & 1 and 0 < (number := at * _BITS + bit) <= self.last
        }
        #: The comments that a repair stores otherwise, by number, and the fields of the conversation's own.
        self.new_nodes: dict[int, Node] = {}
        self.new_fields: dict[str, str] = {}

    def findings(self, found: Sequence[Finding]) -> Iterator[Finding]:
        """Yield what was *found*: one command repairs all of it that has no fix of its own."""
        fields = self.new_fields | {str(number): format_node(node) for number, node in self.new_nodes.items()}
        keys_of_writes = {write[1] for finding in found for write in finding.writes}
        if fields or self.keys.words(self.id) in keys_of_writes:
            fields["rev"] = str(next_revision(self.fields.get("rev"), f"{self.now:.6f}"))
        changed = batched(fields.items(), NAMED_AT_ONCE)
        writes: list[Command] = [("HSET", self.keys.thread(self.id), *chain.from_iterable(batch)) for batch in changed]
        if fields or keys_of_writes:  # a search finds what the lists show
            writes.append(record_change(self.keys, "t", self.id))
        return one_fix(self.fix, found, *writes)


def is_comment_field(name: str) -> bool:
    """Tell whether a field of a conversation is the number of a comment."""
    return is_number(name) and str(int(name)) == name and 1 <= int(name) <= config.MAX_COMMENTS


def last_number(stored: str | None) -> int:
    """Return the stored number of the last comment, 0 if it is none that a conversation can have."""
    return int(stored) if stored and is_number(stored) and int(stored) <= config.MAX_COMMENTS else 0


def read_conversations(scanner: Scanner, ids: Sequence[str]) -> Iterator[ExaminedThread]:
    """Yield these conversations, but those that change whenever they are read; large ones are read in several steps."""
    keys = scanner.site_keys
    kind = Kind(keys.thread, ("rev", "last"), partial(_reads, keys), partial(_reads_of_comments, keys))
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        sizes = scanner.run_atomic(
            [read for id in ids for read in (("HLEN", keys.thread(id)), ("HLEN", keys.words(id)))]
        )
        changed: list[str] = []
        for portion in portions(ids, map(sum, zip(sizes[::2], sizes[1::2], strict=True)), STEP_SIZE):
            looks = list(look_at(scanner, portion, kind))
            sets = [key for seen in looks for key in _blocks(keys, seen.name, seen.fields)]
            voters = {key: frozenset(members) for key, members in scanner.members_of(sets)}
            revisions = scanner.run_atomic([("HGET", keys.thread(seen.name), "rev") for seen in looks])
            for seen, revision in zip(looks, revisions, strict=True):
                if revision == seen.fields["rev"]:
                    yield ExaminedThread(seen, [voters[key] for key in _blocks(keys, seen.name, seen.fields)])
                else:
                    changed.append(seen.name)
        ids = changed
        if not ids:
            return


def _reads(keys: Keys, id: str, _: Fields) -> list[Command]:
    return [
        ("HMGET", keys.article(id), "title", "time", "comments"),
        ("SISMEMBER", keys.removing(), id),  # a removal that is hiding comments gives a conversation no other revision
        ("BITCOUNT", keys.hidden(id)),
    ]


def _reads_of_comments(keys: Keys, id: str, fields: Fields) -> list[Command]:
    last = last_number(fields["last"])
    bits = [argument for at in range(last // _BITS + 1) for argument in ("GET", f"u{_BITS}", f"#{at}")]
    return [
        ("HGETALL", keys.thread(id)),
        ("HKEYS", keys.words(id)),
        ("BITFIELD_RO", keys.hidden(id), *bits),
        *(("PEXPIRETIME", key) for key in _blocks(keys, id, fields)),
    ]


def _blocks(keys: Keys, id: str, fields: Fields) -> list[str]:
    """Return the keys of the voters of each block of comments."""
    return [keys.voted_comments(id, block) for block in range(last_number(fields["last"]) // config.VOTER_BLOCK + 1)]


#: Comments by the names of their authors in lower case, each as article id × ID_FACTOR + number, ascending.
Written = dict[str, "array[int]"]
ID_FACTOR = 2**20


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    """Check all conversations, then the lists of comments: memory grows by 8 bytes a comment."""
    keys = scanner.site_keys
    written: Written = defaultdict(lambda: array("Q"))
    ids = filter(is_id_text, scanner.names("thread"))
    yield from scanner.findings(ids, partial(_check_threads, settings=settings, written=written))
    # A key without a block is another program's.
    blocks = (key for key in scanner.keys_of("voted-comments") if "-" in keys.split(key)[1])
    yield from scanner.check_each(blocks, partial(_comments_of_block, keys), partial(_check_voter_key, keys), size=4)
    yield from scanner.unless_mistyped(_check_newest(scanner))
    for name in dict.fromkeys(chain(scanner.names("commented"), list(written))):
        yield from scanner.unless_mistyped(_check_commented(scanner, name, written.pop(name, array("Q"))))


def _check_threads(scanner: Scanner, ids: list[str], *, settings: Settings, written: Written) -> Iterator[Finding]:
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
            yield from thread.findings(found)
            for number, node in thread.thread.nodes.items():
                if node.author and not node.is_deleted:
                    written[name_key(node.author)].append(thread.id * ID_FACTOR + number)


def _knows_last(thread: ExaminedThread) -> bool:
    """Tell whether the last number is not behind the comments; a repair of it comes before what depends on it."""
    return thread.last >= max(thread.numbers, default=0)


def _check_fields(thread: ExaminedThread, settings: Settings) -> Iterator[Finding]:
    """Check the fields of a conversation that are no comment."""
    key, fields, highest = thread.keys.thread(thread.id), thread.fields, max(thread.numbers, default=0)
    # Another revision comes with every repair.
    lost = {"last": str(highest), "rev": "", "closes": _end(thread, settings)}
    checked = THREAD_FIELDS | {
        "last": Field(lambda text: is_number(text) and _knows_last(thread), "", required=not _knows_last(thread)),
        "rev": THREAD_FIELDS["rev"]._replace(required=True),
        "closes": THREAD_FIELDS["closes"]._replace(required=bool(thread.numbers)),
    }
    if not _knows_last(thread):
        del checked["closes"]
    for name, value in faults(checked, fields):
        if (new := lost.get(name)) is not None:
            thread.new_fields[name] = new
        what = f"has {value:.60} in the field {name}, which is wrong" if value else f"has no {name}"
        yield Finding(key, what, why_not="" if new is not None else BY_HAND, now=f"{name} {new}" if new else "")
    for name in sorted(fields.keys() - THREAD_FIELDS - {"hiding"}):  # of an earlier version, see removals.py
        if not is_comment_field(name.removeprefix("reason:").removeprefix("removed-by:")):
            yield Finding(
                key, f"has the unknown field {name:.40}", why_not="another program made this field", is_note=True
            )


def _end(thread: ExaminedThread, settings: Settings) -> str | None:
    """Return when a conversation ends: as the expiry of its voters says, else as without comments; None if unknown."""
    expires = thread.expiries.get(max(thread.numbers, default=0) // config.VOTER_BLOCK, -1)
    if expires >= 0:
        return str(expires // 1000 - config.VOTERS_GRACE_SECONDS)
    posted = finite_number(thread.article[1])
    return str(int(posted + settings.commenting_seconds)) if posted is not None else None


def _check_comments(thread: ExaminedThread) -> Iterator[Finding]:
    """Check the place, the author and the votes of each comment, and who can read it."""
    key, nodes = thread.keys.thread(thread.id), thread.thread.nodes
    for number in set(thread.numbers) - nodes.keys():
        yield Finding(key, f"holds comment {CommentId(thread.id, number)} with a damaged text", why_not=BY_HAND)
    counts, (_, levels, _) = count_votes(thread.voters.values()), climb(nodes)
    for number, node in nodes.items():
        if levels[number] == config.MAX_COMMENT_LEVEL + 1:
            what = f"comment {CommentId(thread.id, number)} stands below level {config.MAX_COMMENT_LEVEL}, the deepest"
            yield Finding(key, what, why_not="pages show it all the same, and nothing else tells where it belongs")
        yield from (Finding(key, what) for what in _check_comment(thread, node, counts[number]))
    if _knows_last(thread):  # else the bits are checked once it does
        yield from _check_hidden(thread, hidden_numbers(thread.thread))


def _check_comment(thread: ExaminedThread, node: Node, voters: int) -> Iterator[str]:
    id, repaired, own = CommentId(thread.id, node.number), node, thread.voters.get(node.number // config.VOTER_BLOCK)
    if node.parent and (node.parent >= node.number or str(node.parent) not in thread.fields):
        why = "which is not older" if node.parent >= node.number else "which is not there"
        yield f"comment {id} answers {thread.id}.{node.parent}, {why}: it stands at the top level now"
        repaired = replace(repaired, parent=0)
    if node.is_deleted and node.author:
        yield f"comment {id} is deleted, but names its author"
        repaired = replace(repaired, author="")
    if own and "0" in own and node.votes != node.base + voters:  # with the member 0, all voters are there
        yield f"comment {id} has {node.votes} votes, but base {node.base} and {voters} voters make {node.base + voters}"
        votes = max(node.votes, node.base + voters)  # votes never fall because voters are missing
        repaired = replace(repaired, votes=votes, base=votes - voters)
    if repaired != node:
        thread.new_nodes[node.number] = repaired


def _check_words(thread: ExaminedThread) -> Iterator[Finding]:
    """Check that there are words exactly for the comments that are not deleted."""
    key = thread.keys.words(thread.id)
    for number, node in thread.thread.nodes.items():
        id, has_words = CommentId(thread.id, number), str(number) in thread.words
        if node.is_deleted and has_words:
            yield Finding(key, f"holds the words of comment {id}, which is deleted", writes=(("HDEL", key, number),))
        elif not node.is_deleted and not has_words:
            why_not = "they are stored nowhere else: a backup may hold them; set the field with HSET"
            yield Finding(key, f"lacks the words of comment {id}", why_not=why_not)
    for field in sorted(thread.words - set(map(str, thread.numbers))):
        why_not = f"{thread.keys.thread(thread.id)} lacks the comment, which a backup may hold; else HDEL the field"
        yield Finding(key, f"holds the words of comment {thread.id}.{field}, which is not there", why_not=why_not)


def _check_hidden(thread: ExaminedThread, wanted: set[int]) -> Iterator[Finding]:
    """Check the bits, unless a removal is still hiding or showing comments, and the number of comments."""
    key, article, before = thread.keys.hidden(thread.id), thread.keys.article(thread.id), thread.hidden
    after, stored = before if thread.is_removing else wanted, thread.article[2] or ("" if thread.last else "0")
    visible = str(thread.last - len(after))
    problems = [
        f"{'hides' if number in before else 'does not hide'} comment {CommentId(thread.id, number)}"
        for number in sorted(before ^ after)
    ]
    if thread.hidden_bits != len(before):
        problems.append("hides numbers that no comment has")
    writes = tuple(hidden_writes(thread.keys, thread.id, after)) if problems else ()
    yield from (Finding(key, what, now=f"comments {visible}", writes=writes) for what in problems)
    if stored != visible:
        set_count = ("HSET", article, "comments", visible)
        yield Finding(article, f"has comments {stored}, but {visible} can be read", writes=(set_count,))


def _check_voters(thread: ExaminedThread) -> Iterator[Finding]:
    """Check that the voters of each block expire with the conversation, are for its comments, and were not lost."""
    closes = thread.thread.closes
    if closes is None or not _knows_last(thread):
        return  # a finding about the conversation says so already
    for block, members in thread.voters.items():
        key = thread.keys.voted_comments(thread.id, block)
        strays = sorted(member for member in members if not _is_of_block(member, block, thread.last))
        for batch in batched(strays, NAMED_AT_ONCE):
            fix = thread.fix([("SREM", key, *batch)])
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
            what = "has lost its voters, so that voting on these comments is over"
            yield Finding(key, what, writes=(("UNLINK", key),))
        elif members:
            yield from check_expiry(key, thread.expiries[block], closes)


def _is_of_block(member: str, block: int, last: int) -> bool:
    """Tell whether *member* is the 0 of a block, or stands for a vote on one of its comments up to the *last* one."""
    number = int(member) // VOTER_FACTOR if is_vote(member) else 0
    return member == "0" or (number // config.VOTER_BLOCK == block and 1 <= number <= last)


def _comments_of_block(keys: Keys, key: str) -> list[Command]:
    id, _, block = keys.split(key)[1].partition("-")
    first = last_number(block) * config.VOTER_BLOCK
    return [("EXISTS", key), ("HMGET", keys.thread(id), *range(first, first + config.VOTER_BLOCK))]


def _check_voter_key(keys: Keys, key: str, exists: int, stored: list[str | None]) -> Iterator[Finding]:
    """Check that a set of voters belongs to a block of comments, which has these in the conversation."""
    if exists and not (NOUNS["voted-comments"].name(keys.split(key)[1]) and any(stored)):
        yield Finding(key, "belongs to no comments of a conversation", ("UNLINK", key))


def _check_newest(scanner: Scanner) -> Iterator[Finding]:
    """Check that the list of the site's newest comments holds each once, and no more than it may."""
    key, damaged_or_there = scanner.site_keys.comments(), dict[str, Any]()
    items = scanner.command("LRANGE", key, 0, -1)
    entries = list(dict.fromkeys(items))
    for batch in batched(entries):
        damaged_or_there |= dict.fromkeys(batch, True) | _comments(scanner, batch, ("EXISTS", key))[1]
    wanted = [entry for entry in entries if damaged_or_there[entry]]
    yield from remade(scanner, key, items, wanted[: config.NEWEST_COMMENTS])


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
        yield from remade(scanner, key, items, [item for item, _ in ordered])
