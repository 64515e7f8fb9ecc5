"""Check reports: the queue and the open reports of each article agree."""

from collections.abc import Iterable, Iterator

from voteweb.core.models import ArticleStatus
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.keys import article_id, article_member, is_article
from voteweb.store.scanner import Scanner, batched, split_evenly


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all open reports."""
    keys = scanner.site_keys
    for batch in batched(scanner.members(keys.reports())):
        for member in batch:
            if not is_article(member):
                fix = fixes.remove_member(keys, keys.reports(), member)
                yield Finding(keys.reports(), f"holds {member}, which is no article", fix)
        yield from _check_reported(scanner, (article_id(member) for member in batch if is_article(member)))
    for batch in batched(scanner.keys(keys.report("*"))):
        members = (article_member(keys.split(key)[1]) for key in batch)
        yield from _check_reported(scanner, (article_id(member) for member in members if is_article(member)))


def _check_reported(scanner: Scanner, articles: Iterable[int]) -> Iterator[Finding]:
    keys, ids = scanner.site_keys, list(articles)
    commands: list[Command] = []
    for id in ids:
        commands += [
            ("ZSCORE", keys.reports(), article_member(id)),
            ("HLEN", keys.report(id)),
            ("EXISTS", keys.article(id)),
            ("HMGET", keys.article(id), "title", "gone"),
        ]
    replies = split_evenly(scanner.run_atomic(commands), len(ids))
    for id, (queued, count, exists, (title, gone)) in zip(ids, replies, strict=True):
        member, fix = article_member(id), fixes.reports(keys, id)
        if count and not exists:
            yield Finding(keys.report(id), f"reports {member}, which is no article", fix)
        elif count and title is None:
            why_not = "its article has no title: repair that first"
            yield Finding(keys.report(id), f"reports {member}, which is no article", why_not=why_not)
        elif count and gone in (ArticleStatus.DELETED, ArticleStatus.REMOVED):
            yield Finding(keys.report(id), f"reports {member}, which is {gone}", fix)
        wanted = count if count and title is not None else None
        yield from check_placement(keys.reports(), member, queued, wanted, fix)
