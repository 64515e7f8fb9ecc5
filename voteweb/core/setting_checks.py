"""Checks of settings that need more than a bound: names of sites, public addresses, and names that look misspelt."""

import re
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from voteweb.core.errors import ConfigError

#: Letters by which a name may differ from that of a setting and still be taken for a slip.
MAX_SLIPS = 2
_ORIGIN = re.compile(r"https?://(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?)(?P<port>:\d+)?/?")
#: The name of a site, which stands in each of its keys.
_SITE = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,31})?")


def is_site(name: str) -> bool:
    """Tell whether *name* can be that of a site; "" is the site without a name."""
    return _SITE.fullmatch(name) is not None


def is_origin(url: str) -> bool:
    """Tell whether *url* is http:// or https://, a host in ASCII and perhaps a port, without a path."""
    match = _ORIGIN.fullmatch(url)
    if not match:
        return False
    try:
        IPv6Address(match["ipv6"] or "::")
    except ValueError:
        return False
    return match["port"] is None or (len(match["port"]) <= 6 and 1 <= int(match["port"][1:]) <= 65_535)


def refuse_misspelt(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise ConfigError for the first of *names* that nearly is one of the *known* names."""
    for name in names:
        for wanted in known:
            if _is_slip(name, wanted):
                raise ConfigError(
                    "There is no setting %(name)s. Did you mean %(wanted)s? Rename or unset it.",
                    name=name,
                    wanted=wanted,
                )


def _is_slip(typed: str, wanted: str) -> bool:
    """Tell whether MAX_SLIPS letters at most were left out, added, exchanged for others or for their neighbour."""
    if abs(len(typed) - len(wanted)) > MAX_SLIPS:
        return False
    before: list[int] = []
    row = list(range(len(wanted) + 1))
    for i, letter in enumerate(typed, 1):
        two_before, before, row = before, row, [i]
        for j, other in enumerate(wanted, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, typed[i - 2]) == (wanted[j - 2], other):
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
    return row[-1] <= MAX_SLIPS


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
