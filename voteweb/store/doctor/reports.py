"""Check the queues of moderators: reports of articles and comments, and answers to removals."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.models import ArticleStatus
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.moderation.covered_reports import find_covered
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import (
    Keys,
    article_id,
    article_member,
    comment_member,
    comment_of,
    is_article,
    parse_comment,
)
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import finite_number


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all open reports and answers."""
    keys = scanner.site_keys
    for queue in (keys.reports(), keys.answers()):
        for member in scanner.members(queue):
            if not (is_article(member) or (queue == keys.reports() and comment_of(member))):
                yield Finding(queue, f"holds {member}, which is no article", ("ZREM", queue, member))
    queues = chain(scanner.keys(keys.gone("*")), [keys.answers(), keys.reports()])
    members = chain(
        (member for _, member in scanner.ranking_members(queues)),
        (article_member(keys.split(key)[1]) for key in scanner.keys(keys.report("*"))),
    )
    met = Bitmap()
    ids = (str(article_id(member)) for member in members if is_article(member) and met.add(article_id(member)))
    kind = Kind(keys.article, ("title", "gone", "answer", "answered"), partial(_reads, keys))
    yield from examine_each(scanner, ids, kind, partial(_check_article, keys))
    named = (parse_comment(keys.split(key)[1]) for key in scanner.keys(keys.comment_report("*", "*")))
    comments = dict.fromkeys(id for id in chain(map(comment_of, scanner.members(keys.reports())), named) if id)
    yield from scanner.findings(comments, _check_comments)


def _reads(keys: Keys, id: str, _: Fields) -> list[Command]:
    queues = (keys.reports(), keys.answers())
    return [
        ("EXISTS", keys.article(id)),
        ("HLEN", keys.report(id)),
        *(("ZSCORE", key, article_member(id)) for key in queues),
    ]


def _check_article(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check the open reports of an article, and whether it is in the two queues."""
    title, gone, answer, answered = seen.fields.values()
    exists, count, reported, queued = seen.replies
    report, reports, answers, member = keys.report(seen.name), keys.reports(), keys.answers(), article_member(seen.name)
    settled = count and (not exists or gone in (ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD))
    is_queued = count and title is not None
    place: Command = ("ZADD", reports, count, member) if is_queued and not settled else ("ZREM", reports, member)
    fix = seen.fix(*([("UNLINK", report)] if settled else []), place)
    if settled:
        yield Finding(report, f"reports {member}, which is {gone if exists else 'no article'}", fix)
    elif count and title is None:
        why_not = "its article has no title: repair that first"
        yield Finding(report, f"reports {member}, which is no article", why_not=why_not)
    for what, _ in check_place(keys, reports, member, reported, float(count) if is_queued else None):
        yield Finding(reports, what, fix)
    time = finite_number(answered)
    waits = gone == ArticleStatus.REMOVED and answer is not None and time is not None
    if waits and queued != time:
        what = f"lacks {member}, whose answer waits, or has it at another time"
        yield Finding(answers, what, seen.fix(("ZADD", answers, repr(time), member)))
    elif not waits and (queued is not None or answered is not None):
        fix = seen.fix(("HDEL", keys.article(seen.name), "answered"), ("ZREM", answers, member))
        yield Finding(answers, f"has {member}, of which no answer waits", fix)


def _check_comments(scanner: Scanner, ids: list[CommentId]) -> Iterator[Finding]:
    """Check the open reports of these comments; what is below one removed with its replies has none, either."""
    keys = scanner.site_keys
    reads: list[list[Command]] = [
        [
            ("HMGET", keys.thread(id.article), "rev", id.number),
            ("HLEN", keys.comment_report(*id)),
            ("ZSCORE", keys.reports(), comment_member(*id)),
        ]
        for id in ids
    ]
    replies = split_evenly(scanner.run_atomic([read for own in reads for read in own]), len(ids))
    reported = [id for id, (_, count, _) in zip(ids, replies, strict=True) if count]
    covered = find_covered(scanner.run_atomic, keys, reported)
    for id, own, seen in zip(ids, reads, replies, strict=True):
        (_, stored), count, queued = seen
        report, member, node = keys.comment_report(*id), comment_member(*id), parse_node(id.number, stored or "")
        if stored and not node:
            continue  # a finding about the conversation says so already
        settled = count and (node is None or id in covered or node.status is not CommentStatus.VISIBLE)
        place: Command = ("ZREM", keys.reports(), member)
        if count and not settled:
            place = ("ZADD", keys.reports(), count, member)
        fix = guarded(keys, own, seen, [*([("UNLINK", report)] if settled else []), place])
        if settled:
            state = (node.status or f"removed with {covered[id]}") if node else "not there"
            yield Finding(report, f"reports comment {id}, which is {state}", fix)
        for what, _ in check_place(keys, keys.reports(), member, queued, float(count) if count else None):
            yield Finding(keys.reports(), what, fix)
