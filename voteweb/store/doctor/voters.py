"""Check that all voters are members, and that their open votes are theirs."""

from collections import Counter
from collections.abc import Iterator

from voteweb.core import config
from voteweb.core.models import ArticleStatus
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import MAX_VOTERS_PER_READ, Scanner, batched, split_evenly
from voteweb.store.schema.keys import Keys, article_id, is_article, is_member_id
from voteweb.store.schema.nodes import VOTER_FACTOR
from voteweb.store.schema.values import finite_number

#: An id that is never given out: it stands for that of a member who has lost it.
NO_ID = 0


def examine(scanner: Scanner, live: Scanner) -> Iterator[Finding]:
    """Check that every voter with a number is a member; *live* finds members who joined since *scanner* began.

    The voters of a program after the book are names, or numbers that no member has had.
    """
    keys = scanner.site_keys
    voters = Bitmap()
    for _, id in _voters(scanner):
        voters.add(id)
    for _, vote in _comment_voters(scanner):
        voters.add(vote % VOTER_FACTOR)
    lists = list(scanner.keys(keys.open_votes("*")))
    for key in lists:
        voters.add(_owner(scanner, key))
    members = _member_ids(scanner)
    unknown = {id for id in voters if id not in members}
    if unknown:
        members = _member_ids(live)
        unknown = {id for id in unknown if id not in members}
    why_not = "it may be the id that a member has lost: repair that first" if NO_ID in members else ""
    for batch in batched(lists):
        yield from _check_open_votes(scanner, batch, unknown, why_not)
    if not unknown:
        return
    counter = live.command("GET", keys.last_user_id()) or ""
    last_id = max(max(members, default=0), int(counter) if is_member_id(counter) else 0)
    theirs: Counter[str] = Counter()
    for key, id in _voters(scanner):
        if id in unknown and id > last_id:
            theirs[key] += 1
        elif id in unknown:
            fix = () if why_not else _remove(scanner, key, id)
            yield Finding(key, f"holds the voter {id}, who is no member", fix, why_not)
    for key, count in theirs.items():
        what = f"holds voters of another program, with ids above those of all members: {count}"
        yield Finding(key, what, is_warning=True)
    for key, vote in _comment_voters(scanner):
        number, id = divmod(vote, VOTER_FACTOR)
        if id in unknown:
            article, _, _ = keys.split(key)[1].partition("-")
            what = f"holds the voter {id} of comment {article}.{number}, who is no member"
            # If the vote was counted, the comment then has one more than base and voters: that goes into the base.
            yield Finding(key, what, () if why_not else ("SREM", key, vote), why_not)


def _remove(scanner: Scanner, key: str, voter: int) -> Command:
    """Return the command that removes a voter; a vote that was counted stays counted, as one of the base."""
    article = scanner.site_keys.article(scanner.site_keys.split(key)[1])
    reads: list[Command] = [("HMGET", article, "votes", "base", "gone"), ("SCARD", key), ("SISMEMBER", key, voter)]
    (stored, base, gone), count, is_voter = replies = scanner.run_atomic(reads)
    votes, missing = finite_number(stored or "0"), finite_number(base or "0")
    writes: list[Command] = [("SREM", key, voter)]
    is_counted = votes is not None and missing is not None and votes >= missing + count
    if is_voter and stored is not None and is_counted and gone != ArticleStatus.DELETED:
        writes.append(("HSET", article, "base", int(missing or 0) + 1))
    return guarded(scanner.site_keys, reads, replies, writes)


def _owner(scanner: Scanner, key: str) -> int:
    """Return the id of the member whose open votes *key* holds; NO_ID if it is no number."""
    _, id = scanner.site_keys.split(key)
    return int(id) if is_member_id(id) else NO_ID


def _check_open_votes(scanner: Scanner, lists: list[str], unknown: set[int], why_not: str) -> Iterator[Finding]:
    """Check that these lists of open votes belong to members, expire, and hold stored votes only."""
    keys = scanner.site_keys
    commands = [command for key in lists for command in (("PTTL", key), ("ZREVRANGE", key, 0, -1, "WITHSCORES"))]
    replies = split_evenly(scanner.run_atomic(commands), len(lists))
    for key, (expires, votes) in zip(lists, replies, strict=True):
        if not votes:
            continue
        owner = _owner(scanner, key)
        if owner in unknown or owner == NO_ID:
            yield Finding(key, "belongs to no member", () if why_not else ("UNLINK", key), why_not)
            continue
        if expires == -1:
            last = int(min(max(votes[0][1], 0), config.MAX_TIME))  # another program may have stored infinity
            yield Finding(key, "never expires", ("EXPIREAT", key, last + config.VOTERS_GRACE_SECONDS))
        yield from _check_stored(keys, scanner, key, owner, [member for member, _ in votes])


def _check_stored(keys: Keys, scanner: Scanner, key: str, owner: int, members: list[str]) -> Iterator[Finding]:
    """Check that the vote of *owner* is stored with each of these articles, unless their voters are gone."""
    for member in members:
        if not is_article(member):
            yield Finding(key, f"holds {member}, which is no article", ("ZREM", key, member))
    articles = [member for member in members if is_article(member)]
    for batch in batched(articles):
        commands: list[Command] = []
        for member in batch:
            voted = keys.voted(article_id(member))
            commands += [("ZSCORE", key, member), ("SISMEMBER", voted, owner), ("EXISTS", voted)]
        replies = split_evenly(scanner.run_atomic(commands), len(batch))
        for member, (listed, has_voted, exists) in zip(batch, replies, strict=True):
            if listed is not None and exists and not has_voted:
                yield Finding(key, f"holds {member}, on which the member's vote is not stored", ("ZREM", key, member))


def _voters(scanner: Scanner) -> Iterator[tuple[str, int]]:
    """Yield each set of voters of an article with each numeric voter in it."""
    yield from _numbers(scanner, scanner.site_keys.voted("*"))


def _comment_voters(scanner: Scanner) -> Iterator[tuple[str, int]]:
    """Yield each set of voters of comments with each vote in it: number × VOTER_FACTOR + member id."""
    for key, vote in _numbers(scanner, scanner.site_keys.voted_comments("*", "*")):
        if vote % VOTER_FACTOR:  # else the member 0, or a finding about the conversation
            yield key, vote


def _numbers(scanner: Scanner, pattern: str) -> Iterator[tuple[str, int]]:
    for batch in batched(scanner.keys(pattern)):
        sizes = scanner.run_atomic([("SCARD", key) for key in batch])
        # A set of the usual size comes whole with the others of its batch.
        small = [key for key, size in zip(batch, sizes, strict=True) if size <= MAX_VOTERS_PER_READ / len(batch)]
        for key, members in zip(small, scanner.run_atomic([("SMEMBERS", key) for key in small]), strict=True):
            yield from ((key, int(member)) for member in members if is_member_id(member))
        for key in set(batch) - set(small):
            yield from ((key, int(member)) for member in scanner.members(key) if is_member_id(member))


def _member_ids(scanner: Scanner) -> Bitmap:
    """Return the ids of all members, also of those who left, and NO_ID if a member has none or a shared one."""
    ids = Bitmap()
    for batch in batched(scanner.keys(scanner.site_keys.user("?*"))):
        for id in scanner.run_atomic([("HGET", key, "id") for key in batch]):
            is_new = ids.add(int(id) if id is not None and is_member_id(id) else NO_ID)
            if not is_new:
                ids.add(NO_ID)
    return ids
