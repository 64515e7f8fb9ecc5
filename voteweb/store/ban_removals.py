"""Removals of bans: what a banned member posted is removed in bounded steps, and restored if the ban is lifted so."""

from collections.abc import Iterator

import redis

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.models import BanRemoval, LogEntry, RemovalState, User
from voteweb.core.names import name_key
from voteweb.store.comment_removals import CommentRemovals
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import article_id, is_article, parse_comment
from voteweb.store.moderation_log import ModerationLog
from voteweb.store.nodes import parse_node
from voteweb.store.removals import Removals
from voteweb.store.scanner import batched
from voteweb.store.users import Users

#: Articles or comments that one step removes or restores: some milliseconds each.
_STEP = 50


class BanRemovals:
    """Does what the bans of one site began; whatever was removed names the log entry of the ban that removed it."""

    def __init__(
        self,
        connection: Connection,
        moderation_log: ModerationLog,
        users: Users,
        removals: Removals,
        comment_removals: CommentRemovals,
    ) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log
        self._users = users
        self._removals = removals
        self._comment_removals = comment_removals

    def steps(self) -> Iterator[None]:
        """Finish all removals and restorations that were begun, in bounded steps.

        One that fails, as on damaged data, does not stop the others; the last failure is raised after them.
        """
        failure: redis.ResponseError | None = None
        for name in sorted(self._connection.command("SMEMBERS", self._keys.ban_removals())):
            try:
                yield from self._steps(name)
            except redis.ResponseError as error:
                failure = error
        if failure:
            raise failure

    def _steps(self, name: str) -> Iterator[None]:
        member = self._users.find(name)
        removal = member.ban_removal if member else None
        ban = self._log.get(removal.entry) if removal else None
        if member and removal and ban and removal.state is not RemovalState.REMOVED:
            changed = True
            # What is deleted in between moves the rest of a list, hence the loop.
            while changed:
                changed = False
                for batch in self._batches(member, removal):
                    changed = self._change(batch, removal, ban) or changed
                    yield
        text = self._connection.command("HGET", self._keys.user(name), "ban-removal") or ""
        if member is None or removal is None or text.split(" ")[:2] == [str(removal.entry), removal.state.value]:
            keys = [self._keys.user(name), self._keys.ban_removals()]
            self._connection.script("end_ban_removal", keys, [name_key(name), text])

    def _batches(self, member: User, removal: BanRemoval) -> Iterator[list[int | CommentId]]:
        """Yield the ids of what is still to be removed or restored, some at a time."""
        removes = removal.state is RemovalState.REMOVING
        if removal.articles is not None:
            ranking = (self._keys.posted if removes else self._keys.gone)(member.name)
            first, count = f"{removal.articles}", config.READ_BATCH_SIZE
            while True:
                found = self._connection.command(
                    "ZRANGE", ranking, first, "+inf", "BYSCORE", "LIMIT", 0, count, "WITHSCORES"
                )
                ids = [article_id(name) for name, _ in found if is_article(name)]
                yield from map(list, batched(ids if removes else self._removed_by(ids, removal), _STEP))
                if len(found) < count:
                    break
                first = f"({found[-1][1]!r}"
        if removal.comments is not None:
            position = 0
            while listed := self._connection.command(
                "LRANGE", self._keys.commented(member.name), position, position + config.READ_BATCH_SIZE - 1
            ):
                yield from map(list, batched(self._comments(listed, removal), _STEP))
                position += len(listed)

    def _removed_by(self, ids: list[int], removal: BanRemoval) -> list[int]:
        stored = self._connection.run([("HGET", self._keys.article(id), "removed-by") for id in ids])
        return [id for id, entry in zip(ids, stored, strict=True) if entry == str(removal.entry)]

    def _comments(self, listed: list[str], removal: BanRemoval) -> list[CommentId]:
        """Return those of these comments that are to be removed, or that the ban removed."""
        ids = [id for id in map(parse_comment, listed) if id]
        stored = self._connection.run(
            [("HMGET", self._keys.thread(id.article), id.number, f"removed-by:{id.number}") for id in ids]
        )
        found = []
        for id, (text, entry) in zip(ids, stored, strict=True):
            node = parse_node(id.number, text or "")
            if removal.state is RemovalState.RESTORING:
                wanted = entry == str(removal.entry)
            else:
                wanted = node is not None and not node.status and node.time >= (removal.comments or 0)
            if wanted:
                found.append(id)
        return found

    def _change(self, batch: list[int | CommentId], removal: BanRemoval, ban: LogEntry) -> bool:
        """Remove or restore these; tell whether anything changed."""
        changed = False
        for id in batch:
            part = self._comment_removals if isinstance(id, CommentId) else self._removals
            act = part.remove_by_ban if removal.state is RemovalState.REMOVING else part.restore_by_ban
            changed = act(id, ban) or changed  # type: ignore[arg-type]
        return changed
