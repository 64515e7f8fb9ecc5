"""Conversations as they were at one instant, which their revision proves, and the one command that repairs each."""

from collections.abc import Iterator, Sequence
from functools import partial

from voteweb.core import config
from voteweb.core.comments import Node
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.looks import Fields, Kind, Look, look_at
from voteweb.store.scan.scanner import MAX_VOTERS_PER_READ, Scanner, batched, portions
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import format_node, parse_thread
from voteweb.store.schema.values import is_number
from voteweb.store.site.changes import record_change

#: Fields that Redis returns in one block: about a millisecond; the largest conversation alone.
STEP_SIZE = 5_000
#: Bits of a bitmap that one GET of BITFIELD returns.
_BITS = 32
#: The reads of a look that guard a repair: a removal that is hiding comments gives a conversation no other revision.
_GUARDS = 4
#: Members of a set, or comments, that one command names.
NAMED_AT_ONCE = 500


class Conversation:
    """One conversation with its comments, its voters by block, and what its repair writes."""

    def __init__(self, seen: Look, voters: dict[int, frozenset[str]]) -> None:
        self.keys = seen.keys
        self.now = seen.now
        self.id = int(seen.name)
        self.voters = voters
        self._seen = seen
        #: The fields ``title``, ``time`` and ``comments`` of the article, as stored.
        self.article: list[str | None]
        self.fields: dict[str, str]
        self.article, self.is_removing, self.hidden_bits, self.fields, words, bits, *ends = seen.replies
        self.words = frozenset(words)
        #: When the voters of each block expire, in unix milliseconds as PEXPIRETIME tells it.
        self.expiries = dict(enumerate(ends[::2]))
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
        #: The comments whose words go, and what else is written, which needs no other revision.
        self.lost_words: list[int] = []
        self.writes: list[Command] = []

    def fix(self, *writes: Command) -> Command:
        """Return the command that does these *writes* if the conversation is still as it was."""
        return self._seen.fix(*writes, guards=_GUARDS)

    def repair(self) -> Command:
        """Return the command that repairs all of it."""
        key, words = self.keys.thread(self.id), self.keys.words(self.id)
        fields = self.new_fields | {str(number): format_node(node) for number, node in self.new_nodes.items()}
        if fields or self.lost_words:
            fields["rev"] = str(max(int(1_000_000 * self.now), self.thread.revision + 1))
        changed = batched(fields.items(), NAMED_AT_ONCE)
        writes: list[Command] = [("HSET", key, *(part for item in batch for part in item)) for batch in changed]
        writes += [("HDEL", words, *batch) for batch in batched(self.lost_words, NAMED_AT_ONCE)]
        if self.new_nodes or self.lost_words:
            writes.append(record_change(self.keys, "t", self.id))
        return self.fix(*writes, *self.writes)


def is_comment_field(name: str) -> bool:
    """Tell whether a field of a conversation is the number of a comment."""
    return is_number(name) and str(int(name)) == name and 1 <= int(name) <= config.MAX_COMMENTS


def last_number(stored: str | None) -> int:
    """Return the stored number of the last comment, 0 if it is none that a conversation can have."""
    return int(stored) if stored and is_number(stored) and int(stored) <= config.MAX_COMMENTS else 0


def read_conversations(scanner: Scanner, ids: Sequence[str]) -> Iterator[Conversation]:
    """Yield these conversations, but those that change whenever they are read; large ones are read in several steps."""
    keys = scanner.site_keys
    kind = Kind(keys.thread, ("rev", "last"), partial(_reads, keys))
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        sizes = scanner.run_atomic(
            [read for id in ids for read in (("HLEN", keys.thread(id)), ("HLEN", keys.words(id)))]
        )
        changed: list[str] = []
        for portion in portions(ids, map(sum, zip(sizes[::2], sizes[1::2], strict=True)), STEP_SIZE):
            looks = list(look_at(scanner, portion, kind))
            voters = _read_voters(scanner, looks)
            revisions = scanner.run_atomic([("HGET", keys.thread(seen.name), "rev") for seen in looks])
            for seen, own, revision in zip(looks, voters, revisions, strict=True):
                if revision == seen.fields["rev"]:
                    yield Conversation(seen, own)
                else:
                    changed.append(seen.name)
        ids = changed
        if not ids:
            return


def _reads(keys: Keys, id: str, fields: Fields) -> list[Command]:
    last = last_number(fields["last"])
    bits = [argument for at in range(last // _BITS + 1) for argument in ("GET", f"u{_BITS}", f"#{at}")]
    sets = [keys.voted_comments(id, block) for block in range(last // config.VOTER_BLOCK + 1)]
    return [
        ("HMGET", keys.article(id), "title", "time", "comments"),
        ("SISMEMBER", keys.removing(), id),
        ("BITCOUNT", keys.hidden(id)),
        ("HGETALL", keys.thread(id)),
        ("HKEYS", keys.words(id)),
        ("BITFIELD_RO", keys.hidden(id), *bits),
        *(read for key in sets for read in (("PEXPIRETIME", key), ("SCARD", key))),
    ]


def _read_voters(scanner: Scanner, looks: Sequence[Look]) -> list[dict[int, frozenset[str]]]:
    """Return the voters of each conversation by block."""
    keys, found = scanner.site_keys, [dict[int, frozenset[str]]() for _ in looks]
    counts = {(at, block): n for at, seen in enumerate(looks) for block, n in enumerate(seen.replies[7::2])}
    for step in portions(list(counts), counts.values(), MAX_VOTERS_PER_READ):
        sets = [keys.voted_comments(looks[at].name, block) for at, block in step]
        if sum(counts[block] for block in step) > MAX_VOTERS_PER_READ:
            members = [scanner.members(key) for key in sets]
        else:
            members = scanner.run_atomic([("SMEMBERS", key) for key in sets])
        for (at, block), own in zip(step, members, strict=True):
            found[at][block] = frozenset(own)
    return found
