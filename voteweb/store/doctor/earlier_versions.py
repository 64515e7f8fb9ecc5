"""Check that earlier versions belong to articles that are not deleted."""

from collections.abc import Iterator

from voteweb.core.models import ArticleStatus
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.keys import article_member
from voteweb.store.scanner import Scanner, batched, split_evenly


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all earlier versions; a missing or deleted article never comes back, so that they can go."""
    keys = scanner.site_keys
    for batch in batched(scanner.keys(keys.was("*"))):
        ids = [keys.split(key)[1] for key in batch]
        commands: list[Command] = []
        for key, id in zip(batch, ids, strict=True):
            commands += [("EXISTS", key), ("HMGET", keys.article(id), "time", "gone")]
        replies = split_evenly(scanner.run_atomic(commands), len(batch))
        for key, id, (exists, (time, gone)) in zip(batch, ids, replies, strict=True):
            if not exists:  # deleted with its article since it was found
                continue
            if time is None:
                yield Finding(key, f"belongs to {article_member(id)}, which is no article", ("UNLINK", key))
            elif gone == ArticleStatus.DELETED:
                yield Finding(key, f"belongs to {article_member(id)}, which is deleted", ("UNLINK", key))
