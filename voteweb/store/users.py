"""Members: created, found, changed, counted."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace

from voteweb.core import clock, config
from voteweb.core.errors import (
    InviterGone,
    LastAdmin,
    NameTaken,
    NoInvitation,
    NoSuchMember,
    PasswordChanged,
)
from voteweb.core.models import BanRemoval, RemovalState, Role, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.digests import digest_of
from voteweb.store.keys import Keys
from voteweb.store.moderation_log import ModerationLog, NewLogEntry
from voteweb.store.numbers import finite_number
from voteweb.store.rankings import Place

#: The fields that :func:`parse_user` reads.
FIELDS = (
    "id", "name", "password", "role", "since", "session", "banned", "ban-reason", "banned-until", "left",
    "invited-by", "held", "request", "ban-removal", "my", "front",
)  # fmt: skip

#: The field ban-removal of a member of whom something is still to be removed or restored.
HAS_WORK = re.compile(r"[0-9]+ (?:removing|restoring) ")


class Users:
    """The members of one site."""

    def __init__(
        self, connection: Connection, moderation_log: ModerationLog, network_digest: Callable[[str], str]
    ) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log
        self._network_digest = network_digest

    def make(
        self,
        name: str,
        password_hash: str,
        role: Role = Role.MEMBER,
        *,
        invitation: str | None = None,
        network: str | None = None,
        request: str = "",
        entry: NewLogEntry | None = None,
    ) -> User:
        """Create a member and return it; an empty hash makes one who cannot log in yet.

        An *invitation* (its token) is used up. *network* is that from which the member signs up on the site, "" if it
        is not known; None for a member whom the operator makes, who has not the limits of newcomers. With a *request*
        to the moderators the account is held until one of them lets it in.
        Raises NameTaken, NoInvitation, InviterGone.
        """
        keys = self._keys
        link = digest_of(invitation) if invitation else ""
        inviter = self._connection.command("HGET", keys.invite(link), "by") if link else None
        log, session = self._log.prepare(entry), new_session_id()
        digest = self._network_digest(network) if network else ""
        outcome = self._connection.script(
            "make_user",
            [*make_user_keys(keys, name, link, inviter or name, digest), *log.keys],
            [
                *log.arguments,
                int(invitation is not None),
                name,
                name_key(name),
                password_hash,
                role,
                session,
                int(network is not None),
                digest,
                config.SIGNUP_NETWORK_SECONDS,
                request,
            ],
        )
        if outcome.status == "taken" and outcome.values[1] != session:
            raise NameTaken(name=name)
        if outcome.status == "no-invitation":
            raise NoInvitation()
        if outcome.status == "inviter-gone":
            raise InviterGone()
        # Never the session id of a password that somebody else has set since.
        return replace(self.get(name), session=session)

    def set_role(self, name: str, role: Role, entry: NewLogEntry | None = None, *, actor: User | None = None) -> None:
        """Give a member another role, for the admin *actor*; None is the operator.

        Raises NoSuchMember, LastAdmin, LoggedOut, NotAllowed.
        """
        self._change(name, entry, "role", role, actor=actor, least_role=Role.ADMIN)

    def set_password(self, name: str, password_hash: str, *, verified: str | None = None) -> str:
        """Give a member another password, which ends all sessions; return the session id of new ones.

        With *verified*, the hash with which the present password was checked, only if it is still the member's. Raises
        NoSuchMember, PasswordChanged.
        """
        session_id = new_session_id()
        self._set_password_hash(name, password_hash, verified, session_id)
        return session_id

    def choose_front(self, member: User, front: str) -> None:
        """Choose what the front page shows *member*: the groups they follow (``MY_GROUPS``), or "" all articles.

        Raises NoSuchMember, LoggedOut, Held.
        """
        self._change(member.name, None, "front", front, actor=member, least_role=Role.MEMBER)

    def end_sessions(self, name: str) -> None:
        """Log a member out everywhere; raise NoSuchMember."""
        self._change(name, None, "session", new_session_id())

    def refresh_hash(self, name: str, password_hash: str, *, verified: str) -> None:
        """Store the password whose hash *verified* is under newer hash parameters; sessions stay.

        Raises NoSuchMember, PasswordChanged if the member has another hash by now.
        """
        self._set_password_hash(name, password_hash, verified, "")

    def _set_password_hash(self, name: str, password_hash: str, verified: str | None, session_id: str) -> None:
        key = self._keys.user(name)

        def decide(attempt: Attempt) -> list[Command]:
            ((id, left, stored),) = attempt.read(("HMGET", key, "id", "left", "password"))
            if id is None or left is not None:
                raise NoSuchMember(name=name)
            if verified is not None and (stored or "") != verified:
                raise PasswordChanged()
            session = ("session", session_id) if session_id else ()
            # By the operator: another person who had the account before may have made recovery codes.
            ended: list[Command] = [("HDEL", key, "recovery")] if verified is None else []
            return [("HSET", key, "password", password_hash, *session), *ended]

        commit(self._connection, decide, when_full=True)

    def _change(
        self,
        name: str,
        entry: NewLogEntry | None,
        *fields: str,
        actor: User | None = None,
        least_role: Role = Role.MODERATOR,
    ) -> None:
        """Set *fields* (name, value, …) of a member who has not left."""
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor, least_role)
        outcome = self._connection.script(
            "change_user",
            [self._keys.user(name), self._keys.admins(), *log.keys, *checked.keys],
            [*log.arguments, name_key(name), *fields, *checked.arguments],
        )
        if outcome.status == "unknown":
            raise NoSuchMember(name=name)
        if outcome.status == "last-admin":
            raise LastAdmin(name=name)

    def queue_get(self, pipeline: Pipeline, name: str) -> Future[User | None]:
        """Queue a read of a member, whatever the case of *name*; None when there is none."""
        return pipeline.queue([("HMGET", self._keys.user(name), *FIELDS)], lambda replies: parse_user(replies[0]))

    def find(self, name: str) -> User | None:
        """Return a member, whatever the case of *name*, or None."""
        pipeline = self._connection.pipeline()
        user = self.queue_get(pipeline, name)
        pipeline.execute()
        return user.result

    def get(self, name: str) -> User:
        """Return a member, whatever the case of *name*; raise NoSuchMember."""
        user = self.find(name)
        if user is None:
            raise NoSuchMember(name=name)
        return user

    def has_admin(self) -> bool:
        """Tell whether any member who may log in is an admin."""
        return bool(self._connection.command("SCARD", self._keys.admins()))

    def count(self) -> int:
        """Return how many members there are who have not left."""
        return int(self._connection.command("ZCARD", self._keys.users()))


def member_places(keys: Keys, fields: Mapping[str, str | None]) -> dict[str, Place]:
    """Return where a member with these stored *fields* stands in the lists of members; nobody stands in any."""
    is_banned, held = (fields.get("banned") or "0") != "0", fields.get("held")
    is_member = fields.get("id") is not None and fields.get("left") is None
    is_let_in = not is_banned or finite_number(fields.get("banned-until")) is not None
    return {
        keys.users(): (finite_number(fields.get("since")) or 0.0) if is_member else None,
        keys.admins(): True if is_member and fields.get("role") == Role.ADMIN and is_let_in else None,
        keys.held(): (finite_number(held) or 0.0) if is_member and held is not None and not is_banned else None,
        keys.ban_removals(): True if is_member and HAS_WORK.match(fields.get("ban-removal") or "") else None,
    }


def parse_user(values: list[str | None]) -> User | None:
    """Return the member with these values of FIELDS; None without a name or an id that is a number.

    No value that another program wrote breaks a page: an unknown role is that of a member, an unreadable ban is a ban.
    A ban that has ended is none, as for is_banned() in members.lua.
    """
    *fields, my, front = values
    id, name, password, role, since, session, banned, reason, until, left, invited_by, held, request, removal = fields
    if id is None or name is None or not (id.isascii() and id.isdigit()):
        return None
    ends = _time(until, 0.0)
    return User(
        id=int(id),
        name=name,
        password=password or "",
        role=Role(role) if role in set(Role) else Role.MEMBER,
        since=_time(since, 0.0),
        session=session or "",
        banned=0.0 if 0 < ends <= clock.now() else _time(banned, 1.0),
        ban_reason=reason or "",
        banned_until=ends,
        left=_time(left, 1.0),
        invited_by=invited_by or "",
        held=_time(held, 1.0),
        request=request or "",
        ban_removal=_removal(removal),
        my=my or "",
        front=front or "",
    )


def make_user_keys(keys: Keys, name: str, invitation: str = "", inviter: str = "", digest: str = "") -> list[str]:
    """Return the keys of the script that makes the member *name*, without those of its log entry."""
    return [
        keys.user(name),
        keys.invite(invitation),
        keys.user(inviter or name),
        keys.last_user_id(),
        keys.users(),
        keys.admins(),
        keys.sign_up(name),
        keys.network(digest),
        keys.held(),
    ]


def _time(stored: str | None, unreadable: float) -> float:
    """Return a *stored* unix time, 0 for a missing one, *unreadable* for one that is none."""
    time = finite_number(stored or "0")
    return time if time is not None and 0 <= time < config.MAX_TIME else unreadable


def _removal(stored: str | None) -> BanRemoval | None:
    """Return what the field ban-removal of a member says, None for nothing, or for what another program wrote."""
    entry, state, articles, comments = [*(stored or "").split(" "), "", "", "", ""][:4]
    if not entry.isdecimal() or state not in set(RemovalState):
        return None
    return BanRemoval(int(entry), RemovalState(state), _since(articles), _since(comments))


def _since(stored: str) -> int | None:
    return int(stored) if stored.isascii() and stored.isdecimal() else None


def new_session_id() -> str:
    """Return a new random session id of a member: all sessions that carry another one have ended."""
    return secrets.token_urlsafe(9)
