"""Members: created, found, changed, banned, counted."""

import secrets
import time
from collections.abc import Iterator

from voteweb.core.errors import InviterGone, NameTaken, NoInvitation, NoSuchMember
from voteweb.core.models import Role, User
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import ModerationLog, NewLogEntry

_FIELDS = ("id", "name", "password", "role", "since", "session", "banned", "ban-reason", "left", "invited-by")
#: Keys that Redis looks at in one step when it counts members: about two milliseconds.
_SCAN_COUNT = 1_000


class Users:
    """The members of one site."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def make(
        self,
        name: str,
        password_hash: str,
        role: Role = Role.MEMBER,
        *,
        invitation: str | None = None,
        entry: NewLogEntry | None = None,
    ) -> User:
        """Create a member and return it; an empty hash makes one who cannot log in yet.

        An *invitation* (its token) is used up. Raises NameTaken, NoInvitation, InviterGone.
        """
        keys = self._keys
        inviter = self._connection.command("HGET", keys.invite(invitation), "by") if invitation else None
        log, session = self._log.prepare(entry), new_session_id()
        outcome = self._connection.script(
            "make_user",
            [
                keys.user(name),
                keys.invite(invitation or ""),
                keys.user(inviter or name),
                keys.last_user_id(),
                *log.keys,
            ],
            [*log.arguments, int(invitation is not None), name, password_hash, role, session],
        )
        if outcome.status == "taken" and outcome.values[1] != session:
            raise NameTaken(name=name)
        if outcome.status == "no-invitation":
            raise NoInvitation()
        if outcome.status == "inviter-gone":
            raise InviterGone()
        return self.get(name)

    def set_role(self, name: str, role: Role, entry: NewLogEntry | None = None) -> None:
        """Give a member another role; raise NoSuchMember."""
        self._change(name, entry, "role", role)

    def set_password(self, name: str, password_hash: str) -> None:
        """Give a member another password, which ends all sessions; raise NoSuchMember."""
        self._change(name, None, "password", password_hash, "session", new_session_id())

    def end_sessions(self, name: str) -> None:
        """Log a member out everywhere; raise NoSuchMember."""
        self._change(name, None, "session", new_session_id())

    def ban(self, name: str, entry: NewLogEntry) -> None:
        """Log a member out everywhere and refuse further log-ins, for the reason of *entry*.

        A member who is banned already stays banned for the first reason. Raises NoSuchMember.
        """
        fields = ("banned", f"{time.time():.0f}", "ban-reason", entry.why, "session", new_session_id())
        self._change(name, entry, *fields, only_if="free")

    def unban(self, name: str, entry: NewLogEntry) -> None:
        """Lift a ban; does nothing for a member who is not banned. Raises NoSuchMember."""
        self._change(name, entry, "banned", "0", "ban-reason", "", only_if="banned")

    def refresh_hash(self, name: str, password_hash: str) -> None:
        """Store the same password under newer hash parameters; sessions stay. Raises NoSuchMember."""
        self._change(name, None, "password", password_hash)

    def _change(self, name: str, entry: NewLogEntry | None, *fields: str, only_if: str = "") -> None:
        """Set *fields* (name, value, …) of a member who has not left; *only_if* "banned" or "free", if given."""
        log = self._log.prepare(entry)
        outcome = self._connection.script(
            "change_user", [self._keys.user(name), *log.keys], [*log.arguments, only_if, *fields]
        )
        if outcome.status == "unknown":
            raise NoSuchMember(name=name)

    def queue_get(self, pipeline: Pipeline, name: str) -> Future[User | None]:
        """Queue a read of a member, whatever the case of *name*; None when there is none."""
        return pipeline.queue([("HMGET", self._keys.user(name), *_FIELDS)], lambda replies: _user(replies[0]))

    def find(self, name: str) -> User | None:
        """Return a member, whatever the case of *name*, or None."""
        pipeline = self._connection.pipeline()
        user = self.queue_get(pipeline, name)
        pipeline.execute()
        return user.result

    def get(self, name: str) -> User:
        """Return a member, whatever the case of *name*; raise NoSuchMember."""
        user = self.find(name)
        if user is None:
            raise NoSuchMember(name=name)
        return user

    def has_admin(self, besides: str = "") -> bool:
        """Tell whether any member who may log in is an admin, *besides* the one of that name.

        Looks at every key in the worst case, so it is for the start of a site and the deletion of an admin's account.
        """
        for batch in self._member_keys():
            others = [key for key in batch if key != self._keys.user(besides)]
            fields = self._connection.run([("HMGET", key, "role", "banned") for key in others]) if others else []
            if any(role == Role.ADMIN and (banned or "0") == "0" for role, banned in fields):
                return True
        return False

    def count(self) -> int:
        """Return how many members there are; takes as long as looking at every key."""
        return len({key for batch in self._member_keys() for key in batch})

    def _member_keys(self) -> Iterator[list[str]]:
        """Yield the keys of all members in batches; a key may come twice."""
        cursor: int | str = 0
        is_complete = False
        while not is_complete:
            cursor, batch = self._connection.command(
                "SCAN", cursor, "MATCH", self._keys.user("?*"), "COUNT", _SCAN_COUNT
            )
            yield batch
            is_complete = int(cursor) == 0


def _user(values: list[str | None]) -> User | None:
    id, name, password, role, since, session, banned, reason, left, invited_by = values
    if id is None or name is None:
        return None
    return User(
        id=int(id),
        name=name,
        password=password or "",
        role=Role(role or Role.MEMBER),
        since=float(since or 0),
        session=session or "",
        banned=float(banned or 0),
        ban_reason=reason or "",
        left=float(left or 0),
        invited_by=invited_by or "",
    )


def new_session_id() -> str:
    """Return a new random session id of a member: all sessions that carry another one have ended."""
    return secrets.token_urlsafe(9)
