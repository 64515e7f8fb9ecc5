"""Password resets: one-time links with which a member sets a new password, until any password is set."""

import secrets

from voteweb.core import config
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.core.names import name_key
from voteweb.store.connection.connection import Connection
from voteweb.store.digests import digest_of
from voteweb.store.users import new_session_id


class PasswordResets:
    """Makes and uses the one-time links of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def make(self, name: str, email: str = "") -> str:
        """Return the token of a one-time link, valid for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. It becomes invalid when the password is changed in any way; one that is mailed to
        *email*, also when that is no longer the member's address. Raises NoSuchMember, also for a member who has left.
        """
        password_hash, _ = self._read(name)
        if password_hash is None:
            raise NoSuchMember(name=name)
        token, value = secrets.token_urlsafe(24), link_value(name, password_hash, email)
        self._connection.command("SET", self._key(token), value, "EX", config.RESET_SECONDS)
        return token

    def member_name(self, token: str) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        return self._find(token)[0]

    def use(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, which ends all sessions; return the name. Raises LinkUsed."""
        name, link, known_hash, email = self._find(token)
        outcome = self._connection.script(
            "reset_password",
            [self._key(token), self._keys.user(name)],
            [link, known_hash, password_hash, new_session_id(), email],
        )
        if outcome.status == "unknown":
            raise LinkUsed()
        return name

    def _find(self, token: str) -> tuple[str, str, str, str]:
        """Return the member's name in lower case, the link's value, and for which hash and address it was made.

        The address is "" for a link that was not mailed. Raises LinkUsed.
        """
        link = self._connection.command("GET", self._key(token))
        if link is None:
            raise LinkUsed()
        name, *states = link.split(" ")
        password_hash, email = self._read(name)
        if len(states) < 2:
            email = ""
        if password_hash is None or link_value(name, password_hash, email) != link:
            raise LinkUsed()
        return name, link, password_hash, email

    def _read(self, name: str) -> tuple[str | None, str]:
        """Return the present hash of a member, None for one who has left or is none, and the confirmed address.

        Each is "" if the member has none.
        """
        fields = ("id", "left", "password", "email")
        id, left, password_hash, email = self._connection.command("HMGET", self._keys.user(name), *fields)
        return None if id is None or left is not None else str(password_hash or ""), str(email or "")

    def _key(self, token: str) -> str:
        return self._keys.reset(digest_of(token))


def link_value(name: str, password_hash: str, email: str = "") -> str:
    """Return the stored value of a link for *name*: valid as long as this hash, and this address if any, are theirs."""
    return " ".join([name_key(name), password_state(password_hash), *([password_state(email)] if email else [])])


def password_state(password_hash: str) -> str:
    """Return a short text that differs for every hash, and so for every time that a password is set."""
    return digest_of(password_hash)[:16]
