"""Password resets: one-time links with which a member sets a new password, until any password is set."""

import secrets
from collections.abc import Callable
from typing import Any

from voteweb.core import config
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.core.names import name_key
from voteweb.store.accounts.users import new_session_id
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.values import digest_of
from voteweb.store.site.context import StorePart

#: Returns the reply to a command, in a list.
Read = Callable[[Command], list[Any]]


class PasswordResets(StorePart):
    """Makes and uses the one-time links of one site."""

    def make(self, name: str, email: str = "") -> str:
        """Return the token of a one-time link, valid for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. It becomes invalid when the password is changed in any way; one that is mailed to
        *email*, also when that is no longer the member's address. Raises NoSuchMember, also for a member who has left.
        """
        password_hash, _ = self._member(name, self._read)
        if password_hash is None:
            raise NoSuchMember(name=name)
        token, value = secrets.token_urlsafe(24), link_value(name, password_hash, email)
        self._connection.command("SET", self._key(token), value, "EX", config.RESET_SECONDS)
        return token

    def member_name(self, token: str) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        return self._find(token, self._read)

    def use(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, which ends all sessions; return the name. Raises LinkUsed.

        No recovery code is left: another person who had the account before may have made them.
        """
        name, session_id = self.member_name(token), new_session_id()

        def decide(attempt: Attempt) -> list[Command]:
            user = self._keys.user(self._find(token, attempt.read))
            return [
                ("HSET", user, "password", password_hash, "session", session_id),
                ("HDEL", user, "recovery"),
                ("UNLINK", self._key(token)),
            ]

        commit(self._connection, decide, when_full=True)
        return name

    def _find(self, token: str, read: Read) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        (link,) = read(("GET", self._key(token)))
        if link is None:
            raise LinkUsed()
        name, *states = link.split(" ")
        password_hash, email = self._member(name, read)
        if len(states) < 2:  # it was not mailed
            email = ""
        if password_hash is None or link_value(name, password_hash, email) != link:
            raise LinkUsed()
        return str(name)

    def _member(self, name: str, read: Read) -> tuple[str | None, str]:
        """Return the present hash of a member, None for one who has left or is none, and the confirmed address.

        Each is "" if the member has none.
        """
        fields = ("id", "left", "password", "email")
        ((id, left, password_hash, email),) = read(("HMGET", self._keys.user(name), *fields))
        return None if id is None or left is not None else str(password_hash or ""), str(email or "")

    def _read(self, command: Command) -> list[Any]:
        return [self._connection.command(*command)]

    def _key(self, token: str) -> str:
        return self._keys.reset(digest_of(token))


def link_value(name: str, password_hash: str, email: str = "") -> str:
    """Return the stored value of a link for *name*: valid as long as this hash, and this address if any, are theirs."""
    return " ".join([name_key(name), password_state(password_hash), *([password_state(email)] if email else [])])


def password_state(password_hash: str) -> str:
    """Return a short text that differs for every hash, and so for every time that a password is set."""
    return digest_of(password_hash)[:16]
