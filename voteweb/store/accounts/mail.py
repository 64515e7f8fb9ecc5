"""Mail: the addresses of members, and the mails that wait to be sent.

A mail is queued as its kind and its member; what it says is made when it is sent. The attempt that sends it postpones
it by MAIL_CLAIM_SECONDS, so that two processes never send it at a time, and has it for as long as nothing else sets the
time at which it is due. A process that is killed between the server's answer and the note of it sends the mail once
more, with the same Message-ID.
"""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import redis

from voteweb.core import clock, config
from voteweb.core.comments import AccountChange
from voteweb.core.errors import LinkOutOfDate, OutboxFull
from voteweb.core.mail import MailAccount, MailKind, MailOutcome, PendingEmail, parse_former, parse_pending
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.values import finite_number
from voteweb.store.site.context import StorePart, act

#: The fields of a member that are about mail.
FIELDS = ("email", "email-pending", "email-language")
#: A field of ``mails:``, for a mail in ``outbox:``: when it was queued, and the number of attempts.
_STATE = re.compile(r"(\S+) ([0-9]+)\b")


class TakenMail(NamedTuple):
    """A mail that this process sends.

    ``since``: when it was queued. ``tries``: attempts, with this one. ``until``: when another process may send it.
    ``former`` and ``language``: of a mail to an address that was the member's, that address and its language, else "".
    """

    entry: str
    kind: MailKind | None
    name: str
    since: float
    tries: int
    until: float
    language: str = ""
    former: str = ""


class MailStatus(NamedTuple):
    """How many mails ended how, how many are due, and since when mails fail (0: they do not), with the last failure."""

    ended: dict[MailOutcome, int]
    due: int
    failing: float
    failure: str


