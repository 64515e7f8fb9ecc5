"""Checks of settings that need more than a bound: names of sites, public addresses, and names that look misspelt."""

import re
from collections.abc import Sequence
from ipaddress import IPv6Address

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
