"""Mail: its kinds, and the addresses that members type."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.errors import N_, Invalid
from voteweb.core.setting_checks import is_email


class MailKind(StrEnum):
    """The kinds of mails: two that a member asks for, and one that warns.

    CHANGED goes to an address that was the member's, when it is not any more.
    """

    CONFIRM = "confirm"
    RESET = "reset"
    CHANGED = "changed"


class MailOutcome(StrEnum):
    """The end of one attempt to send a mail.

    SENT: the server accepted it. NOTHING: there is no need for it. REFUSED: the server accepts no mail to this address.
    FAILED: it is tried again. DROPPED: it failed too often.
    """

    SENT = "sent"
    NOTHING = "nothing"
    REFUSED = "refused"
    FAILED = "failed"
    DROPPED = "dropped"


class PendingEmail(NamedTuple):
    """An address that its member has not confirmed, ``until`` when they can, and random characters of its link."""

    until: int
    nonce: str
    address: str

    def __str__(self) -> str:
        return f"{self.until} {self.nonce} {self.address}"


@dataclass(frozen=True, slots=True)
class MailAccount:
    """Where a member gets mail ("" for nowhere), and in which language."""

    email: str = ""
    pending: PendingEmail | None = None
    language: str = ""


def email_address(typed: str) -> str:
    """Return *typed* as an e-mail address; raise Invalid if it is none that this site can write to."""
    stripped = typed[: config.MAX_EMAIL_LENGTH + 100].strip()
    if not is_email(stripped):
        raise Invalid(
            N_("This is no e-mail address such as name@example.org, in ASCII and of at most %(max)s characters."),
            max=config.MAX_EMAIL_LENGTH,
        )
    return stripped


def parse_pending(stored: str) -> PendingEmail | None:
    """Return the value of the field ``email-pending`` of a member, None for nothing and for another text."""
    until, nonce, address = [*stored.split(" "), "", "", ""][:3]
    is_whole = until.isascii() and until.isdigit() and len(until) < 12 and nonce and is_email(address)
    return PendingEmail(int(until), nonce, address) if is_whole else None


def retry_seconds(tries: int) -> int:
    """Return the seconds until a mail is tried again after it failed *tries* times."""
    return int(min(config.MAIL_RETRY_SECONDS * 2 ** max(tries - 1, 0), config.MAX_MAIL_RETRY_SECONDS))


#: For each field of a member that is about mail, whether a value is one that this site stores; "" for none.
FIELD_CHECKS: dict[str, Callable[[str], bool]] = {
    "email": lambda stored: not stored or is_email(stored),
    "email-pending": lambda stored: not stored or parse_pending(stored) is not None,
}
