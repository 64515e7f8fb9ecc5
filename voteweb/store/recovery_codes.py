"""Recovery codes: with each of them a member who forgot the password sets a new one, once.

The member's field ``recovery`` holds a keyed digest of each code that is left, and before them a digest of the key:
codes are long and random, so that nobody who reads the database finds one, and with another secret key none is left.
"""

from hashlib import blake2b
from typing import NamedTuple

from voteweb.core import recovery_codes
from voteweb.core.config import Settings
from voteweb.core.errors import Banned, CodeUsed, LoggedOut
from voteweb.core.models import User
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import not_logged
from voteweb.store.numbers import finite_number
from voteweb.store.users import new_session_id


class CodesLeft(NamedTuple):
    """How many codes a member has left, and the unix time at which one was last used, 0 for never."""

    number: int
    used: float


class RecoveryCodes:
    """The recovery codes of the members of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._secret = blake2b(settings.secret_key.encode(), person=b"recovery codes").digest()
        self._key_digest = self._digest("")[:8]

    def renew(self, member: User) -> tuple[str, ...]:
        """Return new codes of *member*, as they are shown; those given before no longer work. Raises LoggedOut."""
        codes = recovery_codes.new_codes()
        digests = [self._digest(f"{member.id} {code}") for code in codes]
        act = not_logged(self._keys)
        outcome = self._connection.script(
            "set_recovery_codes",
            [self._keys.user(member.name), *act.keys],
            [*act.arguments, member.id, member.session, " ".join([self._key_digest, *digests])],
        )
        if outcome.status == "logged-out":
            raise LoggedOut()
        return tuple(map(recovery_codes.spell, codes))

    def queue_left(self, pipeline: Pipeline, name: str) -> Future[CodesLeft]:
        """Queue a read of how many codes the member *name* has left."""

        def parse(replies: list[list[str | None]]) -> CodesLeft:
            stored, used = replies[0]
            return CodesLeft(len(self._digests(stored)), finite_number(used or "0") or 0.0)

        return pipeline.queue([("HMGET", self._keys.user(name), "recovery", "recovered")], parse)

    def left(self, name: str) -> CodesLeft:
        """Return how many codes the member *name* has left."""
        pipeline = self._connection.pipeline()
        left = self.queue_left(pipeline, name)
        pipeline.execute()
        return left.result

    def queue_stored(self, pipeline: Pipeline, name: str) -> Future[str | None]:
        """Queue a read of what is stored of the codes of *name*, for :meth:`is_one`."""
        return pipeline.queue([("HGET", self._keys.user(name), "recovery")], lambda replies: replies[0])

    def is_one(self, stored: str | None, member: User | None, code: str) -> bool:
        """Tell whether *code*, as it was read, is one of the *stored* ones of *member*; unknown members cost the same.

        The comparison is of digests that nobody else can make, so that its time tells nothing.
        """
        return self._digest(f"{member.id if member else 0} {code}") in self._digests(stored) and member is not None

    def use(self, member: User, code: str, password_hash: str) -> tuple[str, int]:
        """Set the password of *member* with *code*, which ends all sessions and uses the code up.

        Return the session id of new sessions, and the number of codes that are left. Raises CodeUsed, Banned.
        """
        session_id = new_session_id()
        outcome = self._connection.script(
            "use_recovery_code",
            [self._keys.user(member.name)],
            [member.id, self._digest(f"{member.id} {code}"), password_hash, session_id],
        )
        if outcome.status == "unknown":
            raise CodeUsed()
        if outcome.status == "banned":
            raise Banned(reason=member.ban_reason)
        return session_id, int(outcome.values[0])

    def _digests(self, stored: str | None) -> list[str]:
        key_digest, *digests = (stored or "").split() or [""]
        return digests if key_digest == self._key_digest else []

    def _digest(self, text: str) -> str:
        return blake2b(text.encode(), digest_size=12, key=self._secret).hexdigest()
