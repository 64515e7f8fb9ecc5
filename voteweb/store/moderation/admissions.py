"""Admissions: accounts that wait for a moderator, and who else signed up from a member's network."""

from typing import Any

from voteweb.core import clock, config
from voteweb.core.models import Neighbour, Page, User
from voteweb.core.names import name_key
from voteweb.store.accounts.users import change_member, new_session_id, read_present_member
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.context import StorePart


class Admissions(StorePart):
    """The held accounts of one site, and the networks that members signed up from."""

    def admit(self, name: str, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Admit a member whose account is held, refused or not; tell whether it was.

        *actor* is the moderator, None the operator. Raises NoSuchMember, LoggedOut, NotAllowed.
        """
        return self._judge(name, entry, actor, admits=True)

    def refuse(self, name: str, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Refuse a member whose account is held, for the reason of *entry*; tell whether it waited.

        Ends the member's sessions and refuses log-ins, as a ban does. *actor* and errors as for :meth:`admit`.
        """
        return self._judge(name, entry, actor, admits=False)

    def _judge(self, name: str, entry: NewLogEntry, actor: User | None, *, admits: bool) -> bool:
        def decide(attempt: Attempt) -> list[Command]:
            member, stored = read_present_member(attempt, self._keys, name)
            if not member.held or (member.banned and not admits):
                return []
            changes: dict[str, str | None] = {"held": None, "request": None, "banned": "0", "ban-reason": ""}
            if not admits:
                changes = {"banned": attempt.now.split(".")[0], "ban-reason": entry.why, "session": new_session_id()}
            return change_member(attempt, self._keys, name, stored, changes)

        return commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many members wait for a moderator."""
        return pipeline.queue([("ZCARD", self._keys.held())], lambda replies: int(replies[0]))

    def queue_page(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of who waits, the first come first."""
        first = (number - 1) * config.LOG_PAGE_SIZE

        def parse(replies: list[Any]) -> Page[str]:
            total, names = replies
            return Page(tuple(names), number, total, first + 1, total > first + config.LOG_PAGE_SIZE)

        last = first + config.LOG_PAGE_SIZE - 1
        return pipeline.queue([("ZCARD", self._keys.held()), ("ZRANGE", self._keys.held(), first, last)], parse)

    def queue_network(self, pipeline: Pipeline, name: str) -> Future[str]:
        """Queue a read of the digest of the network that a member signed up from; "" after 30 days."""
        return pipeline.queue([("GET", self._keys.sign_up(name))], lambda replies: replies[0] or "")

    def network_digest(self, name: str) -> str:
        """Return the digest of the network that a member signed up from; "" after 30 days."""
        pipeline = self._connection.pipeline()
        digest = self.queue_network(pipeline, name)
        pipeline.execute()
        return digest.result

    def queue_neighbours(self, pipeline: Pipeline, name: str, digest: str) -> Future[tuple[Neighbour, ...]]:
        """Queue a read of the newest MAX_NEIGHBOURS other members who signed up from the network of *digest*."""
        if not digest:
            return pipeline.queue([], lambda _: ())
        oldest = clock.now() - config.SIGNUP_NETWORK_SECONDS
        last = config.MAX_NEIGHBOURS + 1

        def parse(replies: list[list[tuple[str, float]]]) -> tuple[Neighbour, ...]:
            others = [Neighbour(other, joined) for other, joined in replies[0] if other != name_key(name)]
            return tuple(others[: config.MAX_NEIGHBOURS])

        return pipeline.queue(
            [("ZRANGE", self._keys.network(digest), "+inf", oldest, "BYSCORE", "REV", "LIMIT", 0, last, "WITHSCORES")],
            parse,
        )
