"""Check that all voters are members, and that their open votes are theirs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from voteweb.core import config
from voteweb.core.models import ArticleStatus
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.key_checks import NO_ID, member_ids
from voteweb.store.doctor.looks import Finding, SpoolingScanner
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import article_id, is_article, is_member_id
from voteweb.store.schema.nodes import VOTER_FACTOR
from voteweb.store.schema.numbers import finite_number


def examine(scanner: SpoolingScanner, live: Scanner) -> Iterator[Finding]:
    """Check that every voter with a number is a member; *live* finds members who joined since *scanner* began.

    The voters of a program after the book are names, or numbers that no member has had.
    """
    keys = scanner.site_keys
    voters = Bitmap()
    for _, _, id in _votes(scanner):
        voters.add(id)
    lists = list(scanner.keys(keys.open_votes("*")))
    for key in lists:
        voters.add(_owner(scanner, key))
    members = member_ids(scanner)
    unknown = {id for id in voters if id not in members}
    if unknown:
        members = member_ids(live)
        unknown = {id for id in unknown if id not in members}
    why_not = "it may be the id that a member has lost: repair that first" if NO_ID in members else ""
    yield from scanner.check_each(
        lists,
        lambda key: [("PTTL", key), ("ZREVRANGE", key, 0, -1, "WITHSCORES")],
        partial(_check_open_votes, scanner, unknown, why_not),
    )
    if not unknown:
        return
    counter = live.command("GET", keys.last_user_id()) or ""
    last_id = max(max(members, default=0), int(counter) if is_member_id(counter) else 0)
    theirs: Counter[str] = Counter()
    for key, vote, id in _votes(scanner):
        if id not in unknown:
            continue
        noun, name = keys.split(key)
        if noun == "voted" and id > last_id:
            theirs[key] += 1
        elif noun == "voted":
            fix = () if why_not else _remove(scanner, key, id)
            yield Finding(key, f"holds the voter {id}, who is no member", fix, why_not)
        else:
            of = f"{name.partition('-')[0]}.{vote // VOTER_FACTOR}"
            # If the vote was counted, the comment then has one more than base and voters: that goes into the base.
            fix = () if why_not else ("SREM", key, vote)
            yield Finding(key, f"holds the voter {id} of comment {of}, who is no member", fix, why_not)
    for key, count in theirs.items():
        what = f"holds voters of another program, with ids above those of all members: {count}"
        yield Finding(key, what, is_warning=True)


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


def _check_open_votes(
    scanner: SpoolingScanner, unknown: set[int], why_not: str, key: str, expires: int, votes: Sequence[Any]
) -> Iterator[Finding]:
    """Check that a list of open votes belongs to a member, expires, and holds stored votes only.

    One whose voters are gone may stay.
    """
    keys, owner = scanner.site_keys, _owner(scanner, key)
    if votes and (owner in unknown or owner == NO_ID):
        yield Finding(key, "belongs to no member", () if why_not else ("UNLINK", key), why_not)
        return
    if votes and expires == -1:
        last = int(min(max(votes[0][1], 0), config.MAX_TIME))  # another program may have stored infinity
        yield Finding(key, "never expires", ("EXPIREAT", key, last + config.VOTERS_GRACE_SECONDS))

    def reads(member: str) -> list[Command]:
        voted = keys.voted(article_id(member) if is_article(member) else "?")
        return [("ZSCORE", key, member), ("SISMEMBER", voted, owner), ("EXISTS", voted)]

    def check(member: str, listed: float | None, has_voted: int, exists: int) -> Iterator[Finding]:
        if listed is not None and not is_article(member):
            yield Finding(key, f"holds {member}, which is no article", ("ZREM", key, member))
        elif listed is not None and exists and not has_voted:
            yield Finding(key, f"holds {member}, on which the member's vote is not stored", ("ZREM", key, member))

    yield from scanner.check_each((member for member, _ in votes), reads, check)


def _votes(scanner: Scanner) -> Iterator[tuple[str, int, int]]:
    """Yield each set of voters with each numeric vote in it, and who gave it.

    That of a comment is number × VOTER_FACTOR + member id; the member 0 is none.
    """
    keys = scanner.site_keys
    for key, members in scanner.set_members(
        chain(scanner.keys(keys.voted("*")), scanner.keys(keys.voted_comments("*", "*")))
    ):
        votes = (int(member) for member in members if is_member_id(member))
        if keys.split(key)[0] == "voted":
            yield from ((key, vote, vote) for vote in votes)
        else:
            yield from ((key, vote, vote % VOTER_FACTOR) for vote in votes if vote % VOTER_FACTOR)
