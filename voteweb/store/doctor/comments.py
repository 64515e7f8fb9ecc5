"""Check the comments of one conversation: their places, states, words, votes and bits."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus, Node
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.thread_repair import Repair
from voteweb.store.doctor.thread_snapshots import ThreadSnapshot, last_number
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.nodes import VOTER_FACTOR

#: Bits that one command sets.
_BITS_AT_ONCE = 1_000
_BY_HAND = "nothing else tells its place, votes, time and author: a backup may hold it; set the field with HSET"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a comment stands: its level, from 1, and whether one above was removed with its replies."""

    level: int
    is_covered: bool


def places(nodes: dict[int, Node]) -> dict[int, Place]:
    """Return the place of each comment, by number; one whose parent is damaged stands at the top level."""
    found: dict[int, Place] = {}
    for number, node in sorted(nodes.items()):
        above = found.get(node.parent) if node.parent < number else None
        is_covered = above is not None and (above.is_covered or nodes[node.parent].removes_replies)
        found[number] = Place(above.level + 1 if above else 1, is_covered)
    return found


def examine(repair: Repair) -> Iterator[Finding]:
    """Check every comment of a conversation with an article; note in *repair* what repairs them."""
    snapshot, keys = repair.snapshot, repair.keys
    nodes = snapshot.thread.nodes
    found = places(nodes)
    for number in numbers(snapshot):
        if number not in nodes:
            what = f"holds comment {CommentId(snapshot.id, number)} with a damaged text"
            yield Finding(keys.thread(snapshot.id), what, why_not=_BY_HAND)
    voters = _voters_by_number(snapshot)
    for number, node in nodes.items():
        yield from _check_comment(repair, node, found[number], voters[number])
    yield from _check_words(repair)
    if knows_last(snapshot):  # else the bits are checked once it does
        yield from _check_hidden(repair, found)


def numbers(snapshot: ThreadSnapshot) -> list[int]:
    """Return the numbers for which the hash of a conversation has a comment, readable or not."""
    return sorted(int(name) for name in snapshot.fields if is_number(name))


def knows_last(snapshot: ThreadSnapshot) -> bool:
    """Tell whether the last number of a conversation is not behind its comments."""
    return last_number(snapshot.fields) >= max(numbers(snapshot), default=0)


def is_number(field: str) -> bool:
    """Tell whether a field of a conversation is the number of a comment."""
    is_digits = field.isascii() and field.isdigit() and len(field) <= len(str(config.MAX_COMMENTS))
    return is_digits and str(int(field)) == field and 1 <= int(field) <= config.MAX_COMMENTS


def _voters_by_number(snapshot: ThreadSnapshot) -> Counter[int]:
    return Counter(
        voter // VOTER_FACTOR
        for block in snapshot.blocks.values()
        for voter in (int(text) for text in block.voters if text.isdecimal())
        if voter % VOTER_FACTOR
    )


def _check_comment(repair: Repair, node: Node, place: Place, voters: int) -> Iterator[Finding]:
    """Check the place, the author and the votes of one comment."""
    snapshot, key = repair.snapshot, repair.keys.thread(repair.snapshot.id)
    id = CommentId(snapshot.id, node.number)
    repaired, problems = node, []
    if node.parent and (node.parent >= node.number or str(node.parent) not in snapshot.fields):
        stray = CommentId(snapshot.id, node.parent)
        why = "which is not older" if node.parent >= node.number else "which is not there"
        problems.append(f"comment {id} answers {stray}, {why}: it stands at the top level now")
        repaired = replace(repaired, parent=0)
    if node.status is CommentStatus.DELETED and node.author:
        problems.append(f"comment {id} is deleted, but names its author")
        repaired = replace(repaired, author="")
    block = snapshot.blocks.get(node.number // config.VOTER_BLOCK)
    if block and block.is_open and node.votes != node.base + voters:
        problems.append(
            f"comment {id} has {node.votes} votes, but base {node.base} and {voters} voters make {node.base + voters}"
        )
        votes = max(node.votes, node.base + voters)  # votes never fall because voters are missing
        repaired = replace(repaired, votes=votes, base=votes - voters)
    if problems:
        repair.nodes[node.number] = repaired
        yield from (Finding(key, problem) for problem in problems)
    if place.level == config.MAX_COMMENT_LEVEL + 1:
        why_not = "pages show it all the same, and nothing else tells where it belongs"
        yield Finding(key, f"comment {id} stands below level {config.MAX_COMMENT_LEVEL}, the deepest", why_not=why_not)


def _check_words(repair: Repair) -> Iterator[Finding]:
    """Check that there are words exactly for the comments that are not deleted."""
    snapshot, keys = repair.snapshot, repair.keys
    key, present = keys.words(snapshot.id), set(numbers(snapshot))
    for number, node in snapshot.thread.nodes.items():
        id, has_words = CommentId(snapshot.id, number), str(number) in snapshot.words
        if node.status is CommentStatus.DELETED and has_words:
            repair.words.append(number)
            yield Finding(key, f"holds the words of comment {id}, which is deleted")
        elif node.status is not CommentStatus.DELETED and not has_words:
            why_not = "they are stored nowhere else: a backup may hold them; set the field with HSET"
            yield Finding(key, f"lacks the words of comment {id}", why_not=why_not)
    for field in sorted(snapshot.words):
        if not is_number(field) or int(field) not in present:
            what = f"holds the words of comment {snapshot.id}.{field}, which is not there"
            why_not = f"{keys.thread(snapshot.id)} has lost the comment, which a backup may hold; else HDEL the field"
            yield Finding(key, what, why_not=why_not)


def _check_hidden(repair: Repair, found: dict[int, Place]) -> Iterator[Finding]:
    """Check the bits, unless a removal is still hiding or showing comments, and the number of comments."""
    snapshot, nodes, last = repair.snapshot, repair.snapshot.thread.nodes, last_number(repair.snapshot.fields)
    key, article, stored = repair.keys.hidden(snapshot.id), repair.keys.article(snapshot.id), snapshot.article[2] or "0"
    before = snapshot.hidden - {0}
    after = before if snapshot.is_removing else {
        number for number in range(1, last + 1) if _is_hidden(nodes.get(number), found.get(number))
    }  # fmt: skip
    wrong = sorted(before ^ after)
    for number in wrong:
        says = "hides" if number in before else "does not hide"
        node, id = nodes.get(number), CommentId(snapshot.id, number)
        state = (node.status or "visible") if node else "not there"
        covered = " below one removed with its replies" if node and found[number].is_covered else ""
        yield Finding(key, f"{says} comment {id}, which is {state}{covered}", now=f"comments {last - len(after)}")
    if snapshot.hidden_bits != len(before):
        repair.writes.append(("UNLINK", key))
        wrong = list(range(last // 8 * 8 + 8)) if last else []
        yield Finding(key, "hides numbers that no comment has")
    for batch in batched(wrong, _BITS_AT_ONCE):
        bits = (part for number in batch for part in ("SET", "u1", number, int(number in after)))
        repair.writes.append(("BITFIELD", key, *bits))
    if stored != str(last - len(before)):
        yield Finding(article, f"has comments {stored}, but {last - len(before)} can be read")
    if stored != str(last - len(after)):
        repair.writes.append(("HSET", article, "comments", last - len(after)))


def _is_hidden(node: Node | None, place: Place | None) -> bool:
    """Tell whether nobody can read a comment, or there is none of its number."""
    return node is None or place is None or node.status is not CommentStatus.VISIBLE or place.is_covered
