"""Programs: those to which members gave a token, with which they act for them over the API.

A token is ``vw_<name>.<secret>``: the key of the member's name in base64url, and 32 random bytes in base64url. Only a
digest of the secret is stored, with the session id of the member: a new one ends all tokens at once, as it ends all
sessions.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from math import ceil
from typing import Any

from voteweb.core import clock, config
from voteweb.core.comments import AccountChange, NoticeKind
from voteweb.core.errors import TooManyPrograms
from voteweb.core.models import LogEntry, Program, ProgramCall, Right, Role, User, Voter
from voteweb.core.names import name_key
from voteweb.core.validation import is_member_key
from voteweb.store.accounts.sessions import OWNER_FIELD, digest
from voteweb.store.accounts.users import read_logged_in
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.values import format_program, parse_program
from voteweb.store.site.context import StorePart, act

_PREFIX = "vw_"
#: It is that of nobody: a token without a name is looked up as long as any other.
_NOBODY = "?"
_DAY = 86_400


def new_token(name: str) -> str:
    """Return a new token of a program of the member *name*."""
    return f"{_PREFIX}{_text(name_key(name).encode())}.{_text(secrets.token_bytes(32))}"


def split_token(token: str) -> tuple[str, str]:
    """Return the key of the name and the secret in *token*; those of nobody for what is no token."""
    name, _, secret = token.removeprefix(_PREFIX).partition(".")
    if not token.startswith(_PREFIX) or len(token) > config.MAX_PROGRAM_TOKEN_LENGTH or not (name and secret):
        return _NOBODY, ""
    try:
        key = urlsafe_b64decode(f"{name}{'=' * (-len(name) % 4)}").decode()
    except ValueError:
        return _NOBODY, ""
    return (key, secret) if is_member_key(key) and _text(key.encode()) == name else (_NOBODY, "")


def program_values(user: User) -> dict[str, str]:
    """Return the values with which a script checks the program that acts for *user*, if one does."""
    call = user.call
    return {
        "program": call.program if call else "",
        "body": call.body if call else "",
    }


class Programs(StorePart):
    """The programs of one site's members."""

    @act(Role.MEMBER, when_full=True)
    def add(
        self, attempt: Attempt, actor: User, token: str, name: str, rights: Iterable[Right], days: int
    ) -> list[Command]:
        """Give the program *name* these *rights* by *token* for so many *days*; the inbox tells of it.

        Raises TooManyPrograms, LoggedOut, Held.
        """
        key = self._keys.programs(actor.name)
        read_logged_in(attempt, actor)
        stored, now = attempt.value("HGETALL", key), int(float(attempt.now))
        known = self._parse_all(stored, actor.session, now)
        if len(known) >= config.MAX_PROGRAMS:
            raise TooManyPrograms(max=config.MAX_PROGRAMS)
        new = Program(digest(split_token(token)[1]), name, tuple(rights), now, now + days * _DAY, now)
        attempt.tell(actor.name, AccountChange.PROGRAM)
        programs = [*known, new]
        fields = {OWNER_FIELD: actor.session, **{program.digest: format_program(program) for program in programs}}
        end = ceil(max(program.until for program in programs))
        return [("UNLINK", key), ("HSET", key, *chain.from_iterable(fields.items())), ("EXPIREAT", key, end)]

    @act(Role.MEMBER, when_full=True)
    def withdraw(self, attempt: Attempt, program: str, *, actor: User) -> list[Command]:
        """End the token with the digest *program* of a program of *actor*."""
        writes = self._end(attempt, actor.name, program)
        attempt.tell(actor.name, AccountChange.PROGRAM_ENDED)
        return writes

    @act(Role.ADMIN, when_full=True)
    def end_of_other(self, attempt: Attempt, name: str, program: str, entry: LogEntry, *, actor: User) -> list[Command]:
        """End, for the admin *actor*, the token with the digest *program* of a program of the member *name*.

        The member finds the log *entry* in the inbox.
        """
        writes = self._end(attempt, name, program)
        attempt.told = [(NoticeKind.ROLE, name_key(name))]
        return writes

    def _end(self, attempt: Attempt, name: str, program: str) -> list[Command]:
        key = self._keys.programs(name)
        if parse_program(program, attempt.value("HGET", key, program) or "") is None:
            return []
        return [("HDEL", key, program)]

    @act(when_full=True, remembers=False)
    def note_use(self, attempt: Attempt, name: str, program: str) -> list[Command]:
        """Note that a program of the member *name* is used now, unless a use was noted in the last day."""
        key = self._keys.programs(name)
        found = parse_program(program, attempt.value("HGET", key, program) or "")
        now = float(attempt.now)
        if found is None or found.made < found.used > now - config.SESSION_USE_SECONDS:
            return []
        # The time at which it was made stands for no use.
        return [("HSET", key, program, format_program(found._replace(used=max(now, found.made + 1))))]

    def find_command(self, name: str, token_digest: str) -> Command:
        """Return the command that reads a program of the member *name*, for :meth:`parse`."""
        return ("HMGET", self._keys.programs(name), OWNER_FIELD, token_digest)

    def parse(self, voter: Voter, token_digest: str, owner: str | None, value: str | None) -> Program | None:
        """Return the program that acts for *voter*, None if it has ended, from the reply to :meth:`find_command`."""
        program = parse_program(token_digest, value or "") if owner == voter.session else None
        return program if program and clock.now() < program.until else None

    def queue_find_voter(self, pipeline: Pipeline, token: str) -> Future[Voter | None]:
        """Queue a read of the member whose program has *token*; None if nobody's has, whatever is wrong with it."""
        name, secret = split_token(token)
        reads = [("HMGET", self._keys.user(name), "id", "name", "session"), self.find_command(name, digest(secret))]

        def parse(replies: list[Any]) -> Voter | None:
            (id, stored_name, session), (owner, value) = replies
            voter = Voter(int(id), stored_name, session, secret) if session and str(id).isdecimal() else None
            program = self.parse(voter, digest(secret), owner, value) if voter else None
            call = ProgramCall(program.digest, Right.READ, program.rights) if program else None
            return replace(voter, call=call) if voter and call else None

        return pipeline.queue(reads, parse)

    def queue_all(self, pipeline: Pipeline, name: str) -> Future[list[Program]]:
        """Queue a read of all programs of the member *name*, the last used first."""
        reads = [("HGET", self._keys.user(name), "session"), ("HGETALL", self._keys.programs(name))]
        return pipeline.queue(reads, lambda replies: self._parse_all(replies[1], replies[0] or "", clock.now()))

    def count(self) -> int:
        """Return how many tokens of programs of all members are valid."""
        names = Scanner(self._connection).names("programs")
        return sum(len(self._connection.read(self.queue_all, name)) for name in names)

    def _parse_all(self, fields: Mapping[str, str], session: str, now: float) -> list[Program]:
        stored = fields.items() if fields.get(OWNER_FIELD) == session else ()
        programs = [parse_program(name, value) for name, value in stored if name != OWNER_FIELD]
        present = [program for program in programs if program and now < program.until]
        return sorted(present, key=lambda program: (-program.used, program.digest))


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
