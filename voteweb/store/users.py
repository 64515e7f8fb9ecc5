"""Members: made, found, changed."""

import secrets

from voteweb.errors import NameTaken, NoSuchMember
from voteweb.models import Role, User
from voteweb.store import keys
from voteweb.store.connect import Connection, Reply, Trip

_FIELDS = ("id", "name", "password", "role", "since", "session")


class Users:
    """The members of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def make(self, name: str, password_hash: str, role: Role = Role.MEMBER) -> User:
        """Make a member and return it; an empty hash makes one who cannot log in yet. Raises NameTaken."""
        id = self._connection.command("INCR", keys.users_count())
        outcome = self._connection.script(
            "make_user", [keys.user(name)], [id, name, password_hash, role, new_session()]
        )
        if outcome.word == "taken" and int(outcome.rest[0]) != id:
            raise NameTaken(name=name)
        return self.get(name)

    def set_role(self, name: str, role: Role) -> None:
        """Give a member another role; raise NoSuchMember."""
        self._change(name, "role", role)

    def set_password(self, name: str, password_hash: str) -> None:
        """Give a member another password, which ends all sessions; raise NoSuchMember."""
        self._change(name, "password", password_hash, "session", new_session())

    def refresh_hash(self, name: str, password_hash: str) -> None:
        """Store the same password under newer hash parameters; sessions stay. Raises NoSuchMember."""
        self._change(name, "password", password_hash)

    def _change(self, name: str, *pairs: str) -> None:
        if self._connection.script("change_user", [keys.user(name)], pairs).word == "unknown":
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
    id, name, password, role, since, session = values
    if id is None or name is None:
        return None
    return User(int(id), name, password or "", Role(role or Role.MEMBER), float(since or 0), session or "")


def new_session() -> str:
    """Return a fresh word for a member's sessions: those that carry another one have ended."""
    return secrets.token_urlsafe(9)
