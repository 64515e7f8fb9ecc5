"""Check reports: the queue and the open reports of each article and comment agree."""

from collections.abc import Iterable, Iterator

from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.models import ArticleStatus
from voteweb.store.connection.pipeline import Command
from voteweb.store.covered_reports import find_covered
from voteweb.store.doctor import fixes, thread_fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.keys import article_id, article_member, comment_member, comment_of, is_article, parse_comment
from voteweb.store.nodes import parse_node
from voteweb.store.scanner import Scanner, batched, split_evenly


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all open reports."""
    keys = scanner.site_keys
    for batch in batched(scanner.members(keys.reports())):
        for member in batch:
            if not is_article(member) and not comment_of(member):
                fix = fixes.remove_member(keys, keys.reports(), member)
                yield Finding(keys.reports(), f"holds {member}, which is no article", fix)
        yield from _check_reported(scanner, (article_id(member) for member in batch if is_article(member)))
        yield from _check_comments(scanner, [id for member in batch if (id := comment_of(member))])
    for batch in batched(scanner.keys(keys.report("*"))):
        members = (article_member(keys.split(key)[1]) for key in batch)
        yield from _check_reported(scanner, (article_id(member) for member in members if is_article(member)))

    for batch in batched(scanner.keys(keys.comment_report("*", "*"))):
        yield from _check_comments(scanner, [id for key in batch if (id := parse_comment(keys.split(key)[1]))])


def _check_comments(scanner: Scanner, ids: list[CommentId]) -> Iterator[Finding]:
    keys = scanner.site_keys
    commands: list[Command] = []
    for id in ids:
        commands += [
            ("ZSCORE", keys.reports(), comment_member(*id)),
            ("HLEN", keys.comment_report(*id)),
            ("HGET", keys.thread(id.article), id.number),
        ]
    replies = list(zip(ids, split_evenly(scanner.run_atomic(commands), len(ids)), strict=True))
    covered = find_covered(scanner.run_atomic, keys, [id for id, (_, count, _) in replies if count])
    for id, (queued, count, stored) in replies:
        fix, node = thread_fixes.reports(keys, id), parse_node(id.number, stored or "")
        if stored and not node:
            continue  # a finding about the conversation says so already
        if count and (node is None or id in covered or node.status is not CommentStatus.VISIBLE):
            state = (node.status or f"removed with {covered[id]}") if node else "not there"
            yield Finding(keys.comment_report(*id), f"reports comment {id}, which is {state}", fix)
        yield from check_placement(keys.reports(), comment_member(*id), queued, count or None, fix)


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
        elif count and gone in (ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD):
            yield Finding(keys.report(id), f"reports {member}, which is {gone}", fix)
        wanted = count if count and title is not None else None
        yield from check_placement(keys.reports(), member, queued, wanted, fix)
