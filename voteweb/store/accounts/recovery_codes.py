"""Recovery codes: with each of them a member who forgot the password sets a new one, once.

The member's field ``recovery`` holds a keyed digest of each code that is left, and before them a digest of the key:
codes are long and random, so that nobody who reads the database finds one, and with another secret key none is left.
"""

from hashlib import blake2b
from typing import NamedTuple

from voteweb.core import recovery_codes
from voteweb.core.errors import Banned, CodeUsed, LoggedOut
from voteweb.core.models import User
from voteweb.store.accounts.users import new_session_id, read_member
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import finite_number
from voteweb.store.site.context import Context, StorePart


class CodesLeft(NamedTuple):
    """How many codes a member has left, and the unix time at which one was last used, 0 for never."""

    number: int
    used: float


class RecoveryCodes(StorePart):
    """The recovery codes of the members of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._secret = blake2b(context.settings.secret_key.encode(), person=b"recovery codes").digest()
        self._key_digest = self._digest("")[:8]

    def renew(self, member: User) -> tuple[str, ...]:
        """Return new codes of *member*, as they are shown; those given before no longer work. Raises LoggedOut."""
        codes = recovery_codes.new_codes()
        digests = [self._digest(f"{member.id} {code}") for code in codes]
        key = self._keys.user(member.name)

        def decide(attempt: Attempt) -> list[Command]:
            user = self._member(attempt, member)
            if user is None or user.session != member.session or user.banned:
                raise LoggedOut()
            return [("HSET", key, "recovery", " ".join([self._key_digest, *digests]))]

        commit(self._connection, decide, when_full=True)
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
        session_id, digest = new_session_id(), self._digest(f"{member.id} {code}")
        key, left = self._keys.user(member.name), list[str]()

        def decide(attempt: Attempt) -> list[Command]:
            user, (stored,) = self._member(attempt, member), attempt.read(("HGET", key, "recovery"))
            left[:] = self._digests(stored)
            if user is None or digest not in left:
                raise CodeUsed()
            if user.banned:
                raise Banned(reason=member.ban_reason)
            left[:] = [other for other in left if other != digest]
            recovery = ("recovery", " ".join([self._key_digest, *left]), "recovered", attempt.now)
            return [("HSET", key, *recovery, "password", password_hash, "session", session_id)]

        commit(self._connection, decide, when_full=True)
        return session_id, len(left)

    def _member(self, attempt: Attempt, member: User) -> User | None:
        """Read *member* anew; None if they have left, or if the name is another's by now."""
        user, _ = read_member(attempt, self._keys, member.name)
        return user if user and user.id == member.id and not user.left else None

    def _digests(self, stored: str | None) -> list[str]:
        key_digest, *digests = (stored or "").split() or [""]
        return digests if key_digest == self._key_digest else []

    def _digest(self, text: str) -> str:
        return blake2b(text.encode(), digest_size=12, key=self._secret).hexdigest()
