"""Open reports of comments that a moderator removed together with one above them: such a removal settles them too."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, LogEntry
from voteweb.store.comments.stored_comments import is_covered
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.settling import settle, thing_of, without_reports
from voteweb.store.schema.keys import Keys, comment_of
from voteweb.store.schema.nodes import parse_node
from voteweb.store.site.moderation_log import ModerationLog


def find_covered(
    run: Callable[[Sequence[Command]], list[Any]], keys: Keys, ids: Iterable[CommentId]
) -> dict[CommentId, int]:
    """Return those of these comments that were removed together with one above them, with its number.

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
    """Settle the open reports of all such comments, of one article or of all; tell their reporters of the removal."""
    keys = connection.keys
    queued = map(comment_of, connection.command("ZRANGE", keys.reports(), 0, -1))
    covered = find_covered(connection.run, keys, [id for id in queued if id and article_id in (None, id.article)])
    if not covered:
        return
    pipeline = connection.pipeline()
    newest = log.queue_page(pipeline, 1, kind=LogAction.REMOVE)
    pipeline.execute()
    removals = {(entry.article, entry.comment): entry for entry in reversed(newest.result.rows)}
    for id, above in covered.items():
        _settle(connection, id, removals.get((id.article, above)))


def _settle(connection: Connection, id: CommentId, removal: LogEntry | None) -> None:
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
