"""The ways in: invitations, and one-time links for a forgotten password."""

import secrets
import time
from hashlib import sha256

from voteweb import config
from voteweb.errors import InvitationUsed, LinkUsed, NoSuchMember
from voteweb.models import Invitation, User
from voteweb.store import keys
from voteweb.store.connect import Connection
from voteweb.store.trip import Reply, Trip
from voteweb.store.users import new_session

_FIELDS = ("by", "until", "used", "revoked")


class Joining:
    """The invitations and one-time links of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def invite(self, by: User) -> Invitation:
        """Make and return an invitation for one person, good for INVITATION_SECONDS."""
        token = secrets.token_urlsafe(16)
        until = time.time() + config.INVITATION_SECONDS
        self._connection.script("make_invitation", [keys.invite(token), keys.invites(by.name)], [by.name, until])
        return Invitation(token, by.name, until)

    def revoke(self, token: str, by: User | None) -> None:
        """Withdraw an invitation: *by* its maker, or None for a moderator. Raises LinkUsed, InvitationUsed."""
        outcome = self._connection.script("revoke_invitation", [keys.invite(token)], [by.name if by else ""])
        if outcome.word == "unknown":
            raise LinkUsed()
        if outcome.word == "used":
            raise InvitationUsed()

    def find(self, token: str) -> Invitation | None:
        """Return the invitation with this token, used or not, or None."""
        return _invitation(token, self._connection.command("HMGET", keys.invite(token), *_FIELDS))

    def ask_made_by(self, trip: Trip, name: str) -> Reply[tuple[Invitation, ...]]:
        """Queue the question for all invitations a member made, the latest end first."""
        gets = [word for field in _FIELDS for word in ("GET", f"*->{field}")]

        def read(answers: list[list[str | None]]) -> tuple[Invitation, ...]:
            flat, width = answers[0], 1 + len(_FIELDS)
            rows = [flat[at : at + width] for at in range(0, len(flat), width)]
            found = [_invitation((row[0] or "").partition(":")[2], row[1:]) for row in rows]
            return tuple(each for each in found if each)

        return trip.ask([("SORT_RO", keys.invites(name), "BY", "nosort", "GET", "#", *gets, "DESC")], read)

    def make_reset(self, name: str) -> str:
        """Return the token of a one-time link, good for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. Raises NoSuchMember, also for one who has left.
        """
        id, left = self._connection.command("HMGET", keys.user(name), "id", "left")
        if id is None or left is not None:
            raise NoSuchMember(name=name)
        token = secrets.token_urlsafe(24)
        self._connection.command("SET", _reset_key(token), name.lower(), "EX", config.RESET_SECONDS)
        return token

    def reset_name(self, token: str) -> str:
        """Return the name, in lower case, whose password the link sets; raise LinkUsed."""
        name = self._connection.command("GET", _reset_key(token))
        if name is None:
            raise LinkUsed()
        return str(name)

    def use_reset(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, which ends all sessions; return the name. Raises LinkUsed."""
        name = self.reset_name(token)
        outcome = self._connection.script(
            "reset_password", [_reset_key(token), keys.user(name)], [name, password_hash, new_session()]
        )
        if outcome.word == "unknown" and not outcome.repeated:
            raise LinkUsed()
        return name


def _invitation(token: str, values: list[str | None]) -> Invitation | None:
    by, until, used, revoked = values
    if by is None:
        return None
    return Invitation(token, by, float(until or 0), used or "", revoked is not None)


def _reset_key(token: str) -> str:
    return keys.reset(sha256(token.encode()).hexdigest()[:32])
