"""Reported articles and comments, the end of their reports, and who is told of it in their inbox.

A comment that was removed together with one above it is covered: such a removal settles its reports, too.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from voteweb.core import clock, config, validation
from voteweb.core.comments import CommentId, NoticeKind
from voteweb.core.models import LogAction, LogEntry
from voteweb.core.names import name_key
from voteweb.core.statistics import wait_bucket
from voteweb.store.comments.stored_comments import is_covered
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import article_member, comment_member, comment_of
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.site.statistics import count_act


class Thing(NamedTuple):
    """An article or a comment that members report, and moderators remove.

    ``report_key`` is the hash of its open reports; ``reported_key`` of a name the set of what that member has reported,
    in which ``str(id)`` stands for it; ``member`` stands for it in rankings. ``ban_field`` is the hash and the field
    with the log id of the ban that removed it.
    """

    id: int | CommentId
    report_key: str
    reported_key: Callable[[str], str]
    member: str
    ban_field: tuple[str, str]


def thing_of(keys: Keys, id: int | CommentId) -> Thing:
    """Return the article or comment of this id."""
    if isinstance(id, CommentId):
        ban_field = (keys.thread(id.article), f"removed-by:{id.number}")
        return Thing(id, keys.comment_report(*id), keys.reported_comments, comment_member(*id), ban_field)
    return Thing(id, keys.report(id), keys.reported, article_member(id), (keys.article(id), "removed-by"))


def without_reports(keys: Keys, thing: Thing) -> list[Command]:
    """Return the writes that close the open reports of a thing."""
    return [("UNLINK", thing.report_key), ("ZREM", keys.reports(), thing.member)]


def settle(attempt: Attempt, keys: Keys, thing: Thing, by: str, author: str = "") -> list[Command]:
    """Return the writes that close the open reports of a thing, of which the member *by* has decided.

    Tells its *author* and MAX_TOLD_REPORTERS of the reporters, of more a sample; counts that they are settled, and how
    long they have waited.
    """
    stored, total = attempt.read_sample(thing.report_key, config.MAX_TOLD_REPORTERS)
    attempt.told = who_is_told(by, author, sorted(stored))
    since = min((float(json.loads(report)["time"]) for report in stored.values()), default=0.0)
    counted = count_act(keys, "settled", f"wait-{wait_bucket(clock.now() - since)}") if total else []
    return [*without_reports(keys, thing), *counted]


def who_is_told(by: str, author: str = "", reporters: Iterable[str] = ()) -> list[tuple[NoticeKind, str]]:
    """Return who of these finds an act of the member *by* in their inbox, who is not told, with the kind of notice."""
    # An author who is also a reporter is told once.
    members = {name_key(author): NoticeKind.REMOVED}
    for name in reporters:
        members.setdefault(name_key(name), NoticeKind.REPORT)
    return [(kind, name) for name, kind in members.items() if validation.is_member_name(name) and name != name_key(by)]


def find_covered(
    run: Callable[[Sequence[Command]], list[Any]], keys: Keys, ids: Iterable[CommentId]
) -> dict[CommentId, int]:
    """Return those of these comments that are covered, with the number of the one above that was removed.

    Takes a round trip for each level.
    """
    covered: dict[CommentId, int] = {}
    places = {id: id.number for id in ids}
    while places:
        stored = run([("HGET", keys.thread(id.article), number) for id, number in places.items()])
        above: dict[CommentId, int] = {}
        for (id, number), text in zip(places.items(), stored, strict=True):
            node = parse_node(number, text or "")
            if node and node.removes_replies and number != id.number:
                covered[id] = number
            elif node and 0 < node.parent < number:
                above[id] = node.parent
        places = above
    return covered


def settle_covered(connection: Connection, log: ModerationLog, article_id: int | None = None) -> None:
    """Settle the open reports of covered comments, of one article or of all; tell their reporters of the removal."""
    keys = connection.keys
    queued = map(comment_of, connection.command("ZRANGE", keys.reports(), 0, -1))
    covered = find_covered(connection.run, keys, [id for id in queued if id and article_id in (None, id.article)])
    if not covered:
        return
    newest = connection.read(log.queue_page, 1, kind=LogAction.REMOVE)
    removals = {(entry.article, entry.comment): entry for entry in reversed(newest.rows)}
    for id, above in covered.items():
        _settle_covered(connection, id, removals.get((id.article, above)))


def _settle_covered(connection: Connection, id: CommentId, removal: LogEntry | None) -> None:
    """Close the open reports of one comment; nobody is told of a *removal* that is not among the newest acts."""
    keys, thing = connection.keys, thing_of(connection.keys, id)

    def decide(attempt: Attempt) -> list[Command]:
        (stored,) = attempt.read(("HGET", keys.thread(id.article), id.number))
        if not is_covered(attempt, keys, id.article, parse_node(id.number, stored or "")):
            return []
        if removal is None:
            return without_reports(keys, thing)
        attempt.told_of = f"log-{removal.id}"
        return settle(attempt, keys, thing, removal.who)

    commit(connection, decide, when_full=True)