class Mail(StorePart):
    """The mail of one site."""

    def queue_account(self, pipeline: Pipeline, name: str) -> Future[MailAccount]:
        """Queue a read of where a member gets mail."""
        return pipeline.queue(self._reads(name), lambda replies: _account(*replies))

    def _reads(self, name: str) -> list[Command]:
        return [("HMGET", self._keys.user(name), *FIELDS), ("GET", self._keys.former_mail(name))]

    @act(Role.MEMBER)
    def request(self, attempt: Attempt, actor: User, address: str, language: str) -> list[Command]:
        """Note the *address* that *actor* wants to get mail at, and have it sent a link.

        Raises OutboxFull, LoggedOut, Held.
        """
        entry = _entry(MailKind.CONFIRM, actor.name)
        if self._is_full(attempt, entry):
            raise OutboxFull()
        pending = PendingEmail(int(clock.now()) + config.EMAIL_SECONDS, secrets.token_urlsafe(9), address)
        wanted = ("email-pending", str(pending), "email-language", language)
        return [("HSET", self._keys.user(actor.name), *wanted), *self._put(entry, attempt.now)]

    @act(Role.MEMBER)
    def confirm(self, attempt: Attempt, actor: User, pending: PendingEmail) -> list[Command]:
        """Make the *pending* address that of *actor*, and have another one before it sent a mail that says so.

        Raises LinkOutOfDate, LoggedOut, Held.
        """
        account = _account(*attempt.read(*self._reads(actor.name)))
        if account.pending != pending or float(attempt.now) >= pending.until:
            raise LinkOutOfDate()
        attempt.not_after = pending.until
        return self._move(attempt, actor.name, account, pending.address)

    @act(Role.MEMBER, when_full=True)
    def remove(self, attempt: Attempt, actor: User) -> list[Command]:
        """Forget the addresses of *actor*; a confirmed one is sent a mail that says so. Raises LoggedOut, Held."""
        account = _account(*attempt.read(*self._reads(actor.name)))
        return self._move(attempt, actor.name, account, "")

    @act(Role.MEMBER, when_full=True)
    def end_link(self, attempt: Attempt, name: str, nonce: str, *, actor: User | None) -> list[Command]:
        """Forget the address of a member whose link has this *nonce*, one that waits for it or a former one.

        *actor* is the member, None for whoever has got the mail. Raises LoggedOut, Held.
        """
        account = _account(*attempt.read(*self._reads(name)))
        if account.pending and account.pending.nonce == nonce:
            return [("HDEL", self._keys.user(name), "email-pending")]
        return self._set_former(name, account, [link for link in account.former if link.nonce != nonce])

    @act(when_full=True)
    def take_away(self, attempt: Attempt, name: str, link: PendingEmail) -> list[Command]:
        """Forget the present addresses of a member by the *link* of a former one. Raises LinkOutOfDate."""
        return self.replace_by_former(attempt, name, link, "")

    def replace_by_former(self, attempt: Attempt, name: str, link: PendingEmail, address: str) -> list[Command]:
        """Return the writes that make *address* that of a member by the *link* of a former one; raise LinkOutOfDate."""
        account = _account(*attempt.read(*self._reads(name)))
        if link not in account.former or float(attempt.now) >= link.until:
            raise LinkOutOfDate()
        attempt.not_after = link.until
        return self._move(attempt, name, account, address, gives_link=False)

    def _move(
        self, attempt: Attempt, name: str, account: MailAccount, address: str, *, gives_link: bool = True
    ) -> list[Command]:
        """Return the writes that make *address*, "" for none, that of a member.

        A confirmed address before it gets a mail that says so, however many wait: whoever has stolen a session could
        fill the outbox. The mail has a link if it *gives_link*.
        """
        user, now = self._keys.user(name), int(float(attempt.now))
        writes = [("HDEL", user, *(FIELDS[1:2] if address else FIELDS)), *forget_mails(self._keys, name)]
        writes += [("HSET", user, "email", address)] if address else []
        if account.email == address:
            return writes
        attempt.tell(name, AccountChange.MAIL if address else AccountChange.MAIL_REMOVED)
        former = [link for link in account.former if now < link.until and link.address != address]
        if account.email:
            mail = f"{_entry(MailKind.CHANGED, name)} {account.language or 'en'} {account.email}"
            writes += self._put(mail, attempt.now)
            if gives_link and len(former) < config.MAX_FORMER_EMAILS:
                former.append(PendingEmail(now + config.FORMER_EMAIL_SECONDS, secrets.token_urlsafe(9), account.email))
        return [*writes, *self._set_former(name, account, former)]

    def _set_former(self, name: str, account: MailAccount, former: list[PendingEmail]) -> list[Command]:
        key = self._keys.former_mail(name)
        if former == list(account.former):
            return []
        return [("SET", key, ",".join(map(str, former)), "EXAT", former[-1].until) if former else ("UNLINK", key)]

    @act()
    def queue_reset(self, attempt: Attempt, name: str) -> list[Command]:
        """Queue the mail with a link for a new password of *name*, who may be no member or have no address.

        If too many mails wait, it is left out: the page that asked for it must not tell whether there is an address.
        """
        entry = _entry(MailKind.RESET, name)
        waits = attempt.value("ZSCORE", self._keys.outbox(), entry)
        return [] if waits is not None or self._is_full(attempt, entry) else self._put(entry, attempt.now)

    def _is_full(self, attempt: Attempt, entry: str) -> bool:
        """Tell whether the outbox takes no further mail, of which *entry* is none if it waits already."""
        outbox, last = self._keys.outbox(), config.MAX_OUTBOX - 1
        # Unlike the number of mails, this changes only when the outbox becomes full.
        waits, more = attempt.read(("ZSCORE", outbox, entry), ("ZRANGE", outbox, last, last))
        return waits is None and bool(more)

    def _put(self, entry: str, now: str) -> list[Command]:
        """Return the writes that queue a mail, in place of one that waits."""
        return [("ZADD", self._keys.outbox(), now, entry), ("HSET", self._keys.mails(), entry, f"{now} 0")]

    def take(self) -> TakenMail | None:
        """Take the mail that is due next for MAIL_CLAIM_SECONDS; None for none."""
        keys, taken = self._keys, list[TakenMail]()

        def decide(attempt: Attempt) -> list[Command]:
            attempt.read()  # it tells the time
            due = attempt.value("ZRANGEBYSCORE", keys.outbox(), "-inf", attempt.now, "LIMIT", 0, 1)
            if not due:
                return []
            entry, stored = due[0], attempt.value("HGET", keys.mails(), due[0])
            state, until = _STATE.match(stored or ""), float(attempt.now) + config.MAIL_CLAIM_SECONDS
            since, tries = (state[1], int(state[2]) + 1) if state else (attempt.now, 1)
            kind, name, language, former = [*entry.split(" "), "", "", ""][:4]
            known = MailKind(kind) if kind in set(MailKind) else None
            taken[:] = [TakenMail(entry, known, name, finite_number(since) or 0.0, tries, until, language, former)]
            return [("ZADD", keys.outbox(), repr(until), entry), ("HSET", keys.mails(), entry, f"{since} {tries}")]

        return taken[0] if commit(self._connection, decide) else None

    @act(remembers=False)
    def finish(
        self, attempt: Attempt, mail: TakenMail, outcome: MailOutcome, seconds: int | None, failure: str = ""
    ) -> list[Command]:
        """Note how the attempt to send *mail* ended, and in how many *seconds* it is tried again, None for never.

        Tell whether it was still this process's. *failure* is shown to everybody.
        """
        outbox, mails, status = self._keys.outbox(), self._keys.mails(), self._keys.mail_status()
        due = attempt.value("ZSCORE", outbox, mail.entry)
        if due is None or float(due) != mail.until:
            return []
        writes: list[Command] = [("HINCRBY", status, outcome, 1)]
        if seconds is None:
            writes += [("ZREM", outbox, mail.entry), ("HDEL", mails, mail.entry)]
        else:
            writes.append(("ZADD", outbox, f"{float(attempt.now) + seconds:.6f}", mail.entry))
        if outcome in (MailOutcome.SENT, MailOutcome.REFUSED):
            writes.append(("HDEL", status, "failing", "failure"))
        elif outcome is not MailOutcome.NOTHING:
            writes += [("HSETNX", status, "failing", attempt.now), ("HSET", status, "failure", failure)]
        return writes

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


def _account(stored: Sequence[str | None], former: str | None) -> MailAccount:
    email, pending, language = (value or "" for value in stored)
    return MailAccount(email, parse_pending(pending), language, parse_former(former or ""))


def forget_mails(keys: Keys, name: str) -> list[Command]:
    """Return the writes that take the mails to a member's present addresses out of the outbox."""
    waiting = [_entry(kind, name) for kind in (MailKind.CONFIRM, MailKind.RESET)]
    return [("ZREM", keys.outbox(), *waiting), ("HDEL", keys.mails(), *waiting)]
