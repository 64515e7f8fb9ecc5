"""Members: created, found, listed, changed, counted."""

import dataclasses
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from voteweb.core import clock, config
from voteweb.core.comments import AccountChange, NoticeKind
from voteweb.core.errors import (
    InviterGone,
    LastAdmin,
    LoggedOut,
    NameTaken,
    NoInvitation,
    NoSuchMember,
    PasswordChanged,
)
from voteweb.core.models import BanRemoval, LogAction, LogEntry, Page, RemovalState, Role, User, Voter
from voteweb.core.names import name_key
from voteweb.core.permissions import may_log_in
from voteweb.store.accounts.secret_feeds import end_feeds
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.connection.unavailable import BrokenData
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import PATTERN_CHARACTERS, Keys
from voteweb.store.schema.rankings import Place, place_writes
from voteweb.store.schema.values import digest_of, finite_number, is_id_text, whole_number
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.rows import members_of, queue_page

#: The stored fields of a member that a User has, in its order.
FIELDS = tuple(field.name.replace("_", "-") for field in dataclasses.fields(User) if field.name != "call")

#: The changes of a member's fields that end a ban, and what the member answered to it.
NO_BAN = {"banned": "0", "ban-reason": "", "banned-until": None, "ban-answer": None, "ban-answered": None}

#: Members that one commit makes: each takes three of its writes.
_NEW_MEMBERS = 50


@dataclass(frozen=True, slots=True)
class ListedMember:
    """A member with the numbers of their listed articles, and of their comments but those removed lately."""

    user: User
    articles: int
    comments: int


