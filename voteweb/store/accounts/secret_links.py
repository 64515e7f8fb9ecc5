"""Secret links and codes: invitations and new passwords. Only digests are stored.

A password is set by a one-time link, valid until any password is set, or by a recovery code. The member's field
``recovery`` holds a keyed digest of each code that is left, and before them a digest of the key: codes are long and
random, so that nobody who reads the database finds one, and with another secret key none is left.
"""

import secrets
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from voteweb.core import config, passwords
from voteweb.core.comments import AccountChange
from voteweb.core.errors import Banned, CodeUsed, InvitationUsed, LinkUsed, NoSuchMember, PasswordNeeded
from voteweb.core.models import Branch, Invitation, Page, Role, User
from voteweb.core.names import name_key
from voteweb.core.permissions import may_moderate
from voteweb.store.accounts.users import Users, new_password, new_session_id, read_logged_in, read_member
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import digest_of, finite_number, invitation_digest, invitation_member
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.rows import queue_page, rows_of

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
            maker, used = attempt.value("HMGET", key, "by", "used")
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
        read_from = rows_of(self._keys, self._keys.invites(name), _FIELDS)
        return queue_page(pipeline, number, size, read_from, partial(map, _invitation))

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


class CodesLeft(NamedTuple):
    """How many codes a member has left, when one was last used (unix time, 0: never), and whether any were made."""

    number: int
    used: float
    were_made: bool


