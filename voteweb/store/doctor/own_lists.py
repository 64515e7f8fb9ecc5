"""Check what members follow, hide and have saved: lists of a member, bounded, of things that there may be."""

from collections.abc import Iterator

from voteweb.core import clock
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import article_id, is_article
from voteweb.store.nouns import NOUNS
from voteweb.store.scanner import Scanner, split_evenly


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the lists of all members."""
    keys = scanner.site_keys
    for pattern in (keys.follows("*"), keys.hides("*"), keys.saved("*")):
        yield from scanner.findings(scanner.keys(pattern), _check_lists, size=10)


def _check_lists(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    keys = scanner.site_keys
    commands: list[Command] = []
    for key in found:
        commands += [("HMGET", keys.user(keys.split(key)[1]), "id", "my"), ("ZRANGE", key, 0, -1)]
    for key, ((id, my), entries) in zip(found, split_evenly(scanner.run_atomic(commands), len(found)), strict=True):
        noun, name = keys.split(key)
        if not entries:  # removed since it was found
            continue
        if id is None:
            yield Finding(key, f"belongs to {name}, who is no member", ("UNLINK", key))
            continue
        if my is None:
            what = f"has no field my, so that no page reads {key}"
            yield Finding(keys.user(name), what, ("HSETNX", keys.user(name), "my", f"{clock.now():.6f}"))
        most, is_entry = NOUNS[noun].most, NOUNS[noun].item
        if len(entries) > most:
            yield Finding(key, f"holds more than {most} entries", ("ZREMRANGEBYRANK", key, 0, -most - 1))
        strays = [entry for entry in entries if is_entry and not is_entry(entry)]
        if noun == "saved":
            saved = [entry for entry in entries if is_article(entry)]
            exist = scanner.run_atomic([("EXISTS", keys.article(article_id(entry))) for entry in saved])
            strays += [entry for entry, exists in zip(saved, exist, strict=True) if not exists]
        for entry in strays:
            yield Finding(key, f"holds {entry:.60}, which is nothing to keep there", ("ZREM", key, entry))
