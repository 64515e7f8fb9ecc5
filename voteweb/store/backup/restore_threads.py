"""The end of a restore of conversations: what is computed from all the comments of one, and lists of them by time."""

from voteweb.core.comments import CommentStatus, Thread
from voteweb.core.config import MAX_COMMENTS
from voteweb.store.backup.dump_articles import portions
from voteweb.store.bitmap import Bitmap
from voteweb.store.comment_order import newest_first
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.nodes import parse_thread
from voteweb.store.scanner import Scanner, batched

#: Items of a list that one command carries.
_CHUNK_SIZE = 1_000


def count_comments(connection: Connection, scanner: Scanner) -> int:
    """Note which comments can be read, and with each article how many; return the number of all comments."""
    keys, seen, total = connection.keys, Bitmap(), 0
    ids = (int(keys.split(key)[1]) for key in scanner.keys(keys.thread("[0-9]*")))
    for batch in batched(id for id in ids if seen.add(id)):
        sizes = scanner.run_atomic([("HLEN", keys.thread(id)) for id in batch])
        for portion in portions(batch, sizes):
            reads: list[Command] = []
            for id in portion:
                reads += [("HGETALL", keys.thread(id)), ("EXISTS", keys.article(id))]
            commands: list[Command] = []
            for id, (fields, exists) in zip(portion, batched(connection.run(reads), 2), strict=True):
                thread = parse_thread(id, fields)
                total += len(thread.nodes)
                bits, visible = hidden_bits(thread)
                if bits:
                    commands.append(("SET", keys.hidden(id), bits))
                if exists and thread.nodes:
                    commands.append(("HSET", keys.article(id), "comments", visible))
            connection.run(commands)
    return total


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


def make_lists(connection: Connection, scanner: Scanner) -> None:
    """Turn the rankings of comments by time, in which the records came, into lists, newest first."""
    keys = connection.keys
    for pattern in (keys.comments(), keys.commented("?*")):
        for key in scanner.keys(pattern):
            if connection.command("TYPE", key) != "zset":
                continue  # SCAN names it again
            members = newest_first(dict(connection.command("ZRANGE", key, 0, -1, "WITHSCORES")))
            commands: list[Command] = [("UNLINK", key)]
            commands += [("RPUSH", key, *(member for member, _ in part)) for part in batched(members, _CHUNK_SIZE)]
            connection.run(commands, atomic=True)
