"""Links: their host, their address for browsers, and the normalized form in which links are compared.

All are read by the parser of the WHATWG URL standard, as browsers do: no other code takes a link or a host apart.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from ada_url import URL

from voteweb.core import config, names

#: The name of a host that DNS can have, and "_", which the standard does not allow. Browsers read more, and open none.
_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|\[[0-9a-f:]+\]")
#: The beginning of a link up to its host, and the host as it was typed.
_TYPED_HOST = re.compile(r"https?:[/\\]*(?:[^/\\?#]*@)?([^/\\?#]*?)(?::[0-9]*)?(?:[/\\?#]|$)", re.IGNORECASE)
#: A character of a typed host, or the percent code of a byte.
_CHARACTER = re.compile("%[0-9a-f]{2}|.", re.IGNORECASE)
#: Links that were read last: a page asks three times for each of its rows, at 8 µs.
_KEPT = 2_048
_DOMAIN = re.compile(rf"[0-9a-z._:-]{{1,{config.MAX_HOST_LENGTH}}}")
#: A label in ASCII that stands for letters.
_PUNYCODE = re.compile(r"(?<![^.])xn--([0-9a-z-]{1,59})(?![^.])")
#: What people type for a domain, which is short: no address of a page.
_TYPED_DOMAIN = re.compile(r"[^/\\?#@\s]{1,500}")

#: Query parameters that track a reader and do not select the page.
TRACKING = frozenset({"fbclid", "gclid", "ref", "ref_src", "si"})
#: Prefixes of such parameters.
TRACKING_PREFIXES = ("utm_",)
#: Ports that a scheme implies.
DEFAULT_PORTS = frozenset({"", "80", "443"})
#: Mobile and short hosts of well-known sites, with the host that serves the same pages.
CANONICAL_HOSTS = {
    "m.youtube.com": "youtube.com",
    "music.youtube.com": "youtube.com",
    "mobile.twitter.com": "twitter.com",
    "m.twitter.com": "twitter.com",
    "x.com": "twitter.com",
    "mobile.x.com": "twitter.com",
    "m.facebook.com": "facebook.com",
    "old.reddit.com": "reddit.com",
    "new.reddit.com": "reddit.com",
    "m.reddit.com": "reddit.com",
    "i.reddit.com": "reddit.com",
    "en.m.wikipedia.org": "en.wikipedia.org",
    "de.m.wikipedia.org": "de.wikipedia.org",
    "fr.m.wikipedia.org": "fr.wikipedia.org",
    "es.m.wikipedia.org": "es.wikipedia.org",
    "zh.m.wikipedia.org": "zh.wikipedia.org",
    "ja.m.wikipedia.org": "ja.wikipedia.org",
    "m.imdb.com": "imdb.com",
    "m.medium.com": "medium.com",
}


class WebAddress(NamedTuple):
    """A link as browsers read it.

    ``host`` is a name or an IP address without brackets, in the one form that all spellings are mapped to; "" for one
    that no browser can open. ``authority`` also has the port, unless ``scheme`` implies it.
    """

    href: str
    scheme: str
    authority: str
    host: str
    port: str
    path: str
    query: str
    fragment: str
    has_user: bool


@lru_cache(maxsize=_KEPT)
def read(link: str, base: str | None = None) -> WebAddress:
    """Return *link*, on a page at *base*, as browsers read it; raise ValueError unless it is a URL of http or https."""
    url = URL(link, base)
    scheme, host = url.protocol.removesuffix(":"), url.hostname
    if scheme not in ("http", "https"):
        raise ValueError(f"no web address: {link[:100]!r}")
    is_host = len(host.removesuffix(".")) <= config.MAX_HOST_LENGTH and _HOST.fullmatch(host)
    return WebAddress(
        href=url.href,
        scheme=scheme,
        authority=url.host,
        host=host.strip("[]") if is_host else "",
        port=url.port,
        path=url.pathname,
        query=url.search.removeprefix("?"),
        fragment=url.hash.removeprefix("#"),
        has_user=bool(url.username or url.password),
    )


def host_of(link: str) -> str:
    """Return the host of *link*, an IPv6 address without brackets; "" if it has none."""
    try:
        return read(link).host
    except ValueError:  # another program may have stored it
        return ""


def misplaced(link: str) -> tuple[str, int]:
    """Return the first character of the host of a typed *link* that no host has, and its place in the link, from 1.

    It is "" if each alone could be there.
    """
    host = _TYPED_HOST.match(link)
    for match in _CHARACTER.finditer(host[1][: config.MAX_HOST_LENGTH]) if host else ():
        if match[0] not in "[]:" and not host_of(f"http://a{match[0]}a/"):
            return match[0], host.start(1) + match.start() + 1 if host else 0
    return "", 0


def normalized(link: str) -> str:
    """Return the normalized form of *link*, which is equal for links to the same page; raise ValueError for no URL.

    It has no scheme, ``www.``, default port, trailing slash, fragment or tracking parameters; the host is canonical
    and in lower case, the query sorted by name.
    """
    parts = read(link)
    host = parts.host.removesuffix(".").removeprefix("www.")
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in TRACKING and not name.lower().startswith(TRACKING_PREFIXES)
    ]
    path = parts.path.rstrip("/")
    if host == "youtu.be" and path:
        host, query, path = "youtube.com", [("v", path.lstrip("/")), *query], "/watch"
    host = CANONICAL_HOSTS.get(host, host)
    port = "" if parts.port in DEFAULT_PORTS else f":{parts.port}"
    return f"{host}{port}{path}" + (f"?{urlencode(sorted(query))}" if query else "")


def digest(link: str) -> str:
    """Return the digest of the normalized *link*: links with the same digest are duplicates."""
    try:
        identity = normalized(link)
    except ValueError:  # another program may have stored it
        identity = link
    return blake2b(identity.encode(), digest_size=10).hexdigest()


def domain(link: str) -> str:
    """Return the domain under which articles with this stored *link* are listed; "" if it has none.

    It is the host without "www.", and without the dot at the end with which the same host can be written.
    """
    return host_of(link).removesuffix(".").removeprefix("www.")


def short_domain(domain: str) -> str:
    """Return a *domain* for a row, without its first labels if it is too long: the last ones say whose site it is."""
    labels = domain.split(".")
    while len(labels) > 2 and sum(map(len, labels)) + len(labels) > config.MAX_SHOWN_DOMAIN:
        labels = labels[1:]
    return domain if len(labels) == domain.count(".") + 1 else "…" + ".".join(labels)


def link_to(domain: str) -> str:
    """Return a link whose domain is *domain*; one that begins with "www." is that of a host with another in front."""
    host = f"[{domain}]" if ":" in domain else domain
    return f"http://{'www.' if domain.startswith('www.') else ''}{host}/"


def is_domain(text: str) -> bool:
    """Tell whether *text* has the form of a domain of links, as this or an earlier version spelled it."""
    return _DOMAIN.fullmatch(text) is not None


def rule_domains(link: str) -> list[str]:
    """Return the domains whose rules are about a *link*: its host and the domains above it, the closest first."""
    host = domain(link)
    labels = host.split(".") if host else []
    return [".".join(labels[at:]) for at in range(max(0, len(labels) - config.MAX_RULE_LABELS), len(labels))]


def domain_of_address(typed: str) -> str:
    """Return the domain that *typed* in an address names, however it is spelled; "" if it names none."""
    if not _TYPED_DOMAIN.fullmatch(typed):
        return ""
    return domain(f"http://[{typed}]/" if ":" in typed else f"http://{typed}/")


def respelled(domain: str) -> str:
    """Return the spelling of today for a *domain* of layout 7 or before, "" if no browser opens such a host.

    Those versions encoded characters that browsers drop, and kept all spellings of IPv4 addresses.
    """
    www = "www." * domain.startswith("www.")
    return domain_of_address(www + _letters(domain)) or domain_of_address(www + domain)


def readable_domain(domain: str) -> str:
    """Return *domain* as people read it: with the letters of its labels, in ASCII where these could mislead.

    They are shown if each label is of one script (Unicode's report 39, highly restrictive) and does not look Latin.
    """
    letters = _letters(domain)
    is_clear = all(label.isascii() or names.is_clear_label(label) for label in letters.split("."))
    return letters if is_clear and host_of(f"http://{letters}/") == domain else domain


def _letters(domain: str) -> str:
    """Return *domain* with the letters for which its labels stand."""
    return _PUNYCODE.sub(lambda match: _decode(match[1]) or match[0], domain)


def _decode(punycode: str) -> str:
    try:
        return punycode.encode().decode("punycode")
    except ValueError:
        return ""


def web_address(link: str) -> str:
    """Return a stored *link* as browsers request it; "" unless it is http or https."""
    try:
        return read(link).href
    except ValueError:  # another program may have stored it
        return ""
