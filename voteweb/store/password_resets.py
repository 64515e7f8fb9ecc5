"""Password resets: one-time links with which a member sets a new password, until any password is set."""

import secrets
from hashlib import sha256

from voteweb.core import config
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.core.names import name_key
from voteweb.store.connection.connection import Connection
from voteweb.store.users import new_session_id


class PasswordResets:
    """Makes and uses the one-time links of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def make(self, name: str) -> str:
        """Return the token of a one-time link, valid for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. It becomes invalid when the password is changed in any way. Raises NoSuchMember,
        also for a member who has left.
        """
        password_hash = self._password_hash(name)
        if password_hash is None:
            raise NoSuchMember(name=name)
        token = secrets.token_urlsafe(24)
        self._connection.command("SET", self._key(token), link_value(name, password_hash), "EX", config.RESET_SECONDS)
        return token

    def member_name(self, token: str) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        name, _ = self._find(token)
        return name

    def use(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, which ends all sessions; return the name. Raises LinkUsed."""
        name, known_hash = self._find(token)
        outcome = self._connection.script(
            "reset_password",
            [self._key(token), self._keys.user(name)],
            [link_value(name, known_hash), known_hash, password_hash, new_session_id()],
        )
        if outcome.status == "unknown":
            raise LinkUsed()
        return name

    def _find(self, token: str) -> tuple[str, str]:
        """Return the member's name in lower case and the password hash for which the link was made; raise LinkUsed."""
        link = self._connection.command("GET", self._key(token))
        if link is None:
            raise LinkUsed()
        name, _, _ = link.partition(" ")
        password_hash = self._password_hash(name)
        if password_hash is None or link_value(name, password_hash) != link:
            raise LinkUsed()
        return name, password_hash

    def _password_hash(self, name: str) -> str | None:
        """Return the present hash, "" if the member has none; None for a member who has left or is none."""
        id, left, password_hash = self._connection.command("HMGET", self._keys.user(name), "id", "left", "password")
        return None if id is None or left is not None else str(password_hash or "")

    def _key(self, token: str) -> str:
        return self._keys.reset(sha256(token.encode()).hexdigest()[:32])


def link_value(name: str, password_hash: str) -> str:
    """Return the stored value of a link for *name*: it is valid only as long as this hash is the member's."""
    return f"{name_key(name)} {password_state(password_hash)}"


def password_state(password_hash: str) -> str:
    """Return a short text that differs for every hash, and so for every time that a password is set."""
    return sha256(password_hash.encode()).hexdigest()[:16]
