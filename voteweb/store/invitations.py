"""Invitations: single-use links with which one person can join."""

import secrets
import time

from voteweb.core import config
from voteweb.core.errors import InvitationUsed, LinkUsed
from voteweb.core.models import Invitation, User
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import invitation_member, invitation_token

_FIELDS = ("by", "until", "used", "revoked")


class Invitations:
    """The invitations of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def make(self, by: User) -> Invitation:
        """Create and return an invitation for one person, valid for INVITATION_SECONDS."""
        token = secrets.token_urlsafe(16)
        until = time.time() + config.INVITATION_SECONDS
        self._connection.script(
            "make_invitation",
            [self._keys.invite(token), self._keys.invites(by.name)],
            [invitation_member(token), by.name, until],
        )
        return Invitation(token, by.name, until)

    def revoke(self, token: str, by: User | None) -> None:
        """Revoke an invitation: *by* its maker, or None for a moderator. Raises LinkUsed, InvitationUsed."""
        outcome = self._connection.script("revoke_invitation", [self._keys.invite(token)], [by.name if by else ""])
        if outcome.status == "unknown":
            raise LinkUsed()
        if outcome.status == "used":
            raise InvitationUsed()

    def find(self, token: str) -> Invitation | None:
        """Return the invitation with this token, used or not, or None."""
        return _invitation(token, self._connection.command("HMGET", self._keys.invite(token), *_FIELDS))

    def queue_made_by(self, pipeline: Pipeline, name: str) -> Future[tuple[Invitation, ...]]:
        """Queue a read of all invitations that a member made, the latest end first."""
        patterns = [item for field in _FIELDS for item in ("GET", f"{self._keys.prefix}*->{field}")]

        def parse(replies: list[list[str | None]]) -> tuple[Invitation, ...]:
            values, width = replies[0], 1 + len(_FIELDS)
            rows = [values[at : at + width] for at in range(0, len(values), width)]
            invitations = [_invitation(invitation_token(row[0] or ""), row[1:]) for row in rows]
            return tuple(invitation for invitation in invitations if invitation)

        return pipeline.queue(
            [("SORT_RO", self._keys.invites(name), "BY", "nosort", "GET", "#", *patterns, "DESC")], parse
        )


def _invitation(token: str, values: list[str | None]) -> Invitation | None:
    by, until, used, revoked = values
    if by is None:
        return None
    return Invitation(token, by, float(until or 0), used or "", revoked is not None)
