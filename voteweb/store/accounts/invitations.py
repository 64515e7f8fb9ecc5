"""Invitations: single-use links with which one person can join, and who invited whom."""

import secrets
from collections.abc import Iterator, Sequence
from functools import partial

from voteweb.core import config
from voteweb.core.errors import InvitationUsed, LinkUsed
from voteweb.core.models import Branch, Invitation, Page, Role, User
from voteweb.core.names import name_key
from voteweb.core.permissions import may_moderate
from voteweb.store.accounts.users import Users
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import digest_of, invitation_digest, invitation_member
from voteweb.store.site.context import StorePart
from voteweb.store.site.rows import queue_page, read_all, rows_of

_FIELDS = ("by", "until", "used", "revoked")


class Invitations(StorePart):
    """The invitations of one site. Only a digest of the token in each one's link is stored."""

    def make(self, by: User, role: Role = Role.MEMBER) -> str:
        """Create an invitation for one person, valid for INVITATION_SECONDS; return the token of its link.

        Raises LoggedOut and, when *by* has no longer at least this *role*, NotAllowed.
        """
        token = secrets.token_urlsafe(16)
        digest, keys = digest_of(token), self._keys

        def decide(attempt: Attempt) -> list[Command]:
            attempt.read()
            until = float(attempt.now) + config.INVITATION_SECONDS
            return [
                ("HSET", keys.invite(digest), "by", by.name, "until", until),
                ("ZADD", keys.invites(by.name), until, invitation_member(digest)),
            ]

        commit(self._connection, decide, actor=by, role=role)
        return token

    def revoke(self, digest: str, by: User) -> None:
        """Revoke an invitation that *by* has made, by its digest; a moderator may revoke anybody's.

        Raises LinkUsed, InvitationUsed, LoggedOut, and NotAllowed to a moderator who has become a member.
        """
        key, is_moderator = self._keys.invite(digest), may_moderate(by)

        def decide(attempt: Attempt) -> list[Command]:
            ((maker, used),) = attempt.read(("HMGET", key, "by", "used"))
            if maker is None or not (is_moderator or name_key(maker) == name_key(by.name)):
                raise LinkUsed()
            if used is not None:
                raise InvitationUsed()
            return [("HSET", key, "revoked", "1")]

        role = Role.MODERATOR if is_moderator else Role.MEMBER
        commit(self._connection, decide, actor=by, role=role, when_full=True)

    def find(self, token: str) -> Invitation | None:
        """Return the invitation whose link has this token, used or not, or None."""
        digest = digest_of(token)
        fields = self._connection.command("HMGET", self._keys.invite(digest), *_FIELDS)
        return _invitation([invitation_member(digest), *fields])

    def queue_page(
        self, pipeline: Pipeline, name: str, number: int, size: int = config.INVITATION_PAGE_SIZE
    ) -> Future[Page[Invitation]]:
        """Queue a read of page *number* (from 1) of the invitations that a member made, the latest end first."""
        read_from = rows_of(self._keys, self._keys.invites(name), size, _FIELDS)
        return queue_page(pipeline, number, size, read_from, partial(map, _invitation))

    def made_by(self, name: str) -> Iterator[Invitation]:
        """Yield all invitations that a member made, the latest end first, read in batches of READ_BATCH_SIZE."""
        return read_all(self._connection, lambda pipeline, number, size: self.queue_page(pipeline, name, number, size))

    def tree(self) -> tuple[Branch, ...]:
        """Return the MAX_TREE_MEMBERS newest members whom somebody invited, each below their inviter, with these.

        An inviter who joined earlier than those stands on top. Takes two round trips.
        """
        names = self._connection.command("ZREVRANGE", self._keys.users(), 0, config.MAX_TREE_MEMBERS - 1)
        pipeline, users = self._connection.pipeline(), Users(self._context)
        read = [users.queue_get(pipeline, name) for name in names]
        pipeline.execute()
        members = {name_key(user.result.name): user.result for user in read if user.result}
        invited: dict[str, list[str]] = {}
        for key, user in members.items():
            if user.invited_by and name_key(user.invited_by) != key:
                invited.setdefault(name_key(user.invited_by), []).append(key)
        tops = [key for key in invited if key not in members or not members[key].invited_by]
        rows: list[Branch] = []
        open_rows = [(key, 0) for key in sorted(tops, reverse=True)]
        while open_rows:  # each member is below one inviter, so that none comes twice
            key, level = open_rows.pop()
            member = members.get(key)
            rows.append(Branch(member.name if member else key, level, len(invited.get(key, ())), member))
            open_rows += [(below, level + 1) for below in sorted(invited.get(key, ()), reverse=True)]
        return tuple(rows)


def _invitation(row: Sequence[str | None]) -> Invitation | None:
    member, by, until, used, revoked = row
    if by is None:
        return None
    return Invitation(invitation_digest(member or ""), by, float(until or 0), used or "", revoked is not None)
