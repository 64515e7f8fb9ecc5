"""Check that what belongs to a member, an article or a conversation has its owner, and what lists of members hold."""

from collections.abc import Iterator
from functools import partial

from voteweb.core import clock
from voteweb.core.mail import MailKind
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.keys import article_id, is_article
from voteweb.store.schema.nouns import NOUNS
from voteweb.store.site.domain_rules import parse_rule

_OWN_LISTS = ("follows", "hides", "saved")
_OF_NOBODY = "belongs to {}, who is no member"
#: The noun of the key without which one of a noun makes no sense, and what is wrong with one that is left.
OWNERS = {
    "voted": ("article", "belongs to no article"),
    "was": ("article", "belongs to article:{}, which is no article"),
    "words": ("thread", "belongs to no conversation"),
    "hidden": ("thread", "belongs to no conversation"),
    "sessions": ("user", "holds sessions of nobody: there is no such member"),
    "seen": ("user", "belongs to no member"),
    **dict.fromkeys(("notes", "inbox", "unread", *_OWN_LISTS), ("user", _OF_NOBODY)),
}


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all of it."""
    keys = scanner.site_keys
    for noun, (owner, what) in OWNERS.items():
        found = scanner.keys(f"{keys.prefix}{noun}:*")
        yield from scanner.findings(found, partial(_check_owners, noun=noun, owner=owner, what=what))
    yield from scanner.findings(scanner.keys(keys.reset("*")), _check_resets)
    for noun in _OWN_LISTS:
        found = scanner.keys(f"{keys.prefix}{noun}:*")
        yield from scanner.findings(found, partial(_check_own_lists, noun=noun), size=10)
    yield from scanner.unless_mistyped(_check_rules(scanner))
    yield from scanner.unless_mistyped(_check_mails(scanner))


def _check_owners(scanner: Scanner, found: list[str], *, noun: str, owner: str, what: str) -> Iterator[Finding]:
    keys = scanner.site_keys
    names = [keys.split(key)[1] for key in found]
    reads: list[tuple[Command, Command]] = [
        (("EXISTS", key), ("EXISTS", f"{keys.prefix}{owner}:{name}")) for key, name in zip(found, names, strict=True)
    ]
    replies = split_evenly(scanner.run_atomic([read for pair in reads for read in pair]), len(found))
    for key, name, pair, seen in zip(found, names, reads, replies, strict=True):
        if list(seen) == [1, 0]:
            is_lost = noun == "words" or (noun == "hidden" and not name.isdigit())
            fix = () if is_lost else guarded(keys, pair, seen, [("UNLINK", key)])
            yield Finding(key, what.format(name), fix, "a backup may hold the conversation; else UNLINK the key")


def _check_resets(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that these one-time links belong to members."""
    links = scanner.run_atomic([("GET", key) for key in found])
    owners = [(link or "").partition(" ")[0] for link in links]
    exist = scanner.run_atomic([("HEXISTS", scanner.site_keys.user(owner or "?"), "id") for owner in owners])
    for key, link, owner, exists in zip(found, links, owners, exist, strict=True):
        if link is not None and not exists:
            yield Finding(key, f"is for {owner}, who is no member", ("UNLINK", key))


def _check_own_lists(scanner: Scanner, found: list[str], *, noun: str) -> Iterator[Finding]:
    """Check what members follow, hide and have saved: bounded lists of things that there may be."""
    keys, most, is_entry = scanner.site_keys, NOUNS[noun].most, NOUNS[noun].item or is_article
    users = [keys.user(keys.split(key)[1]) for key in found]
    reads = [
        read
        for key, user in zip(found, users, strict=True)
        for read in (("HMGET", user, "id", "my"), ("ZRANGE", key, 0, -1))
    ]
    replies = split_evenly(scanner.run_atomic(reads), len(found))
    for key, user, ((id, my), entries) in zip(found, users, replies, strict=True):
        if not entries or id is None:
            continue
        if my is None:
            fix = ("HSETNX", user, "my", f"{clock.now():.6f}")
            yield Finding(user, f"has no field my, so that no page reads {key}", fix)
        if len(entries) > most:
            yield Finding(key, f"holds more than {most} entries", ("ZREMRANGEBYRANK", key, 0, -most - 1))
        saved = [entry for entry in entries if noun == "saved" and is_article(entry)]
        exist = scanner.run_atomic([("EXISTS", keys.article(article_id(entry))) for entry in saved])
        lost = {entry for entry, exists in zip(saved, exist, strict=True) if not exists}
        for entry in entries:
            if entry in lost or not is_entry(entry):
                yield Finding(key, f"holds {entry:.60}, which is nothing to keep there", ("ZREM", key, entry))


def _check_rules(scanner: Scanner) -> Iterator[Finding]:
    """Check that domain rules are ones."""
    key = scanner.site_keys.domain_rules()
    for domain, text in sorted(scanner.command("HGETALL", key).items()):
        if parse_rule(domain, text) is None:
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
