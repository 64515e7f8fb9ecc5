"""Sessions: those that each member has open, which log-out ends on the server too, and the log-ins of 30 days.

A session's cookie holds its token and the member's session id, the field ``session`` of the member. Only a digest of
the token is stored. A new session id of the member ends all sessions at once; what is stored of them goes with the next
log-in, or expires. Attempts to log in are kept for admins, bounded in number and age by each write.
"""

import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from math import ceil
from typing import Any

from voteweb.core import clock, config
from voteweb.core.errors import LoggedOut
from voteweb.core.models import LogIn, LogInOutcome, Page, Session, User, Voter
from voteweb.core.names import name_key
from voteweb.store.accounts.users import FIELDS, check_logged_in, new_session_id, parse_user, read_logged_in
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import batched
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.rows import members_of, queue_page

#: The field that holds the session id of the member to which all sessions, or programs, of a hash belong.
OWNER_FIELD = "of"
_DIGEST_BYTES = 15


class Sessions(StorePart):
    """The open sessions of the members of one site, and the attempts to log in."""

    @act(when_full=True)
    def open(self, attempt: Attempt, user: User, token: str, browser: str = "") -> list[Command]:
        """Open a session of *user*, who has just given the password; of too many, the last ones used stay.

        Raises LoggedOut if sessions with this id of the member have ended, or if the member is banned.
        """
        key, own = self._keys.sessions(user.name), digest(token)
        member, stored = attempt.read(("HMGET", self._keys.user(user.name), *FIELDS), ("HGETALL", key))
        check_logged_in(user, parse_user(member))
        others = self._parse_all(stored, user.session)
        if own in {session.digest for session in others}:
            return []
        value = f"{int(float(attempt.now))},0,0,{browser}"
        stay = [session.digest for session in others[: config.MAX_SESSIONS - 1]]
        fields = {OWNER_FIELD: user.session, own: value, **{session: stored[session] for session in stay}}
        ends = max(map(self.end_of, self._parse_all(fields, user.session)))
        return [("UNLINK", key), ("HSET", key, *chain.from_iterable(fields.items())), ("EXPIREAT", key, ceil(ends))]

    def find_command(self, name: str, token_digest: str) -> Command:
        """Return the command that reads a session of the member *name*, for :meth:`parse`."""
        return ("HMGET", self._keys.sessions(name), OWNER_FIELD, token_digest)

    def parse(self, voter: Voter, token_digest: str, owner: str | None, value: str | None) -> Session | None:
        """Return the session of *voter*, None if it has ended, from the reply to :meth:`find_command`."""
        return self._parse(token_digest, value) if owner == voter.session else None

    def queue_use(self, pipeline: Pipeline, voter: Voter, *, checked: bool = False) -> Future[Session | None]:
        """Queue a note that the session of *voter* is used, at most one a day; None if it has ended.

        *checked*: the member has just given the password.
        """
        token_digest = digest(voter.token)

        def parse(reply: Sequence[str]) -> Session | None:
            status, *values = reply
            return self._parse(token_digest, values[0]) if status == "open" else None

        command = scripts.call(
            self._keys,
            "use_session",
            name=voter.name,
            session=voter.session,
            digest=token_digest,
            checked="checked" if checked else "",
            idle_seconds=self._settings.session_seconds,
        )
        return pipeline.queue_one(command, parse)

    def queue_all(self, pipeline: Pipeline, user: User) -> Future[list[Session]]:
        """Queue a read of all open sessions of *user*, the last used first."""
        key = self._keys.sessions(user.name)
        return pipeline.queue_one(("HGETALL", key), lambda reply: self._parse_all(reply, user.session))

    @act()
    def end(self, attempt: Attempt, name: str, token_digest: str) -> list[Command]:
        """End one session of the member *name*; return whether it was open."""
        key = self._keys.sessions(name)
        value = attempt.value("HGET", key, token_digest)
        return [("HDEL", key, token_digest)] if self._parse(token_digest, value) else []

    def end_others(self, voter: Voter) -> str:
        """End all sessions of a member but that of *voter*; return the new session id, for its cookie.

        Raises LoggedOut.
        """
        session_id, token_digest = new_session_id(), digest(voter.token)
        user_key, key = self._keys.user(voter.name), self._keys.sessions(voter.name)

        def decide(attempt: Attempt) -> list[Command]:
            read_logged_in(attempt, voter)
            owner, value = attempt.value(*self.find_command(voter.name, token_digest))
            stays = self.parse(voter, token_digest, owner, value)
            if stays is None:
                raise LoggedOut()
            return [
                ("HSET", user_key, "session", session_id),
                ("UNLINK", key),
                ("HSET", key, OWNER_FIELD, session_id, token_digest, value),
                ("EXPIREAT", key, ceil(self.end_of(stays))),
            ]

        commit(self._connection, decide, when_full=True)
        return session_id

    def _parse_all(self, fields: Mapping[str, str], owner: str) -> list[Session]:
        """Return the open sessions of the session id *owner* of a member, the last used first."""
        stored = fields.items() if fields.get(OWNER_FIELD) == owner else ()
        sessions = [self._parse(token_digest, value) for token_digest, value in stored]
        return sorted(filter(None, sessions), key=lambda session: (-session.used, session.digest))

    def _parse(self, token_digest: str, value: str | None) -> Session | None:
        """Return the session of a stored *value*, None if it has ended."""
        try:
            began, used, checked, browser = (value or "").split(",")[:4]
            session = Session(
                token_digest,
                began=float(began),
                used=float(began) + float(used),
                checked=float(began) + float(checked) if checked else 0.0,
                browser=browser.replace("/", ", "),
            )
        except ValueError:  # an ended one, or another program's value
            return None
        is_time = max(session.began, session.used, session.checked) < config.MAX_TIME
        return session if is_time and clock.now() < self.end_of(session) else None

    def end_of(self, session: Session) -> float:
        """Return the unix time at which *session* ends if it is not used again."""
        return min(session.used + self._settings.session_seconds, session.began + config.MAX_SESSION_SECONDS)

    def note_log_in(self, name: str, outcome: LogInOutcome, network: str, browser: str) -> None:
        """Note an attempt to log in as the member *name*, "" if there is none; *network* is a digest of theirs."""
        # The random part makes two of one moment different; with the same, it changes nothing again.
        entry = json.dumps([name, outcome.value, network, browser, secrets.token_hex(4)], separators=(",", ":"))
        now, own = clock.now(), self._keys.member_log_ins(name) if name else ""
        commands = list[Command]()
        for key in filter(None, (self._keys.log_ins(), own)):
            commands += [
                ("ZADD", key, "NX", now, entry),
                ("EXPIRE", key, config.LOG_IN_SECONDS),
                ("ZREMRANGEBYSCORE", key, "-inf", f"({now - config.LOG_IN_SECONDS}"),
            ]
        commands.append(("ZREMRANGEBYRANK", self._keys.log_ins(), 0, -config.MAX_LOG_INS - 1))
        replies = self._connection.run([*commands, *([("ZREVRANGE", own, 0, -1)] if own else [])])
        if own:
            # Those that logged in and the others are bounded apart: whoever knows no password cannot push out the trace
            # of who did.
            rows = zip(replies[-1], _log_ins((text, 0) for text in replies[-1]), strict=True)
            is_in = outcome is LogInOutcome.IN
            alike = [text for text, row in rows if (row is not None and row.outcome is LogInOutcome.IN) is is_in]
            if oldest := alike[config.MAX_MEMBER_LOG_INS :]:
                self._connection.command("ZREM", own, *oldest)

    def queue_log_ins(self, pipeline: Pipeline, number: int, name: str = "") -> Future[Page[LogIn]]:
        """Queue a read of page *number* (from 1) of attempts to log in, as the member *name* if any, newest first."""
        key = self._keys.member_log_ins(name) if name else self._keys.log_ins()
        return queue_page(pipeline, number, config.LOG_IN_PAGE_SIZE, members_of(key, "WITHSCORES"), _log_ins)

    def log_ins_of(self, name: str) -> list[LogIn]:
        """Return all attempts to log in as the member *name*, the newest first."""
        own = self._connection.command("ZREVRANGE", self._keys.member_log_ins(name), 0, -1, "WITHSCORES")
        known = dict([*own, *self._pairs_of(name)])
        return sorted(filter(None, _log_ins(known.items())), key=lambda row: row.time, reverse=True)

    def forget_log_ins(self, name: str) -> None:
        """Forget all attempts to log in as the member *name*, who leaves."""
        for entries in batched(text for text, _ in self._pairs_of(name)):
            self._connection.command("ZREM", self._keys.log_ins(), *entries)
        self._connection.command("UNLINK", self._keys.member_log_ins(name))

    def _pairs_of(self, name: str) -> list[Any]:
        pairs = self._connection.command("ZREVRANGE", self._keys.log_ins(), 0, -1, "WITHSCORES")
        rows = zip(pairs, _log_ins(pairs), strict=True)
        return [pair for pair, row in rows if row and name_key(row.name) == name_key(name)]


def digest(token: str) -> str:
    """Return what is stored of a session's *token*; "" for none."""
    return urlsafe_b64encode(sha256(token.encode()).digest()[:_DIGEST_BYTES]).decode() if token else ""


def _log_ins(pairs: Iterable[Any]) -> Iterator[LogIn | None]:
    """Yield the log-in of each of *pairs* of entry and time, None for one that another program wrote."""
    for text, time in pairs:
        try:
            name, outcome, network, browser, _ = json.loads(text)
            yield LogIn(float(time), str(name), LogInOutcome(outcome), str(network), str(browser))
        except (ValueError, TypeError):
            yield None