class Users(StorePart):
    """The members of one site."""

    def make(
        self,
        name: str,
        password_hash: str,
        role: Role = Role.MEMBER,
        *,
        invitation: str | None = None,
        network: str | None = None,
        request: str = "",
        entry: LogEntry | None = None,
    ) -> User:
        """Create a member and return it; an empty hash makes one who cannot log in yet.

        An *invitation* (its token) is used up. *network* is that from which the member signs up on the site, "" if it
        is not known; None for a member whom the operator makes, who has not the limits of newcomers. With a *request*
        to the moderators the account is held until one of them lets it in.
        Raises NameTaken, NoInvitation, InviterGone, DataLost.
        """
        keys, user, session = self._keys, self._keys.user(name), new_session_id()
        digest = self._context.limits.digest(network) if network else ""

        def decide(attempt: Attempt) -> list[Command]:
            reads = (("HGET", user, "id"), ("GET", keys.last_user_id()), *self._context.queries())
            id, last_id, *site = attempt.read(*reads)
            self._context.refuse_lost(*site)  # emptied or another's: the names of all members would be free
            if id is not None:
                raise NameTaken(name=name)
            fields = _new_fields(_last_id(last_id) + 1, name, password_hash, attempt.now, session) | {"role": role}
            since, writes = attempt.now, list[Command]([("INCR", keys.last_user_id())])
            if invitation is not None:
                invite = keys.invite(digest_of(invitation))
                fields["invited-by"] = _read_inviter(attempt, invite)
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
            return [*writes, *StoredMember(attempt, name, {}).change(fields)]

        commit(self._connection, decide, entry=entry)
        # Never the session id of a password that somebody else has set since.
        return replace(self.get(name), session=session)

    def make_missing(self, names: Sequence[str]) -> None:
        """Make those of the members with these names who do not exist; they cannot log in yet."""
        for batch in batched(names, _NEW_MEMBERS):
            self._make_missing(batch)

    @act(remembers=False)
    def _make_missing(self, attempt: Attempt, names: Sequence[str]) -> list[Command]:
        keys = self._keys
        reads = [("HGET", keys.user(name), "id") for name in names]
        last_id, *ids = attempt.read(("GET", keys.last_user_id()), *reads)
        missing = [name for name, id in zip(names, ids, strict=True) if id is None]
        writes: list[Command] = [("INCRBY", keys.last_user_id(), len(missing))]
        for id, name in enumerate(missing, start=_last_id(last_id) + 1):
            fields = _new_fields(id, name, "", attempt.now, new_session_id())
            writes += StoredMember(attempt, name, {}).change(fields)
        return writes if missing else []

    @act(Role.ADMIN, when_full=True)
    def set_role(
        self, attempt: Attempt, name: str, role: Role, entry: LogEntry | None = None, *, actor: User | None = None
    ) -> list[Command]:
        """Give a member another role, for the admin *actor*; None is the operator. One who is held gets none.

        The member finds the log *entry* in the inbox.

        Raises NoSuchMember, LastAdmin, LoggedOut, NotAllowed.
        """
        member, stored = read_present_member(attempt, name)
        attempt.told = [(NoticeKind.ROLE, name_key(name))]
        return [] if member.held or member.role is role else stored.change({"role": role})

    def set_password(self, name: str, password_hash: str, *, verified: str | None = None) -> str:
        """Give a member another password, see :func:`new_password`; return the session id of new sessions.

        With *verified*, the hash with which the present password was checked, only if it is still the member's. Raises
        NoSuchMember, PasswordChanged.
        """
        session_id = new_session_id()
        self._set(name, {}, verified, partial(new_password, password_hash=password_hash, session_id=session_id))
        return session_id

    def refresh_hash(self, name: str, password_hash: str, *, verified: str) -> None:
        """Store the password whose hash *verified* is under newer hash parameters; sessions stay.

        Raises NoSuchMember, PasswordChanged if the member has another hash by now.
        """
        self._set(name, {"password": password_hash}, verified)

    def end_sessions(self, name: str) -> None:
        """Log a member out everywhere, which ends the addresses of feeds, too; raise NoSuchMember."""
        self._set(name, {"session": new_session_id()}, also=end_feeds)

    @act(when_full=True)
    def _set(
        self,
        attempt: Attempt,
        name: str,
        changes: Mapping[str, str | None],
        verified: str | None = None,
        also: Callable[[Attempt, str], Sequence[Command]] = lambda *_: (),
    ) -> list[Command]:
        """Change fields of a member who has not left, whose password hash must be *verified* if that is given."""
        member, stored = read_present_member(attempt, name)
        if verified is not None and member.password != verified:
            raise PasswordChanged()
        return [*stored.change(changes), *also(attempt, name)]

    @act(Role.MEMBER, when_full=True)
    def choose(self, attempt: Attempt, /, actor: User, **choice: str) -> list[Command]:
        """Store what *actor* chose for themselves: one of the fields ``front``, ``theme``, ``order``, with its value.

        Raises NoSuchMember, LoggedOut, Held.
        """
        return read_present_member(attempt, actor.name)[1].change(choice)

    @act(Role.MEMBER)
    def describe(self, attempt: Attempt, actor: User, about: str) -> list[Command]:
        """Store what *actor* says about themselves. A report of other lines stays until a moderator has judged it.

        Raises NoSuchMember, LoggedOut, Held.
        """
        member, stored = read_present_member(attempt, actor.name)
        if member.about == about:
            return []
        changes = {"about": about or None}
        if not member.about_reported:  # else it waits again as soon as they say something
            changes["about-reported"] = None
        return stored.change(changes)

    def queue_get(self, pipeline: Pipeline, name: str) -> Future[User | None]:
        """Queue a read of a member, whatever the case of *name*; None when there is none."""
        return pipeline.queue_one(("HMGET", self._keys.user(name), *FIELDS), parse_user)

    def find(self, name: str) -> User | None:
        """Return a member, whatever the case of *name*, or None."""
        return self._connection.read(self.queue_get, name)

    def get(self, name: str) -> User:
        """Return a member, whatever the case of *name*; raise NoSuchMember."""
        user = self.find(name)
        if user is None:
            raise NoSuchMember(name=name)
        return user

    def has_admin(self) -> bool:
        """Tell whether any member who may log in is an admin."""
        return bool(self._connection.command("SCARD", self._keys.admins()))

    def queue_newest(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of those who have not left."""
        return queue_page(pipeline, number, config.MEMBER_PAGE_SIZE, members_of(self._keys.users()))

    def queue_banned(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of whom page *number* of the bans in the log names: the latest first, each once.

        Some may have been let in again since: the page tells acts, of which the members say whether they hold.
        """
        entries = self._context.log.queue_page(pipeline, number, kind=LogAction.BAN)

        def parse() -> Page[str]:
            page = entries.result
            names = tuple(dict.fromkeys(name_key(entry.about) for entry in page.rows if entry.about))
            return Page.at(number, config.LOG_PAGE_SIZE, names, page.total)

        return pipeline.then(parse)

    def search(self, beginning: str) -> tuple[tuple[str, ...], bool]:
        """Return the names, in lower case, that start with *beginning*, and whether all members were looked through.

        Looks through MEMBER_SCAN_STEPS × READ_BATCH_SIZE members in as many round trips, and needs no index.
        """
        pattern = "".join(f"\\{c}" if c in PATTERN_CHARACTERS else c for c in name_key(beginning)) + "*"
        found: set[str] = set()
        cursor = 0
        for _ in range(config.MEMBER_SCAN_STEPS):
            cursor, pairs = self._connection.command(
                "ZSCAN", self._keys.users(), cursor, "MATCH", pattern, "COUNT", config.READ_BATCH_SIZE
            )
            found |= {member for member, _ in pairs}
            if not cursor or len(found) >= config.MEMBER_PAGE_SIZE:
                break
        return tuple(sorted(found)[: config.MEMBER_PAGE_SIZE]), not cursor

    def queue_members(self, pipeline: Pipeline, names: Sequence[str]) -> Future[tuple[ListedMember, ...]]:
        """Queue a read of the members *names*; leaves out those who do not exist or have left."""
        read = [(self.queue_get(pipeline, name), self.queue_counts(pipeline, name)) for name in names]

        def parse() -> tuple[ListedMember, ...]:
            rows = [(user.result, counts.result) for user, counts in read]
            return tuple(ListedMember(user, *counts) for user, counts in rows if user and not user.left)

        return pipeline.then(parse)

    def names_of(self, posters: Iterable[str]) -> dict[str, str]:
        """Return the name of each poster who is the number of a member: other programs write the numbers of voters.

        A name goes before a number.
        """
        pipeline, numbers = self._connection.pipeline(), [poster for poster in posters if is_id_text(poster)]
        found = [
            pipeline.queue(
                [
                    ("HEXISTS", self._keys.user(number), "id"),
                    ("ZRANGE", self._keys.names(int(number) // config.MEMBER_BLOCK), number, number, "BYSCORE"),
                ],
                lambda replies: None if replies[0] or not replies[1] else replies[1][0],
            )
            for number in numbers
        ]
        pipeline.execute()
        members = {
            number: self.queue_get(pipeline, name.result)
            for number, name in zip(numbers, found, strict=True)
            if name.result
        }
        pipeline.execute()
        return {number: member.result.name for number, member in members.items() if member.result}

    def queue_counts(self, pipeline: Pipeline, name: str) -> Future[tuple[int, int]]:
        """Queue a count of the articles of the member *name*, and of their comments."""
        comments = scripts.call(self._keys, "count_comments", name=name_key(name), newest=config.COMMENTS_ON_PAGE)
        return pipeline.queue([("ZCARD", self._keys.posted(name)), comments], lambda counts: (counts[0], counts[1]))

    def moderators(self) -> tuple[User, ...]:
        """Return the moderators and admins who may act, admins first, each of them by name.

        Reads whom the log has given a role, up to MAX_ROLE_PAGES pages of it, and the admins.
        """
        admins = self._connection.command("SMEMBERS", self._keys.admins())
        names = dict.fromkeys([*sorted(admins), *(name_key(name) for name in self._context.log.names_with_roles())])
        pipeline = self._connection.pipeline()
        users = [self.queue_get(pipeline, name) for name in names if name]
        pipeline.execute()
        acting = [user.result for user in users if user.result and user.result.role is not Role.MEMBER]
        acting = [user for user in acting if not user.banned and not user.left]
        return tuple(sorted(acting, key=lambda user: (user.role is not Role.ADMIN, name_key(user.name))))


def member_places(keys: Keys, fields: Mapping[str, str | None]) -> dict[str, Place]:
    """Return where a member with these stored *fields* stands in the lists of members; nobody stands in any."""
    is_banned, held = (fields.get("banned") or "0") != "0", fields.get("held")
    is_member = fields.get("id") is not None and fields.get("left") is None
    removal, ban_end = _removal(fields.get("ban-removal")), finite_number(fields.get("banned-until"))
    answers = is_member and is_banned and fields.get("ban-answered") is not None
    has_work = removal is not None and removal.state is not RemovalState.REMOVED
    reported = finite_number(fields.get("about-reported") if fields.get("about") else None)
    is_let_in = not is_banned or ban_end is not None
    id = whole_number(fields.get("id"))
    by_id: dict[str, Place] = {keys.names(id // config.MEMBER_BLOCK): id if is_member else None} if id else {}
    return by_id | {
        keys.users(): (finite_number(fields.get("since")) or 0.0) if is_member else None,
        keys.admins(): True if is_member and fields.get("role") == Role.ADMIN and is_let_in else None,
        keys.held(): (finite_number(held) or 0.0) if is_member and held is not None and not is_banned else None,
        keys.ban_removals(): True if is_member and has_work else None,
        keys.abouts(): reported if is_member and is_let_in and reported else None,
        keys.ban_answers(): (config.MAX_TIME if ban_end is None else ban_end) if answers else None,
    }


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A member under *name* with these stored FIELDS as an attempt has read them, none for one who does not exist."""

    attempt: Attempt
    name: str
    fields: Mapping[str, str | None]

    def change(self, changes: Mapping[str, str | None]) -> list[Command]:
        """Return the writes that change fields of the member, and the lists that hold the member.

        A field that becomes None is deleted. Raises LastAdmin if nobody else could administer the site then.
        """
        keys, member = self.attempt.keys, name_key(self.name)
        user, admins = keys.user(self.name), keys.admins()
        before, after = member_places(keys, self.fields), member_places(keys, {**self.fields, **changes})
        if before[admins] and not after[admins]:
            count, is_listed = self.attempt.read(("SCARD", admins), ("SISMEMBER", admins, member))
            if count - is_listed < 1:
                raise LastAdmin(name=self.name)
        deleted = [field for field, value in changes.items() if value is None]
        set_fields = [text for field, value in changes.items() if value is not None for text in (field, value)]
        writes: list[Command] = [("HSET", user, *set_fields)] if set_fields else []
        writes += [("HDEL", user, *deleted)] if deleted else []
        for key, place in after.items():
            if place != before.get(key):
                writes += place_writes(keys, key, member, place)
        return writes


def read_member(attempt: Attempt, name: str) -> tuple[User | None, StoredMember]:
    """Return a member for a guarded commit, None when there is none, and what is stored of them."""
    values = attempt.value("HMGET", attempt.keys.user(name), *FIELDS)
    return parse_user(values), StoredMember(attempt, name, dict(zip(FIELDS, values, strict=True)))


def read_present_member(attempt: Attempt, name: str) -> tuple[User, StoredMember]:
    """Return a member as :func:`read_member` does; raise NoSuchMember, also for one who has left."""
    member, stored = read_member(attempt, name)
    if member is None or member.left:
        raise NoSuchMember(name=name)
    return member, stored


def read_logged_in(attempt: Attempt, user: User | Voter) -> tuple[User, StoredMember]:
    """Return *user* as they are now; raise LoggedOut as :func:`check_logged_in` does."""
    member, stored = read_member(attempt, user.name)
    return check_logged_in(user, member), stored


def check_logged_in(user: User | Voter, now: User | None) -> User:
    """Return *user* as they are *now*; raise LoggedOut if they have left, are banned, or have another session id."""
    if now is None or (now.id, now.session) != (user.id, user.session) or not may_log_in(now):
        raise LoggedOut()
    return now


def _read_inviter(attempt: Attempt, invite: str) -> str:
    """Return who made an invitation that can be used now; raise NoInvitation, InviterGone."""
    by, until, used, revoked = attempt.value("HMGET", invite, "by", "until", "used", "revoked")
    end = finite_number(until)
    if by is None or used is not None or revoked is not None or end is None or float(attempt.now) >= end:
        raise NoInvitation()
    attempt.not_after = end
    inviter, _ = read_member(attempt, by)
    if inviter is None or not may_log_in(inviter):
        raise InviterGone()
    return str(by)


def parse_user(values: list[str | None]) -> User | None:
    """Return the member with these values of FIELDS; None without a name or an id that is a number.

    No value that another program wrote breaks a page: an unknown role is that of a member, an unreadable ban is a ban.
    A ban that has ended is none, as for is_banned() in members.lua.
    """
    id, name, *_ = values
    if id is None or name is None or not (id.isascii() and id.isdigit()):
        return None
    user = User(*(read(value) for read, value in zip(_READS, values, strict=True)))
    return replace(user, banned=0.0) if 0 < user.banned_until <= clock.now() else user


def _last_id(stored: str | None) -> int:
    """Return the last id given out; raise BrokenData for a counter that is none, which the doctor names."""
    id = whole_number(stored or "0")
    if id is None:
        raise BrokenData from ValueError(f"the counter of members is {stored}")
    return id


def _new_fields(id: int, name: str, password_hash: str, now: str, session: str) -> dict[str, str]:
    return {
        "id": str(id), "name": name, "password": password_hash, "role": Role.MEMBER, "since": now, "session": session,
    }  # fmt: skip


def _text(stored: str | None) -> str:
    return stored or ""


def _role(stored: str | None) -> Role:
    return Role(stored) if stored in set(Role) else Role.MEMBER


def _time(stored: str | None, unreadable: float = 0.0) -> float:
    """Return a *stored* unix time, 0 for a missing one, *unreadable* for one that is none."""
    time = finite_number(stored or "0")
    return time if time is not None and 0 <= time < config.MAX_TIME else unreadable


def _removal(stored: str | None) -> BanRemoval | None:
    """Return what the field ban-removal of a member says, None for nothing, or for what another program wrote."""
    entry, state, articles, comments, votes = [*(stored or "").split(" "), "", "", "", "", ""][:5]
    if not entry.isdecimal() or state not in set(RemovalState):
        return None
    return BanRemoval(int(entry), RemovalState(state), whole_number(articles), whole_number(comments), votes == "votes")


_state_since = partial(_time, unreadable=1.0)
_READ: dict[str, Callable[[str | None], Any]] = {
    "id": lambda stored: int(stored or 0), "role": _role, "since": _time, "banned": _state_since, "banned-until": _time,
    "ban-answered": _time, "about-reported": _time,
    "left": _state_since, "held": _state_since, "ban-removal": _removal,
}  # fmt: skip
#: What reads each of FIELDS; it is a text if nothing is said.
_READS = tuple(_READ.get(name, _text) for name in FIELDS)


def banned_now(attempt: Attempt, reason: str) -> dict[str, str]:
    """Return the changes of a member's fields that ban them for a *reason*, which ends all their sessions."""
    return {"banned": attempt.now.split(".")[0], "ban-reason": reason, "session": new_session_id()}


def new_password(
    attempt: Attempt, name: str, password_hash: str, session_id: str, *, keeps_codes: bool = False
) -> list[Command]:
    """Return the writes that give a member another password, of which the inbox tells.

    It ends what others who had the account may have made to come back: all sessions, the addresses of feeds, an address
    for mail that waits for its link and, unless *keeps_codes*, the recovery codes.
    """
    attempt.tell(name, AccountChange.PASSWORD)
    user, ended = attempt.keys.user(name), ["email-pending", *([] if keeps_codes else ["recovery"])]
    new = ("HSET", user, "password", password_hash, "session", session_id)
    return [new, ("HDEL", user, *ended), *end_feeds(attempt, name)]


def new_session_id() -> str:
    """Return a new random session id of a member: all sessions that carry another one have ended."""
    return secrets.token_urlsafe(9)
