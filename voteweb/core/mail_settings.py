"""The settings of mail: the server that VOTEWEB_MAIL_URL names, and addresses that this site can write to."""

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from voteweb.core.errors import ConfigError

#: An address as nearly all are, in ASCII: nothing in it can end a header or begin another one. Domains in other scripts
#: are written as xn--….
_ADDRESS = re.compile(
    r"(?=.{6,254}\Z)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)
_MAX_LOCAL_LENGTH = 64
_PORTS = {"smtp": 587, "smtps": 465}


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
    needs_starttls = not is_tls and (bool(user) or not _is_local(host))
    return MailServer(host, port or _PORTS[parts.scheme], user, password, is_tls, needs_starttls)


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_mail(url: str, sender: str, site_url: str) -> None:
    """Raise ConfigError unless the settings of mail are complete, or there are none."""
    if not url:
        return
    parse_server(url)
    if not is_email(sender):
        raise ConfigError("VOTEWEB_MAIL_FROM must be the address that mails come from, such as news@news.example.")
    if not site_url:
        raise ConfigError("VOTEWEB_MAIL_URL needs VOTEWEB_SITE_URL: the links in mails lead there.")
