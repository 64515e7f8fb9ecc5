"""Check the type and the lifetime of every key."""

from collections.abc import Iterator

from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import batched, split_evenly
from voteweb.store.schema.keys import article_member, is_article
from voteweb.store.schema.nouns import EXPIRING, key_type


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check type and lifetime of every key, and note in *scanner* which have another type."""
    keys = scanner.site_keys
    for batch in batched(scanner.spool()):
        replies = scanner.run_atomic([(command, key) for key in batch for command in ("TYPE", "TTL")])
        for key, (actual, expires) in zip(batch, split_evenly(replies, len(batch)), strict=True):
            noun, name = keys.split(key)
            wanted = key_type(keys, key)
            if wanted is None or actual == "none":
                continue
            if actual != wanted:
                scanner.mistyped.add(key)
                why_not = "its content may be another program's: RENAME it, then repair again"
                yield Finding(key, f"is a {actual}, but should be a {wanted}", why_not=why_not)
                continue
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
