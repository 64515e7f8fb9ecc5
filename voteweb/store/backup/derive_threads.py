"""Derive what is computed from the comments of a conversation, and the lists of comments by time."""

from collections.abc import Container, Mapping

from voteweb.core.comments import CommentId, CommentStatus, Thread
from voteweb.core.config import DELETED_MEMBER, MAX_COMMENTS, NEWEST_COMMENTS, VOTER_BLOCK
from voteweb.core.names import name_key
from voteweb.store.backup.dump_threads import portions
from voteweb.store.backup.key_writes import KeyWrites
from voteweb.store.comments.order import newest_first
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.keys import Keys, is_member_id
from voteweb.store.schema.nodes import VOTER_FACTOR, join_node, parse_thread, split_node

#: Items of a list that one command carries.
_CHUNK_SIZE = 1_000


def derive(connection: Connection, scanner: Scanner, members: Container[str]) -> int:
    """Write what is derived from all conversations; return the number of their comments."""
    keys, seen, total = connection.keys, Bitmap(), 0
    names = (keys.split(key)[1] for key in scanner.keys(keys.thread("[0-9]*")))
    for batch in batched(int(name) for name in names if is_member_id(name) and seen.add(int(name))):
        sizes = connection.run([("HLEN", keys.thread(id)) for id in batch])
        for portion in portions(batch, sizes):
            reads = [
                command for id in portion for command in (("HGETALL", keys.thread(id)), ("EXISTS", keys.article(id)))
            ]
            replies = connection.run(reads)
            for id, fields, exists in zip(portion, replies[::2], replies[1::2], strict=True):
                thread = parse_thread(id, fields)
                total += len(thread.nodes)
                commands = _votes(connection, keys, thread, fields)
                commands += _places(keys, thread, members)
                bits, visible = hidden_bits(thread)
                if bits:
                    commands.append(("SET", keys.hidden(id), bits))
                if exists and thread.nodes:
                    commands.append(("HSET", keys.article(id), "comments", visible))
                if commands:
                    connection.run(commands)
    _make_lists(connection, scanner)
    return total


def _votes(connection: Connection, keys: Keys, thread: Thread, fields: Mapping[str, str]) -> list[Command]:
    """Return the commands that make votes agree with their voters, who were read before them, or some after them."""
    blocks = sorted({number // VOTER_BLOCK for number in thread.nodes})
    sets = (
        connection.run([("SMEMBERS", keys.voted_comments(thread.article, block)) for block in blocks]) if blocks else []
    )
    changed, commands = {}, list[Command]()
    for block, members in zip(blocks, sets, strict=True):
        if "0" not in members:  # voting has ended
            continue
        counts: dict[int, int] = {}
        for voter in members:
            number = int(voter) // VOTER_FACTOR if is_member_id(voter) else 0
            counts[number] = counts.get(number, 0) + 1
        strays = [voter for voter in members if int(voter) // VOTER_FACTOR not in thread.nodes and voter != "0"]
        if strays:
            commands.append(("SREM", keys.voted_comments(thread.article, block), *strays))
        for number, node in thread.nodes.items():
            votes = node.base + counts.get(number, 0)
            parts = split_node(fields[str(number)])
            if number // VOTER_BLOCK == block and votes != node.votes and parts:
                changed[str(number)] = join_node(parts | {"votes": str(votes)})
    if changed:
        commands.append(("HSET", keys.thread(thread.article), *(item for pair in changed.items() for item in pair)))
    return commands


def _places(keys: Keys, thread: Thread, members: Container[str]) -> list[Command]:
    """Return the commands that put comments into rankings by time, which become lists at the end."""
    writes = KeyWrites()
    for number, node in thread.nodes.items():
        id = str(CommentId(thread.article, number))
        writes.place(keys.comments(), id, node.time)
        is_signed = node.author not in ("", DELETED_MEMBER) and node.status is not CommentStatus.DELETED
        if is_signed and name_key(node.author) in members:
            writes.place(keys.commented(node.author), id, node.time)
    trim = [("ZREMRANGEBYRANK", keys.comments(), 0, -NEWEST_COMMENTS - 1)] if thread.nodes else []
    return [*writes.commands(), *trim]


def hidden_bits(thread: Thread) -> tuple[bytes, int]:
    """Return the bits of the comments that nobody can read any more, without zeros at the end; count the others.

    A number that has lost its comment has its bit too.
    """
    last = thread.last if thread.last <= MAX_COMMENTS else 0
    bits = bytearray(min(max(thread.nodes, default=last), 8 * MAX_COMMENTS) // 8 + 1).ljust(last // 8 + 1, b"\0")
    for number in set(range(1, last + 1)) - thread.nodes.keys():
        bits[number // 8] |= 0x80 >> number % 8
    covered: set[int] = set()
    visible = 0
    for number, node in thread.nodes.items():
        is_covered = node.parent in covered
        if is_covered or node.removes_replies:
            covered.add(number)
        if not is_covered and node.status is CommentStatus.VISIBLE:
            visible += 1
        elif number // 8 < len(bits):
            bits[number // 8] |= 0x80 >> number % 8
    return bytes(bits.rstrip(b"\0")), visible


def _make_lists(connection: Connection, scanner: Scanner) -> None:
    """Turn the rankings of comments by time into lists, newest first."""
    keys = connection.keys
    for pattern in (keys.comments(), keys.commented("?*")):
        for key in scanner.keys(pattern):
            if connection.command("TYPE", key) != "zset":
                continue  # SCAN names it again
            members = newest_first(dict(connection.command("ZRANGE", key, 0, -1, "WITHSCORES")))
            commands: list[Command] = [("UNLINK", key)]
            commands += [("RPUSH", key, *(member for member, _ in part)) for part in batched(members, _CHUNK_SIZE)]
            connection.run(commands, atomic=True)
