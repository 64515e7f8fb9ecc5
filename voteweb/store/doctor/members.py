"""Check members: their fields and lists, votes, invitations, feeds, inboxes and visits."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from voteweb.core import config
from voteweb.core.comments import NoticeKind
from voteweb.core.models import ArticleStatus
from voteweb.core.names import name_key
from voteweb.store.accounts.secret_feeds import feed_keys
from voteweb.store.accounts.users import member_places
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.findings import Finding, SpoolingScanner, check_place, list_faults, one_fix
from voteweb.store.doctor.key_checks import NO_ID, ids_by_member, member_ids
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.scan.looks import Fields, Kind, Look
from voteweb.store.scan.scanner import Bitmap, Scanner
from voteweb.store.schema.fields import BY_HAND, MEMBER_FIELDS, faults
from voteweb.store.schema.keys import Keys, key_type
from voteweb.store.schema.nodes import VOTER_FACTOR
from voteweb.store.schema.values import (
    article_of,
    finite_number,
    invitation_member,
    is_finite,
    is_inbox_entry,
    is_member_id,
    is_visit,
    parse_comment,
)

#: The fields on which something is decided, with their checks: less strict than a restore's, since another program may
#: have written them, and only their owner may replace a value that can be used.
_CHECKED = {
    **{name: MEMBER_FIELDS[name] for name in ("id", "role", "recovery", "second-factor", "email", "email-pending")},
    "name": MEMBER_FIELDS["name"]._replace(check=bool),
    "password": MEMBER_FIELDS["password"]._replace(check=lambda _: True),
    **{
        name: MEMBER_FIELDS[name]._replace(check=is_finite)
        for name in ("since", "banned", "banned-until", "ban-answered", "about-reported", "left", "held", "recovered")
    },
}


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all members and all invitations."""
    keys, ids, shared = scanner.site_keys, Bitmap(), set[str]()
    kind = Kind(keys.user, tuple(MEMBER_FIELDS), partial(_reads, keys))

    def check(seen: Look) -> Iterator[Finding]:
        id = seen.fields["id"] or ""
        if id and is_member_id(id) and not ids.add(int(id)):
            shared.add(id)
        # Two repairs: where a member stands is told by the fields, once these are right.
        yield from one_fix(seen.fix, [*_check_fields(keys, seen)])
        yield from _check_places(keys, seen)

    yield from scanner.check_looks(scanner.names("user"), kind, check)
    if shared:
        yield from _check_shared_ids(scanner, shared)
    of_invitations = Kind(keys.invite, ("by", "until", "used"), partial(_reads_of_invitation, keys))
    yield from scanner.check_looks(scanner.names("invite"), of_invitations, partial(_check_invitation, keys))
    for noun, field in (("reset", "id"), ("inbox-feed", "inbox-feed"), ("saved-feed", "saved-feed")):
        yield from scanner.findings(scanner.keys_of(noun), partial(_check_addresses, field=field))


def _reads(keys: Keys, name: str, fields: Fields) -> list[Command]:
    places = [("SISMEMBER" if key_type(keys, key) == "set" else "ZSCORE", key) for key in member_places(keys, fields)]
    return [
        ("ZSCORE", keys.users(), name),
        ("EXISTS", keys.follows(name), keys.hides(name), keys.saved(name)),
        ("SISMEMBER", keys.leaving(), name),
        ("EXISTS", *keys_left_behind(keys, name)),
        *(("GET", key) for key in feed_keys(keys, fields).values()),
        *((command, key, name) for command, key in places),
    ]


