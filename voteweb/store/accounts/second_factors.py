"""Second factors of members: turned on by a first code, asked for at log-in, turned off by another code."""

import pyotp

from voteweb.core import passwords
from voteweb.core.comments import AccountChange, NoticeKind
from voteweb.core.errors import CodeNeeded, CodeUsed, SecondFactorOn
from voteweb.core.mail import PendingEmail
from voteweb.core.models import LogEntry, Role, User
from voteweb.core.names import name_key
from voteweb.core.second_factor import SecondFactor, authenticator, find_step, parse
from voteweb.store.accounts.mail import Mail
from voteweb.store.accounts.secret_links import Passwords
from voteweb.store.accounts.users import read_logged_in, read_present_member
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.site.context import StorePart, act

FIELD = "second-factor"


class SecondFactors(StorePart):
    """The second factors of one site's members, in the field of that name."""

    def authenticator(self, member: User, nonce: str) -> pyotp.TOTP:
        """Return what makes the codes of *member* with this *nonce*."""
        return authenticator(self._settings.secret_key, member.id, nonce)

    @act(Role.MEMBER, when_full=True)
    def turn_on(self, attempt: Attempt, actor: User, nonce: str, typed: str) -> list[Command]:
        """Turn on the second factor of *nonce*, of which a code is *typed*; that code is used up.

        Raises CodeNeeded, SecondFactorOn, LoggedOut.
        """
        user, stored = read_logged_in(attempt, actor)
        if user.second_factor:
            raise SecondFactorOn()
        step = find_step(self.authenticator(user, nonce), typed, float(attempt.now))
        if step is None:
            raise CodeNeeded(CodeNeeded.wrong)
        attempt.tell(user.name, AccountChange.SECOND_FACTOR)
        return stored.change({FIELD: str(SecondFactor(nonce, step))})

    @act(when_full=True)
    def use_code(self, attempt: Attempt, member: User, typed: str) -> list[Command]:
        """Use up what is *typed*, a code of the app or a recovery code; each is accepted once.

        Raises CodeNeeded for any other text, and LoggedOut.
        """
        return self._use(attempt, member, typed)

    @act(Role.MEMBER, when_full=True)
    def turn_off(self, attempt: Attempt, actor: User, typed: str) -> list[Command]:
        """Turn off the second factor of *actor* with a code; raises what :meth:`use_code` does."""
        used = self._use(attempt, actor, typed)
        attempt.tell(actor.name, AccountChange.SECOND_FACTOR_OFF)
        return [*used, ("HDEL", self._keys.user(actor.name), FIELD)] if used else []

    @act(when_full=True)
    def remove(self, attempt: Attempt, name: str, entry: LogEntry) -> list[Command]:
        """Turn off the second factor of a member, for the operator; tell whether there was one.

        The member finds the log *entry* in the inbox. Raises NoSuchMember.
        """
        member, stored = read_present_member(attempt, name)
        attempt.told = [(NoticeKind.ROLE, name_key(name))]
        return stored.change({FIELD: None}) if member.second_factor else []

    @act(when_full=True)
    def restore_mail(
        self, attempt: Attempt, member: User, link: PendingEmail, language: str, typed: str | None
    ) -> list[Command]:
        """Make the former address of *link* that of *member* again, by a code that is *typed*; None: by the password.

        Raises CodeNeeded, LinkOutOfDate, LoggedOut.
        """
        user, _ = read_logged_in(attempt, member)
        used = [] if typed is None else self.take(attempt, user, typed)
        restored = Mail(self._context).replace_by_former(attempt, user.name, link, link.address)
        return [*used, *restored, ("HSET", self._keys.user(user.name), "email-language", language)]

    def _use(self, attempt: Attempt, member: User, typed: str) -> list[Command]:
        """Return the writes after which the code that is *typed* is used up; none if no code is needed any more."""
        user, _ = read_logged_in(attempt, member)
        return self.take(attempt, user, typed) if user.second_factor else []

    def take(self, attempt: Attempt, user: User, typed: str) -> list[Command]:
        """Return the writes after which a code of *user* that is *typed*, of the app or for recovery, is used up.

        Raises CodeNeeded for any other text.
        """
        stored = parse(user.second_factor)
        step = find_step(self.authenticator(user, stored.nonce), typed, float(attempt.now)) if stored else None
        if stored and step is not None:
            if step <= stored.step:
                raise CodeNeeded(CodeNeeded.used)
            return [("HSET", self._keys.user(user.name), FIELD, str(stored._replace(step=step)))]
        try:
            taken, _ = Passwords(self._context).take_code(attempt, user, passwords.read(typed))
        except CodeUsed:
            raise CodeNeeded(CodeNeeded.wrong) from None
        return [taken]