class Passwords(StorePart):
    """Makes, checks and uses up one-time links and recovery codes of the members of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._secret = blake2b(context.settings.secret_key.encode(), person=b"recovery codes").digest()
        self._key_digest = self._code_digest("")[:8]

    def make_link(self, name: str, email: str = "") -> str:
        """Return the token of a one-time link, valid for RESET_SECONDS, with which *name* sets a new password.

        Only a digest of it is stored. It becomes invalid when the password is changed in any way; one that is mailed to
        *email*, also when that is no longer the member's address. Raises NoSuchMember, also for a member who has left.
        """
        password_hash, _ = self._present(Attempt(self._connection), name)
        if password_hash is None:
            raise NoSuchMember(name=name)
        token, value = secrets.token_urlsafe(24), _link_value(name, password_hash, email)
        self._connection.command("SET", self._link(token), value, "EX", config.RESET_SECONDS)
        return token

    def use_link(self, token: str, password_hash: str) -> str:
        """Set the password by a one-time link, see :func:`new_password`; return the name. Raises LinkUsed."""
        name, session_id = self.linked_member(token), new_session_id()

        def decide(attempt: Attempt) -> list[Command]:
            # The link names the hash before: it is used up, and expires.
            return new_password(attempt, self.linked_member(token, attempt), password_hash, session_id)

        commit(self._connection, decide, when_full=True)
        return name

    def linked_member(self, token: str, attempt: Attempt | None = None) -> str:
        """Return the name, in lower case, of the member whose password the link sets; raise LinkUsed."""
        attempt = attempt or Attempt(self._connection)
        link = attempt.value("GET", self._link(token))
        if link is None:
            raise LinkUsed()
        name, *states = link.split(" ")
        password_hash, email = self._present(attempt, name)
        if len(states) < 2:  # it was not mailed
            email = ""
        if password_hash is None or _link_value(name, password_hash, email) != link:
            raise LinkUsed()
        return str(name)

    def _present(self, attempt: Attempt, name: str) -> tuple[str | None, str]:
        """Return the present hash of a member, None for one who has left or is none, and the confirmed address.

        Each is "" if the member has none.
        """
        user, fields = self._keys.user(name), ("id", "left", "password", "email")
        id, left, password_hash, email = attempt.value("HMGET", user, *fields)
        return None if id is None or left is not None else str(password_hash or ""), str(email or "")

    def _link(self, token: str) -> str:
        return self._keys.reset(digest_of(token))

    def renew_codes(self, member: User, *, are_first: bool = False) -> tuple[str, ...]:
        """Return new codes of *member*, as they are shown; those given before no longer work.

        Raises LoggedOut, and PasswordNeeded if they *are_first* and there were others.
        """
        codes = passwords.new_codes()
        digests = [self._code_digest(f"{member.id} {code}") for code in codes]
        key = self._keys.user(member.name)

        def decide(attempt: Attempt) -> list[Command]:
            read_logged_in(attempt, member)
            if are_first and attempt.value("HEXISTS", key, "recovery"):
                raise PasswordNeeded(PasswordNeeded.each_time)
            attempt.tell(member.name, AccountChange.CODES)
            return [("HSET", key, "recovery", " ".join([self._key_digest, *digests]))]

        commit(self._connection, decide, when_full=True)
        return tuple(map(passwords.spell, codes))

    @act(Role.MEMBER, when_full=True)
    def end_codes(self, attempt: Attempt, actor: User) -> list[Command]:
        """Make all recovery codes of *actor* work no longer; raise LoggedOut."""
        return [("HSET", self._keys.user(actor.name), "recovery", "")]

    def queue_codes_left(self, pipeline: Pipeline, name: str) -> Future[CodesLeft]:
        """Queue a read of how many codes the member *name* has left."""

        def parse(reply: list[str | None]) -> CodesLeft:
            stored, used = reply
            return CodesLeft(len(self._code_digests(stored)), finite_number(used) or 0.0, stored is not None)

        return pipeline.queue_one(("HMGET", self._keys.user(name), "recovery", "recovered"), parse)

    def queue_codes(self, pipeline: Pipeline, name: str) -> Future[str | None]:
        """Queue a read of what is stored of the codes of *name*, for :meth:`is_code`."""
        return pipeline.queue_one(("HGET", self._keys.user(name), "recovery"), lambda reply: reply)

    def is_code(self, stored: str | None, member: User | None, code: str) -> bool:
        """Tell whether *code*, as it was read, is one of the *stored* ones of *member*; unknown members cost the same.

        The comparison is of digests that nobody else can make, so that its time tells nothing.
        """
        digest = self._code_digest(f"{member.id if member else 0} {code}")
        return digest in self._code_digests(stored) and member is not None

    def use_code(self, member: User, code: str, password_hash: str) -> tuple[str, int]:
        """Set the password of *member* with *code*, which ends all sessions and uses the code up.

        Return the session id of new sessions, and the number of codes that are left: none for a member with a second
        factor, so that nobody who finds the codes can replace both. Raises CodeUsed, Banned.
        """
        session_id, left = new_session_id(), 0

        def decide(attempt: Attempt) -> list[Command]:
            nonlocal left
            user, _ = read_member(attempt, member.name)
            if user is None or user.id != member.id or user.left:  # the name may be another's by now
                raise CodeUsed()
            taken, left = self.take_code(attempt, user, code, leaves_others=not user.second_factor)
            if user.banned:
                raise Banned(reason=member.ban_reason)
            return [taken, *new_password(attempt, member.name, password_hash, session_id, keeps_codes=True)]

        commit(self._connection, decide, when_full=True)
        return session_id, left

    def take_code(
        self, attempt: Attempt, member: User, code: str, *, leaves_others: bool = True
    ) -> tuple[Command, int]:
        """Return the write that uses up *code* of *member*, and how many are left then; raise CodeUsed."""
        key, digest = self._keys.user(member.name), self._code_digest(f"{member.id} {code}")
        digests = self._code_digests(attempt.value("HGET", key, "recovery"))
        if digest not in digests:
            raise CodeUsed()
        left = [other for other in digests if leaves_others and other != digest]
        recovery = " ".join([self._key_digest, *left])
        return ("HSET", key, "recovery", recovery, "recovered", attempt.now), len(left)

    def _code_digests(self, stored: str | None) -> list[str]:
        key_digest, *digests = (stored or "").split() or [""]
        return digests if key_digest == self._key_digest else []

    def _code_digest(self, text: str) -> str:
        return blake2b(text.encode(), digest_size=12, key=self._secret).hexdigest()


def _link_value(name: str, password_hash: str, email: str) -> str:
    """Return the stored value of a link for *name*: valid as long as this hash, and this address if any, are theirs."""
    # A hash is another one each time that a password is set, also to the same one.
    states = [password_hash, email] if email else [password_hash]
    return " ".join([name_key(name), *(digest_of(state)[:16] for state in states)])
