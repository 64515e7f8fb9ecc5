"""Check the open reports of articles and comments, and the queue of them."""

from collections.abc import Iterator
from itertools import chain

from voteweb.core.comments import CommentStatus
from voteweb.core.models import ArticleStatus
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, check_place
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.moderation.covered_reports import find_covered
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import article_id, article_member, comment_member, comment_of, is_article, parse_comment
from voteweb.store.schema.nodes import parse_node

#: The states of an article that has no open reports.
_ENDED = (ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD)


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all open reports; those of an article that does not exist are checked by the table."""
    keys = scanner.site_keys
    comments = (parse_comment(keys.split(key)[1]) for key in scanner.keys(keys.comment_report("*", "*")))
    members = chain(
        scanner.members(keys.reports()),
        (article_member(keys.split(key)[1]) for key in scanner.keys(keys.report("*"))),
        (comment_member(*id) for id in comments if id),
    )
    reported = dict.fromkeys(member for member in members if is_article(member) or comment_of(member))
    yield from scanner.findings(reported, _check)


def _check(scanner: Scanner, members: list[str]) -> Iterator[Finding]:
    """Check the reports of these articles and comments; what is below one removed with its replies has none, either."""
    keys, queue = scanner.site_keys, scanner.site_keys.reports()
    reads: list[list[Command]] = []
    thing: Command
    for member in members:
        if id := comment_of(member):
            thing, report = ("HMGET", keys.thread(id.article), "rev", id.number), keys.comment_report(*id)
        else:
            article = article_id(member)
            thing, report = ("HMGET", keys.article(article), "title", "gone", "time"), keys.report(article)
        reads.append([thing, ("HLEN", report), ("ZSCORE", queue, member)])
    replies = split_evenly(scanner.run_atomic([read for own in reads for read in own]), len(members))
    ids = [id for member in members if (id := comment_of(member))]
    covered = find_covered(scanner.run_atomic, keys, ids)
    for member, own, seen in zip(members, reads, replies, strict=True):
        (first, second, *_), count, queued = seen
        report, state = own[1][1], second if second in _ENDED else ""
        if id := comment_of(member):
            node = parse_node(id.number, second or "")
            if second and not node:
                continue  # a finding about the conversation says so already
            is_visible = node and node.status is CommentStatus.VISIBLE
            state = (
                f"removed with {covered[id]}"
                if id in covered
                else ""
                if is_visible
                else node.status
                if node
                else "not there"
            )
        elif first is None:
            if count and any(seen[0]):
                why_not = "its article has no title: repair that first"
                yield Finding(report, f"reports {member}, which is no article", why_not=why_not)
            continue  # all else says a finding about the article
        is_settled = count and state
        place: Command = ("ZADD", queue, count, member) if count and not is_settled else ("ZREM", queue, member)
        fix = guarded(keys, own, seen, [*([("UNLINK", report)] if is_settled else []), place])
        if is_settled:
            yield Finding(report, f"reports {member}, which is {state}", fix)
        for _, what, _ in check_place(keys, queue, member, queued, float(count) if count else None):
            yield Finding(queue, what, fix)
