"""Password resets: one-time links with which a member sets a new password."""

import secrets
from hashlib import sha256

from voteweb.core import config
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.store.connection.connection import Connection
from voteweb.store.users import new_session_id


class PasswordResets:
    """The one-time links of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def make(self, name: str) -> str:
        """Return the token of a one-time link, valid for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. Raises NoSuchMember, also for a member who has left.
        """
        id, left = self._connection.command("HMGET", self._keys.user(name), "id", "left")
        if id is None or left is not None:
            raise NoSuchMember(name=name)
        token = secrets.token_urlsafe(24)
        self._connection.command("SET", self._key(token), name.lower(), "EX", config.RESET_SECONDS)
        return token

    def member_name(self, token: str) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        name = self._connection.command("GET", self._key(token))
        if name is None:
            raise LinkUsed()
        return str(name)

    def use(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, which ends all sessions; return the name. Raises LinkUsed."""
        name = self.member_name(token)
        outcome = self._connection.script(
            "reset_password", [self._key(token), self._keys.user(name)], [name, password_hash, new_session_id()]
        )
        if outcome.status == "unknown" and not outcome.repeated:
            raise LinkUsed()
        return name

    def _key(self, token: str) -> str:
        return self._keys.reset(sha256(token.encode()).hexdigest()[:32])
