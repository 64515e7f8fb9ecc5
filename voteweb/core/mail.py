"""Mail: its kinds, the server that takes it, and the addresses that members type."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from voteweb.core import config
from voteweb.core.addresses import is_local_host
from voteweb.core.errors import N_, ConfigError, Invalid

#: An address as nearly all are, in ASCII: nothing in it can end a header or begin another one. Domains in other scripts
#: are written as xn--….
_ADDRESS = re.compile(
    r"(?=.{6,254}\Z)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)
_MAX_LOCAL_LENGTH = 64
_PORTS = {"smtp": 587, "smtps": 465}


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
    """An address with a link: its member can confirm it or, of a former one, take back the one after it.

    ``until`` is when the link ends, ``nonce`` its random characters.
    """

    until: int
    nonce: str
    address: str

    def __str__(self) -> str:
        return f"{self.until} {self.nonce} {self.address}"


class MailAccount(NamedTuple):
    """Where a member gets mail ("" for nowhere), and in which language; the ``former`` addresses whose links work."""

    email: str = ""
    pending: PendingEmail | None = None
    language: str = ""
    former: tuple[PendingEmail, ...] = ()


class MailServer(NamedTuple):
    """A server that takes mails: over TLS from the beginning (``is_tls``), or after STARTTLS (``needs_starttls``)."""

    host: str
    port: int
    user: str
    password: str
    is_tls: bool
    needs_starttls: bool


def is_email(text: str) -> bool:
    """Tell whether *text* is an e-mail address that this site can write to."""
    return _ADDRESS.fullmatch(text) is not None and text.index("@") <= _MAX_LOCAL_LENGTH


def parse_server(url: str) -> MailServer:
    """Return the server that VOTEWEB_MAIL_URL names; raise ConfigError, without the password, if it names none.

    A password, and any mail to another machine, is sent only over TLS.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in _PORTS or not host or port == 0 or parts.path not in ("", "/") or parts.query:
        raise ConfigError(
            "VOTEWEB_MAIL_URL must be smtp://user:password@host:587 or smtps://user:password@host:465, with special "
            "characters of user and password percent-encoded."
        )
    is_tls, user = parts.scheme == "smtps", unquote(parts.username or "")
    password = unquote(parts.password or "")
    needs_starttls = not is_tls and (bool(user) or not is_local_host(host))
    return MailServer(host, port or _PORTS[parts.scheme], user, password, is_tls, needs_starttls)


def check_mail(url: str, sender: str, site_url: str) -> None:
    """Raise ConfigError unless the settings of mail are complete, or there are none."""
    if not url:
        return
    parse_server(url)
    if not is_email(sender):
        raise ConfigError("VOTEWEB_MAIL_FROM must be the address that mails come from, such as news@news.example.")
    if not site_url:
        raise ConfigError("VOTEWEB_MAIL_URL needs VOTEWEB_SITE_URL: the links in mails lead there.")


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


def parse_former(stored: str) -> tuple[PendingEmail, ...]:
    """Return the former addresses of a member, the oldest first; no address contains the comma between them."""
    return tuple(filter(None, map(parse_pending, stored.split(","))))


def are_former(stored: str) -> bool:
    return ",".join(map(str, parse_former(stored))) == stored


def retry_seconds(tries: int) -> int:
    """Return the seconds until a mail is tried again after it failed *tries* times."""
    return int(min(config.MAIL_RETRY_SECONDS * 2 ** max(tries - 1, 0), config.MAX_MAIL_RETRY_SECONDS))


#: For each field of a member that is about mail, whether a value is one that this site stores; "" for none.
FIELD_CHECKS: dict[str, Callable[[str], bool]] = {
    "email": lambda stored: not stored or is_email(stored),
    "email-pending": lambda stored: not stored or parse_pending(stored) is not None,
}
