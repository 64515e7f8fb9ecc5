"""Members: created, found, changed, counted."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

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
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.rankings import Place
from voteweb.store.schema.values import digest_of, finite_number
from voteweb.store.site.context import Context, StorePart

#: The fields that :func:`parse_user` reads.
FIELDS = (
    "id", "name", "password", "role", "since", "session", "banned", "ban-reason", "banned-until", "left",
    "invited-by", "held", "request", "ban-removal", "my", "front",
)  # fmt: skip

#: The field ban-removal of a member of whom something is still to be removed or restored.
HAS_WORK = re.compile(r"[0-9]+ (?:removing|restoring) ")

#: Members that one commit makes: each takes two of its writes.
_NEW_MEMBERS = 50


class Users(StorePart):
    """The members of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._network_digest = context.limits.digest

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
        keys, user, session = self._keys, self._keys.user(name), new_session_id()
        digest = self._network_digest(network) if network else ""

        def decide(attempt: Attempt) -> list[Command]:
            id, last_id = attempt.read(("HGET", user, "id"), ("GET", keys.last_user_id()))
            if id is not None:
                raise NameTaken(name=name)
            fields = _new_fields(int(last_id or 0) + 1, name, password_hash, attempt.now, session) | {"role": role}
            since, writes = attempt.now, list[Command]([("INCR", keys.last_user_id())])
            if invitation is not None:
                invite = keys.invite(digest_of(invitation))
                fields["invited-by"] = self._read_inviter(attempt, invite)
                writes.append(("HSET", invite, "used", name))
            if network is not None:
                fields["signed-up"] = since
            if request:
                fields |= {"held": since, "request": request}
            if digest:
                seconds, key = config.SIGNUP_NETWORK_SECONDS, keys.network(digest)
                writes += [
                    ("SET", keys.sign_up(name), digest, "EX", seconds),
                    ("ZREMRANGEBYSCORE", key, "-inf", float(since) - seconds),
                    ("ZADD", key, since, name_key(name)),
                    ("EXPIRE", key, seconds),
                ]
            return [*writes, *change_member(attempt, keys, name, {}, fields)]

        commit(self._connection, decide, entry=entry)
        # Never the session id of a password that somebody else has set since.
        return replace(self.get(name), session=session)

    def make_missing(self, names: Sequence[str]) -> None:
        """Make those of the members with these names who do not exist; they cannot log in yet."""
        for batch in batched(names, _NEW_MEMBERS):
            commit(self._connection, partial(self._decide_missing, batch))

    def _decide_missing(self, names: Sequence[str], attempt: Attempt) -> list[Command]:
        keys = self._keys
        reads = [("HGET", keys.user(name), "id") for name in names]
        last_id, *ids = attempt.read(("GET", keys.last_user_id()), *reads)
        missing = [name for name, id in zip(names, ids, strict=True) if id is None]
        writes: list[Command] = [("INCRBY", keys.last_user_id(), len(missing))]
        for id, name in enumerate(missing, start=int(last_id or 0) + 1):
            writes += change_member(attempt, keys, name, {}, _new_fields(id, name, "", attempt.now, new_session_id()))
        return writes if missing else []

    def _read_inviter(self, attempt: Attempt, invite: str) -> str:
        """Return who made an invitation that can be used now; raise NoInvitation, InviterGone."""
        ((by, until, used, revoked),) = attempt.read(("HMGET", invite, "by", "until", "used", "revoked"))
        if by is None or used is not None or revoked is not None or float(attempt.now) >= float(until):
            raise NoInvitation()
        attempt.not_after = float(until)
        inviter, _ = read_member(attempt, self._keys, by)
        if inviter is None or inviter.left or inviter.banned:
            raise InviterGone()
        return str(by)

    def set_role(self, name: str, role: Role, entry: NewLogEntry | None = None, *, actor: User | None = None) -> None:
        """Give a member another role, for the admin *actor*; None is the operator.

        Raises NoSuchMember, LastAdmin, LoggedOut, NotAllowed.
        """
        self._change(name, "role", role, entry=entry, actor=actor, least_role=Role.ADMIN)

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
        self._change(member.name, "front", front, actor=member, least_role=Role.MEMBER)

    def end_sessions(self, name: str) -> None:
        """Log a member out everywhere; raise NoSuchMember."""
        self._change(name, "session", new_session_id())

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
        field: str,
        value: str,
        *,
        entry: NewLogEntry | None = None,
        actor: User | None = None,
        least_role: Role = Role.MODERATOR,
    ) -> None:
        """Set a field of a member who has not left; one whose account is held gets no role."""

        def decide(attempt: Attempt) -> list[Command]:
            member, stored = read_present_member(attempt, self._keys, name)
            if stored[field] == value or (member.held and field == "role"):
                return []
            return change_member(attempt, self._keys, name, stored, {field: value})

        commit(self._connection, decide, actor=actor, role=least_role, entry=entry, when_full=True)

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


def read_member(attempt: Attempt, keys: Keys, name: str) -> tuple[User | None, dict[str, str | None]]:
    """Return a member for a guarded commit, None when there is none, and the stored FIELDS."""
    (values,) = attempt.read(("HMGET", keys.user(name), *FIELDS))
    return parse_user(values), dict(zip(FIELDS, values, strict=True))


def read_present_member(attempt: Attempt, keys: Keys, name: str) -> tuple[User, dict[str, str | None]]:
    """Return a member and the stored FIELDS for a guarded commit; raise NoSuchMember, also for one who has left."""
    member, stored = read_member(attempt, keys, name)
    if member is None or member.left:
        raise NoSuchMember(name=name)
    return member, stored


def change_member(
    attempt: Attempt, keys: Keys, name: str, stored: Mapping[str, str | None], changes: Mapping[str, str | None]
) -> list[Command]:
    """Return the writes that change fields of a member with these *stored* FIELDS, and the lists that hold the member.

    A field that becomes None is deleted. Raises LastAdmin if nobody else could administer the site then.
    """
    user, member, admins = keys.user(name), name_key(name), keys.admins()
    before, after = member_places(keys, stored), member_places(keys, {**stored, **changes})
    if before[admins] and not after[admins]:
        count, is_listed = attempt.read(("SCARD", admins), ("SISMEMBER", admins, member))
        if count - is_listed < 1:
            raise LastAdmin(name=name)
    deleted = [field for field, value in changes.items() if value is None]
    set_fields = [text for field, value in changes.items() if value is not None for text in (field, value)]
    writes: list[Command] = [("HSET", user, *set_fields), *([("HDEL", user, *deleted)] if deleted else [])]
    for key, place in after.items():
        if place is True and not before[key]:
            writes.append(("SADD", key, member))
        elif place is None and before[key] is not None:
            writes.append(("SREM" if before[key] is True else "ZREM", key, member))
        elif place is not True and place != before[key]:
            writes.append(("ZADD", key, repr(place), member))
    return writes


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


def _new_fields(id: int, name: str, password_hash: str, now: str, session: str) -> dict[str, str]:
    return {
        "id": str(id), "name": name, "password": password_hash, "role": Role.MEMBER, "since": now, "session": session,
    }  # fmt: skip


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
