"""Check the secret addresses of feeds: each leads to a member, and each member's address to a feed."""

from collections.abc import Callable, Iterator

from voteweb.store.doctor import thread_fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.keys import Keys
from voteweb.store.scanner import Scanner, batched, split_evenly


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all secret addresses."""
    keys = scanner.site_keys
    for field, feed_key in (("inbox-feed", keys.inbox_feed), ("saved-feed", keys.saved_feed)):
        for found in batched(scanner.keys(feed_key("*"))):
            yield from _check_feeds(scanner, found, field, feed_key)
        for found in batched(scanner.keys(keys.user("?*"))):
            yield from _check_fields(scanner, found, field, feed_key)


def _check_feeds(scanner: Scanner, found: list[str], field: str, feed_key: Callable[[str], str]) -> Iterator[Finding]:
    """Check that these addresses of feeds are those of their members."""
    keys = scanner.site_keys
    names = scanner.run_atomic([("GET", key) for key in found])
    owners = [(key, name) for key, name in zip(found, names, strict=True) if name is not None]
    digests = scanner.run_atomic([("HGET", keys.user(name), field) for _, name in owners])
    for (key, name), digest in zip(owners, digests, strict=True):
        if digest is None or feed_key(digest) != key:
            yield Finding(key, f"is no address that {name:.40} has", ("UNLINK", key))


def _check_fields(scanner: Scanner, found: list[str], field: str, feed_key: Callable[[str], str]) -> Iterator[Finding]:
    """Check that the addresses that these members have lead to them."""
    keys = scanner.site_keys
    digests = scanner.run_atomic([("HGET", key, field) for key in found])
    members = [(key, digest) for key, digest in zip(found, digests, strict=True) if digest is not None]
    commands = [command for key, digest in members for command in (("HGET", key, field), ("GET", feed_key(digest)))]
    replies = split_evenly(scanner.run_atomic(commands), len(members))
    for (key, digest), (now, name) in zip(members, replies, strict=True):
        if now == digest and name != keys.split(key)[1]:
            yield _lost_feed(keys, key, field, feed_key(digest), digest, name)


def _lost_feed(keys: Keys, key: str, field: str, feed_key: str, digest: str, name: str | None) -> Finding:
    """Return the finding that a member's feed is nobody's, or another member's."""
    what = f"has a feed whose address leads to {name or 'nobody'}: the member has none now"
    return Finding(key, what, thread_fixes.lost_feed(keys, key, field, feed_key, digest))
