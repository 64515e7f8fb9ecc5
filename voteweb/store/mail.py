"""Mail: the addresses of members, and the mails that wait to be sent.

A mail is queued as its kind and its member; what it says is made when it is sent. Each attempt takes the mail for
MAIL_CLAIM_SECONDS, so that two processes never send it at a time. A process that is killed between the server's answer
and the note of it sends the mail once more, with the same Message-ID.
"""

import secrets
from contextlib import suppress
from typing import NamedTuple

import redis

from voteweb.core import clock, config
from voteweb.core.mail import (
    MailAccount,
    MailKind,
    MailOutcome,
    PendingEmail,
    parse_pending,
)
from voteweb.core.mail_errors import LinkOutOfDate, OutboxFull
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import not_logged
from voteweb.store.numbers import finite_number

#: The fields of a member that are about mail.
FIELDS = ("email", "email-pending", "email-language")


class TakenMail(NamedTuple):
    """A mail that this process sends, and the token by which it is its own.

    ``since``: when it was queued. ``tries``: attempts, with this one.
    ``former`` and ``language``: of a mail to an address that was the member's, that address and its language, else "".
    """

    entry: str
    kind: MailKind | None
    name: str
    since: float
    tries: int
    claim: str
    language: str = ""
    former: str = ""


class MailStatus(NamedTuple):
    """How many mails ended how, how many are due, and since when mails fail (0: they do not), with the last failure."""

    ended: dict[MailOutcome, int]
    due: int
    failing: float
    failure: str


class Mail:
    """The mail of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def queue_account(self, pipeline: Pipeline, name: str) -> Future[MailAccount]:
        """Queue a read of where a member gets mail."""

        def parse(replies: list[list[str | None]]) -> MailAccount:
            email, pending, language = (value or "" for value in replies[0])
            return MailAccount(email, parse_pending(pending), language)

        return pipeline.queue([("HMGET", self._keys.user(name), *FIELDS)], parse)

    def account(self, name: str) -> MailAccount:
        """Return where a member gets mail."""
        pipeline = self._connection.pipeline()
        account = self.queue_account(pipeline, name)
        pipeline.execute()
        return account.result

    def request(self, member: User, address: str, language: str) -> None:
        """Note the *address* that *member* wants to get mail at, and have it sent a link.

        Raises OutboxFull, LoggedOut, Held.
        """
        keys, act = self._keys, not_logged(self._keys)
        checked = actor_arguments(keys, member, Role.MEMBER)
        pending = PendingEmail(int(clock.now()) + config.EMAIL_SECONDS, secrets.token_urlsafe(9), address)
        outcome = self._connection.script(
            "request_email",
            [keys.user(member.name), keys.outbox(), keys.mails(), *act.keys, *checked.keys],
            [
                *act.arguments,
                _entry(MailKind.CONFIRM, member.name),
                str(pending),
                language,
                config.MAX_OUTBOX,
                *checked.arguments,
            ],
        )
        if outcome.status == "full":
            raise OutboxFull()

    def confirm(self, member: User, pending: PendingEmail) -> None:
        """Make the *pending* address that of *member*, and have another one before it sent a mail that says so.

        Raises LinkOutOfDate, LoggedOut, Held.
        """
        act, checked = not_logged(self._keys), actor_arguments(self._keys, member, Role.MEMBER)
        outcome = self._connection.script(
            "confirm_email",
            [self._keys.user(member.name), self._keys.outbox(), self._keys.mails(), *act.keys, *checked.keys],
            [
                *act.arguments,
                str(pending),
                pending.until,
                pending.address,
                name_key(member.name),
                *checked.arguments,
            ],
        )
        if outcome.status == "unknown":
            raise LinkOutOfDate()

    def remove(self, member: User) -> None:
        """Forget the addresses of *member*; a confirmed one is sent a mail that says so. Raises LoggedOut, Held."""
        keys, act = self._keys, not_logged(self._keys)
        checked = actor_arguments(keys, member, Role.MEMBER)
        self._connection.script(
            "remove_email",
            [keys.user(member.name), keys.outbox(), keys.mails(), *act.keys, *checked.keys],
            [*act.arguments, name_key(member.name), *checked.arguments],
        )

    def queue_reset(self, name: str) -> None:
        """Queue the mail with a link for a new password of *name*, who may be no member or have no address.

        If too many mails wait, it is left out: the page that asked for it must not tell whether there is an address.
        """
        act = not_logged(self._keys)
        self._connection.script(
            "queue_mail",
            [self._keys.outbox(), self._keys.mails(), *act.keys],
            [*act.arguments, _entry(MailKind.RESET, name), config.MAX_OUTBOX],
        )

    def take(self) -> TakenMail | None:
        """Take the mail that is due next for MAIL_CLAIM_SECONDS; None for none."""
        keys = self._keys
        act, claim = not_logged(keys), secrets.token_urlsafe(9)
        outcome = self._connection.script(
            "take_mail", [keys.outbox(), keys.mails(), *act.keys], [*act.arguments, config.MAIL_CLAIM_SECONDS, claim]
        )
        if outcome.status != "taken":
            return None
        entry, since, tries = outcome.values
        kind, name, language, former = [*entry.split(" "), "", "", ""][:4]
        known = MailKind(kind) if kind in set(MailKind) else None
        return TakenMail(entry, known, name, finite_number(since) or 0.0, int(tries), claim, language, former)

    def finish(self, mail: TakenMail, outcome: MailOutcome, seconds: int | None, failure: str = "") -> bool:
        """Note how the attempt to send *mail* ended, and in how many *seconds* it is tried again, None for never.

        Tell whether it was still this process's. *failure* is shown to everybody.
        """
        keys = self._keys
        arguments = [mail.entry, mail.claim, outcome, "" if seconds is None else seconds, failure]
        outcome_keys = [keys.outbox(), keys.mails(), keys.mail_status()]
        return self._connection.script("finish_mail", outcome_keys, arguments).status == "done"

    def status(self) -> MailStatus:
        """Return how mails ended, and what waits."""
        keys, now = self._keys, clock.now()
        fields, due = self._connection.run([("HGETALL", keys.mail_status()), ("ZCOUNT", keys.outbox(), "-inf", now)])
        ended = {outcome: int(finite_number(fields.get(outcome)) or 0) for outcome in MailOutcome}
        return MailStatus(ended, due, finite_number(fields.get("failing")) or 0.0, fields.get("failure", ""))

    def warnings(self) -> list[str]:
        """Return that mails fail, if they do, in words that anybody may read."""
        with suppress(redis.ResponseError):
            status = self.status()
            if status.failing and clock.now() - status.failing >= config.MAIL_FAILING_SECONDS:
                return [f"Mails have not been sent for a while ({status.failure}): see the log of the background jobs."]
        return []


def _entry(kind: MailKind, name: str) -> str:
    return f"{kind} {name_key(name)}"
