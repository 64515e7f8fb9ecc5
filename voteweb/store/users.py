"""Members: made, found, changed, banned."""

import secrets
import time

from voteweb.errors import InviterGone, NameTaken, NoInvitation, NoSuchMember
from voteweb.models import Role, User
from voteweb.store import keys
from voteweb.store.connect import Connection
from voteweb.store.log import Deed, Log
from voteweb.store.trip import Reply, Trip

_FIELDS = ("id", "name", "password", "role", "since", "session", "banned", "ban-reason", "left", "invited-by")


class Users:
    """The members of one site."""

    def __init__(self, connection: Connection, log: Log) -> None:
        self._connection = connection
        self._log = log

    def make(
        self,
        name: str,
        password_hash: str,
        role: Role = Role.MEMBER,
        *,
        invitation: str | None = None,
        deed: Deed | None = None,
    ) -> User:
        """Make a member and return it; an empty hash makes one who cannot log in yet.

        With an *invitation* (its token), uses that up. Raises NameTaken, NoInvitation, InviterGone.
        """
        inviter = self._connection.command("HGET", keys.invite(invitation), "by") if invitation else None
        record, session = self._log.record(deed), new_session()
        outcome = self._connection.script(
            "make_user",
            [
                keys.user(name),
                keys.invite(invitation or ""),
                keys.user(inviter or name),
                keys.users_count(),
                *record.keys,
            ],
            [*record.arguments, int(invitation is not None), name, password_hash, role, session],
        )
        if outcome.word == "taken" and outcome.rest[1] != session:
            raise NameTaken(name=name)
        if outcome.word == "no-invitation":
            raise NoInvitation()
        if outcome.word == "inviter-gone":
            raise InviterGone()
        return self.get(name)

    def set_role(self, name: str, role: Role, deed: Deed | None = None) -> None:
        """Give a member another role; raise NoSuchMember."""
        self._change(name, deed, "role", role)

    def set_password(self, name: str, password_hash: str) -> None:
        """Give a member another password, which ends all sessions; raise NoSuchMember."""
        self._change(name, None, "password", password_hash, "session", new_session())

    def end_sessions(self, name: str) -> None:
        """Log a member out everywhere; raise NoSuchMember."""
        self._change(name, None, "session", new_session())

    def ban(self, name: str, deed: Deed) -> None:
        """Log a member out everywhere and let nobody in under the name; the reason is the deed's.

        One who is banned already stays banned for the first reason. Raises NoSuchMember.
        """
        pairs = ("banned", f"{time.time():.0f}", "ban-reason", deed.why, "session", new_session())
        self._change(name, deed, *pairs, only="free")

    def unban(self, name: str, deed: Deed) -> None:
        """Take back a ban; one who is not banned stays as is. Raises NoSuchMember."""
        self._change(name, deed, "banned", "0", "ban-reason", "", only="banned")

    def refresh_hash(self, name: str, password_hash: str) -> None:
        """Store the same password under newer hash parameters; sessions stay. Raises NoSuchMember."""
        self._change(name, None, "password", password_hash)

    def _change(self, name: str, deed: Deed | None, *pairs: str, only: str = "") -> None:
        """Set fields of a member who has not left, if that is *only* to be done to the banned or the free."""
        record = self._log.record(deed)
        outcome = self._connection.script(
            "change_user", [keys.user(name), *record.keys], [*record.arguments, only, *pairs]
        )
        if outcome.word == "unknown":
            raise NoSuchMember(name=name)

    def ask(self, trip: Trip, name: str) -> Reply[User | None]:
        """Queue the question for a member, whatever the case of *name*; None when there is none."""
        return trip.ask([("HMGET", keys.user(name), *_FIELDS)], lambda answers: _user(answers[0]))

    def find(self, name: str) -> User | None:
        """Return a member, whatever the case of *name*, or None."""
        trip = self._connection.trip()
        user = self.ask(trip, name)
        trip.go()
        return user.value

    def get(self, name: str) -> User:
        """Return a member, whatever the case of *name*; raise NoSuchMember."""
        user = self.find(name)
        if user is None:
            raise NoSuchMember(name=name)
        return user


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


def new_session() -> str:
    """Return a fresh word for a member's sessions: those that carry another one have ended."""
    return secrets.token_urlsafe(9)