def _check_fields(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check what the hash of a member holds."""
    key, name, joined = keys.user(seen.name), seen.fields["name"], seen.replies[0]
    others = {"name": seen.name, **({"since": f"{float(joined):.6f}"} if joined else {})}
    stored = {field: value for field, value in seen.fields.items() if value is not None}
    for field, value in faults(_CHECKED, stored):
        what = f"has {value:.60} in the field {field}, which is no such value" if value else f"has no {field}"
        lost = others.get(field, _CHECKED[field].lost)
        if lost is None:
            yield Finding(key, what, why_not=BY_HAND)
        else:
            yield Finding(key, f"{what}: it is {lost or 'empty'} now", writes=(("HSET", key, field, lost),))
    if name and name_key(name) != seen.name:
        yield Finding(key, f"has the name {name}, which belongs to another key", why_not=BY_HAND)
    if seen.replies[1] and seen.fields["id"] is not None and seen.fields["my"] is None:
        what = "has no field my, so that no page reads what the member follows, hides and saved"
        yield Finding(key, what, writes=(("HSETNX", key, "my", f"{seen.now:.6f}"),))


def _check_places(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check whether a member is in those of the lists in which they should be, and leads to their feeds."""
    name, fields, leaving = seen.name, seen.fields, keys.leaving()
    is_leaving, left_behind, *others = seen.replies[2:]
    owners, places = others[: len(feed_keys(keys, fields))], others[len(feed_keys(keys, fields)) :]
    for (key, place), stored in zip(member_places(keys, fields).items(), places, strict=True):
        yield from check_place(keys, key, name, stored, place)
    has_left = fields["id"] is not None and fields["left"] is not None
    if is_leaving and not has_left:
        yield from check_place(keys, leaving, name, is_leaving, None)
    elif has_left and left_behind and not is_leaving:
        what = f"lacks {name}, who left articles, reports or invitations behind"
        yield Finding(leaving, what, writes=(("SADD", leaving, name),))
    for key, owner in zip(feed_keys(keys, fields).values(), owners, strict=True):
        if owner != name:
            what = f"leads to {owner or 'nobody'} instead of {name}, whose feed has this address"
            yield Finding(key, what, writes=(("SET", key, name),))


def _check_addresses(scanner: Scanner, found: list[str], *, field: str) -> Iterator[Finding]:
    """Check that these one-time links, or these addresses of feeds, are ones of members."""
    keys = scanner.site_keys
    links = scanner.run_atomic([("GET", key) for key in found])
    names = [(link or "").partition(" ")[0] for link in links]
    values = scanner.run_atomic([("HGET", keys.user(name or "?"), field) for name in names])
    for key, link, name, value in zip(found, links, names, values, strict=True):
        if link is not None and (value is None or (field != "id" and keys.split(key)[1] != value)):
            yield Finding(key, f"is for {name:.40}, who has no such address", ("UNLINK", key))


def _check_shared_ids(scanner: Scanner, shared: set[str]) -> Iterator[Finding]:
    """Check whose these ids are, which were met more than once: a scan may list one member twice."""
    keys, names_of = scanner.site_keys, defaultdict[str, set[str]](set)
    for key, id in ids_by_member(scanner):
        if id in shared:
            names_of[id].add(keys.split(key)[1])
    why_not = f"nothing tells whose votes are whose: give all but one the ids that INCR {keys.last_user_id()} returns"
    for id, names in names_of.items():
        for name in sorted(names) if len(names) > 1 else ():
            others = ", ".join(sorted(names - {name}))
            yield Finding(keys.user(name), f"has the id {id}, which is also that of {others}", why_not=why_not)


def _reads_of_invitation(keys: Keys, digest: str, fields: Fields) -> list[Command]:
    by, used = fields["by"] or "?", fields["used"] or "?"
    of_user = ("HMGET", keys.user(used), "id", "invited-by")
    return [("ZSCORE", keys.invites(by), invitation_member(digest)), ("HEXISTS", keys.user(by), "id"), of_user]


def _check_invitation(keys: Keys, seen: Look) -> Iterator[Finding]:
    key, (by, stored_end, used), (score, is_member, user) = keys.invite(seen.name), seen.fields.values(), seen.replies
    until = finite_number(stored_end)
    if not by or until is None:
        yield Finding(key, "has no maker or no end", why_not=f"{BY_HAND}, or delete the key")
        return
    yield from check_place(keys, keys.invites(by), invitation_member(seen.name), score, until)
    if not is_member:
        why_not = "the name is stored nowhere else: a backup may hold the member"
        yield Finding(key, f"was made by {by}, who is no member", why_not=why_not)
    if used and user[1] != by:
        can_fix = user[0] is not None and user[1] is None
        what = f"was used by {used}, whom {user[1] or 'nobody'} invited"
        fix: Command = ("HSETNX", keys.user(used), "invited-by", by) if can_fix else ()
        yield Finding(key, what, fix, "one of the two is wrong, and nothing else tells which")


def examine_inboxes(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the inboxes and visits of all members."""
    keys = scanner.site_keys
    names = dict.fromkeys(chain(scanner.names("inbox"), scanner.names("unread")))
    kind = Kind(keys.user, ("id",), partial(_reads_of_inbox, keys))
    yield from scanner.check_looks(names, kind, partial(_check_inbox, scanner), size=10)
    yield from scanner.findings(scanner.keys_of("seen"), _check_visits, size=10)


def _reads_of_inbox(keys: Keys, name: str, _: Fields) -> list[Command]:
    lists = (keys.inbox(name), keys.unread(name))
    return [("LRANGE", key, 0, config.INBOX_SIZE) for key in lists] + [("PEXPIRETIME", key) for key in lists]


def _check_inbox(scanner: Scanner, seen: Look) -> Iterator[Finding]:
    """Check one inbox and its list of unread entries; a repair leaves each entry once, and only those as unread."""
    entries, unread, *ends = seen.replies
    lost, kept = _lost(scanner, entries), dict[str, str]()
    for entry in entries:
        if entry not in lost:
            kept.setdefault(entry.split(" ")[1], entry)
    remaining = list(kept.values())[: config.INBOX_SIZE]
    lists = (
        (seen.keys.inbox(seen.name), entries, remaining, ends[0]),
        (
            *(seen.keys.unread(seen.name), unread),
            *([entry for entry in dict.fromkeys(unread) if entry in remaining], ends[1]),
        ),
    )
    writes: list[Command] = []
    for key, before, items, end in lists:
        if before != items:
            writes += [("UNLINK", key), *([("RPUSH", key, *items)] if items else [])]
            writes += [("PEXPIREAT", key, end)] if items and end > 0 else []
    for key, before, items, _ in lists:
        yield from (Finding(key, what, writes=tuple(writes)) for what in list_faults(before, items))


def _lost(scanner: Scanner, entries: Sequence[str]) -> set[str]:
    """Return the entries that are about no comment or act that exists; none ceases to exist."""
    keys, known = scanner.site_keys, {entry for entry in entries if is_inbox_entry(entry)}
    about = {entry: entry.split(" ")[1] for entry in known if not entry.startswith(NoticeKind.ACCOUNT)}
    reads = [
        ("HEXISTS", keys.thread(comment.article), comment.number)
        if (comment := parse_comment(what))
        else ("LINDEX", keys.log_entries(), int(what.removeprefix("log-")) - 1)
        for what in about.values()
    ]
    exist = zip(about, scanner.run_atomic(reads), strict=True)
    return set(entries) - known | {entry for entry, exists in exist if exists in (None, 0)}


def _check_visits(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that what these members have seen is of conversations that have so many comments."""
    most = config.MAX_VISITED_THREADS
    for key, visits in zip(found, scanner.run_atomic([("HGETALL", key) for key in found]), strict=True):
        parts = {article: visit.split(" ") for article, visit in visits.items() if is_visit(visit)}
        reads = [("HEXISTS", scanner.site_keys.thread(article), int(part[1])) for article, part in parts.items()]
        known = {
            article
            for (article, (base, seen, *_)), exists in zip(parts.items(), scanner.run_atomic(reads), strict=True)
            if (exists or not int(seen)) and int(base) <= int(seen)
        }
        for article in visits.keys() - known:
            # Whoever comes again is there for the first time.
            yield Finding(key, f"holds a visit of {article:.20} that cannot have been", ("HDEL", key, article))
        if len(known) > most:
            oldest = sorted(known, key=lambda article: finite_number(parts[article][2]) or 0.0)[:-most]
            yield Finding(key, f"holds more than {most} conversations", ("HDEL", key, *oldest))


def examine_voters(scanner: SpoolingScanner, live: Scanner) -> Iterator[Finding]:
    """Check that every voter with a number is a member; *live* finds members who joined since *scanner* began.

    The voters of a program after the book are names, or numbers above the ids of all members.
    """
    keys = scanner.site_keys
    members, lists = member_ids(scanner), list(scanner.keys_of("open-votes"))
    strays = [vote for vote in _votes(scanner) if vote[2] not in members]
    owners = (_owner(scanner, key) for key in lists)
    unknown = {*(id for _, _, id in strays), *(id for id in owners if id not in members)}
    if unknown:
        members = member_ids(live)
        unknown = {id for id in unknown if id not in members}
    why_not = "it may be the id that a member has lost: repair that first" if NO_ID in members else ""
    yield from scanner.check_each(
        lists,
        lambda key: [("PTTL", key), ("ZREVRANGE", key, 0, -1, "WITHSCORES")],
        partial(_check_open_votes, scanner, unknown, why_not),
    )
    counter = live.command("GET", keys.last_user_id()) or ""
    last_id = max(max(members, default=0), int(counter) if is_member_id(counter) else 0)
    for key, vote, id in strays:
        noun, name = keys.split(key)
        if id not in unknown or (noun == "voted" and id > last_id):
            continue
        of = f" of comment {name.partition('-')[0]}.{vote // VOTER_FACTOR}" if noun == "voted-comments" else ""
        fix = () if why_not else _removal(scanner, key, vote)
        yield Finding(key, f"holds the voter {id}{of}, who is no member", fix, why_not)


def _removal(scanner: Scanner, key: str, vote: int) -> Command:
    """Return the command that removes a *vote*; if it was counted on an article, it is one of the base then.

    Without it in the base, an article that loses its only voter would have lost all voters, which ends voting. Of a
    comment it goes into the base in the next round: one member of the set is no voter.
    """
    keys = scanner.site_keys
    noun, name = keys.split(key)
    if noun != "voted":
        return ("SREM", key, vote)
    article = keys.article(name)
    reads: list[Command] = [("HMGET", article, "votes", "base", "gone"), ("SCARD", key), ("SISMEMBER", key, vote)]
    (stored, base, gone), count, is_voter = replies = scanner.run_atomic(reads)
    votes, missing = finite_number(stored or "0"), finite_number(base or "0")
    writes: list[Command] = [("SREM", key, vote)]
    is_counted = votes is not None and missing is not None and votes >= missing + count
    if is_voter and stored is not None and is_counted and gone != ArticleStatus.DELETED:
        writes.append(("HSET", article, "base", int(missing or 0) + 1))
    return guarded(keys, reads, replies, writes)


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
        voted = keys.voted(article_of(member) or "?")
        return [("ZSCORE", key, member), ("SISMEMBER", voted, owner), ("EXISTS", voted)]

    def check(member: str, listed: float | None, has_voted: int, exists: int) -> Iterator[Finding]:
        if listed is not None and (not article_of(member) or (exists and not has_voted)):
            why = "on which the member's vote is not stored" if article_of(member) else "which is no article"
            yield Finding(key, f"holds {member}, {why}", ("ZREM", key, member))

    yield from scanner.check_each((member for member, _ in votes), reads, check)


def _votes(scanner: Scanner) -> Iterator[tuple[str, int, int]]:
    """Yield each set of voters with each numeric vote in it, and who gave it.

    That of a comment is number × VOTER_FACTOR + member id; the member 0 is none.
    """
    keys = scanner.site_keys
    for key, members in scanner.members_of(scanner.keys_of("voted", "voted-comments")):
        votes = (int(member) for member in members if is_member_id(member))
        noun, name = keys.split(key)
        if noun == "voted":
            yield from ((key, vote, vote) for vote in votes)
        elif "-" in name:
            yield from ((key, vote, vote % VOTER_FACTOR) for vote in votes if vote % VOTER_FACTOR)
