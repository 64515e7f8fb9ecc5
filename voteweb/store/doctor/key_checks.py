"""Check by the table of nouns: the type, the lifetime and the owner of every key, and what lists of members hold."""

from collections.abc import Iterator
from functools import partial

from voteweb.core.mail import MailKind
from voteweb.store.connection.commit import guarded
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.keys import Keys, article_member, is_article, is_member_id
from voteweb.store.schema.nouns import EXPIRING, NOUNS, key_type

#: An id that is never given out: it stands for that of a member who has lost it.
NO_ID = 0
#: The nouns of sets and rankings of which nothing but the table tells what they may hold.
_CHECKED = ("imported", "follows", "hides", "saved")


def examine_types(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check type and lifetime of every key, and note in *scanner* which have another type."""
    keys = scanner.site_keys
    for batch in batched(scanner.spool()):
        replies = scanner.run_atomic([(command, key) for key in batch for command in ("TYPE", "TTL")])
        for key, (actual, expires) in zip(batch, split_evenly(replies, len(batch)), strict=True):
            wanted = key_type(keys, key)
            if wanted is None or actual == "none":
                continue
            if actual == wanted:
                yield from _check_lifetime(keys, key, expires)
                continue
            scanner.mistyped.add(key)
            why_not = "its content may be another program's: RENAME it, then repair again"
            yield Finding(key, f"is a {actual}, but should be a {wanted}", why_not=why_not)


def _check_lifetime(keys: Keys, key: str, expires: int) -> Iterator[Finding]:
    noun, name = keys.split(key)
    if noun == "article" and name and not is_article(article_member(name)):
        yield Finding(key, f"is no article: {name} is no number", why_not="another program made this key")
    is_combined = noun in ("time", "score") and "+" in name
    if expires >= 0 and noun not in EXPIRING and not is_combined:
        yield Finding(key, f"expires in {expires} seconds, but is for ever", ("PERSIST", key))
    elif expires == -1 and is_combined:
        yield Finding(key, "never expires", ("UNLINK", key))  # the next request for it builds it again
    elif expires == -1 and EXPIRING.get(noun):
        command, *seconds = EXPIRING[noun]
        yield Finding(key, "never expires", (command, key, *seconds))


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check owners, members and numbers of items, rules of domains, mails and counters."""
    keys = scanner.site_keys
    for noun, entry in NOUNS.items():
        if entry.owner:
            yield from scanner.findings(scanner.keys(f"{keys.prefix}{noun}:*"), partial(_check_owners, noun=noun))
    for noun in _CHECKED:
        yield from scanner.findings(scanner.keys(f"{keys.prefix}{noun}:*"), partial(_check_items, noun=noun))
    yield from scanner.unless_mistyped(_check_rules(scanner))
    yield from scanner.unless_mistyped(_check_mails(scanner))
    yield from scanner.unless_mistyped(_check_counter(scanner, keys.last_article_id(), scanner.article_ids()))
    yield from scanner.unless_mistyped(_check_counter(scanner, keys.last_user_id(), iter(member_ids(scanner))))


def _check_owners(scanner: Scanner, found: list[str], *, noun: str) -> Iterator[Finding]:
    """Check that the keys to which these belong exist."""
    keys, owner, orphan = scanner.site_keys, NOUNS[noun].owner, NOUNS[noun].orphan
    owners = [f"{keys.prefix}{owner}:{keys.split(key)[1]}" for key in found]
    exist = scanner.run_atomic([("EXISTS", key) for pair in zip(found, owners, strict=True) for key in pair])
    for key, of, seen in zip(found, owners, split_evenly(exist, len(found)), strict=True):
        if list(seen) == [1, 0]:
            fix = guarded(keys, [("EXISTS", of)], [0], [("UNLINK", key)])
            yield Finding(key, f"belongs to {of}, which is not there", () if orphan else fix, orphan)


def _check_items(scanner: Scanner, found: list[str], *, noun: str) -> Iterator[Finding]:
    """Check that these sets and rankings hold what they may hold, and no more."""
    keys, kind = scanner.site_keys, NOUNS[noun]
    if kind.type == "set":
        places = iter([(key, member) for key in found for member in scanner.members(key)])
    else:
        places = scanner.ranking_members(found)
    for key, member in places:
        if not kind.name(keys.split(key)[1]):
            yield Finding(key, "has no name of such a key", why_not="another program made this key")
        elif kind.item and not kind.item(member):
            what = f"holds {member:.60}, which is nothing to keep there"
            yield Finding(key, what, ("SREM" if kind.type == "set" else "ZREM", key, member))
    sizes = scanner.run_atomic([("ZCARD", key) for key in found if kind.most])
    for key, size in zip(found, sizes, strict=False):
        if size > kind.most:
            yield Finding(key, f"holds more than {kind.most} entries", ("ZREMRANGEBYRANK", key, 0, -kind.most - 1))


def _check_rules(scanner: Scanner) -> Iterator[Finding]:
    """Check that domain rules are ones."""
    key, is_rule = scanner.site_keys.domain_rules(), NOUNS["domain-rules"].pair
    for domain, text in sorted(scanner.command("HGETALL", key).items()):
        if is_rule and not is_rule(domain, text):
            yield Finding(key, f"holds for {domain:.60} what is no rule", ("HDEL", key, domain))


def _check_mails(scanner: Scanner) -> Iterator[Finding]:
    """Check that each mail has a kind and a member, and that what is known of mails is of one that waits."""
    keys, queue, mails = scanner.site_keys, scanner.site_keys.outbox(), scanner.site_keys.mails()
    for found in batched(scanner.command("ZRANGE", queue, 0, -1)):
        parts = [(*entry.split(" "), "")[:2] for entry in found]
        exist = scanner.run_atomic([("EXISTS", keys.user(name)) for _, name in parts])
        for entry, (kind, _), exists in zip(found, parts, exist, strict=True):
            # A new password may be asked for under any name, and who was warned may leave: the job finds out.
            if kind not in set(MailKind) or not (exists or kind in (MailKind.RESET, MailKind.CHANGED)):
                yield Finding(queue, f"holds {entry:.60}, which is no mail", ("ZREM", queue, entry))
    for found in batched(scanner.command("HKEYS", mails)):
        reads = [("ZSCORE", queue, entry) for entry in found]
        for entry, read, due in zip(found, reads, scanner.run_atomic(reads), strict=True):
            if due is None:
                fix = guarded(keys, [read], [None], [("HDEL", mails, entry)])
                yield Finding(mails, f"has {entry:.60}, which does not wait", fix)


def member_ids(scanner: Scanner) -> Bitmap:
    """Return the ids of all members, also of those who left, and NO_ID if a member has none or a shared one."""
    ids = Bitmap()
    for batch in batched(scanner.keys(scanner.site_keys.user("?*"))):
        for id in scanner.run_atomic([("HGET", key, "id") for key in batch]):
            is_new = ids.add(int(id) if id is not None and is_member_id(id) else NO_ID)
            if not is_new:
                ids.add(NO_ID)
    return ids


def _check_counter(scanner: Scanner, key: str, ids: Iterator[int]) -> Iterator[Finding]:
    """Compare the counter *key*, read after the *ids*, with the highest of them: no id is ever given out twice."""
    highest = max(ids, default=0)
    last = scanner.command("GET", key)
    if last is not None and not last.isdecimal():
        yield Finding(key, f"is {last}, which is no number", why_not=f"set it by hand to {highest} or more")
    elif int(last or 0) < highest:
        # A concurrent writer may raise it once more: that leaves a gap, which does no harm.
        fix = ("INCRBY", key, highest - int(last or 0))
        yield Finding(key, f"is {last or 'missing'}, but {highest} is in use", fix)
