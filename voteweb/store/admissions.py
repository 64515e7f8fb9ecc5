"""Admissions: accounts that wait for a moderator, and who else signed up from a member's network."""

from typing import Any

from voteweb.core import clock, config
from voteweb.core.errors import NoSuchMember
from voteweb.core.models import Neighbour, Page, Role, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import ModerationLog, NewLogEntry
from voteweb.store.users import new_session_id


class Admissions:
    """The held accounts of one site, and the networks that members signed up from."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def admit(self, name: str, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Admit a member whose account is held, refused or not; tell whether it was.

        *actor* is the moderator, None the operator. Raises NoSuchMember, LoggedOut, NotAllowed.
        """
        return self._judge("admit", name, entry, actor)

    def refuse(self, name: str, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Refuse a member whose account is held, for the reason of *entry*; tell whether it waited.

        Ends the member's sessions and refuses log-ins, as a ban does. *actor* and errors as for :meth:`admit`.
        """
        return self._judge("refuse", name, entry, actor)

    def _judge(self, verdict: str, name: str, entry: NewLogEntry, actor: User | None) -> bool:
        keys, log, checked = self._keys, self._log.prepare(entry), actor_arguments(self._keys, actor, Role.MODERATOR)
        outcome = self._connection.script(
            "judge_member",
            [keys.user(name), keys.held(), *log.keys, *checked.keys],
            [*log.arguments, verdict, name_key(name), entry.why, new_session_id(), *checked.arguments],
        )
        if outcome.status == "unknown":
            raise NoSuchMember(name=name)
        return outcome.status == "done"

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
