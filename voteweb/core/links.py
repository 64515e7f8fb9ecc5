"""Links: their host, their address for browsers, and the normalized form in which links are compared."""

import re
import unicodedata
from hashlib import blake2b
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from voteweb.core import config

#: Characters that a URL must percent-encode.
_NOT_IN_URL = re.compile(r'[\x00-\x20\x7f-\x9f<>"{}|\\^`]')

#: Characters of one label of a host name; those that are not ASCII take at least one each when encoded.
_MAX_LABEL_LENGTH = 63
#: A host whose articles have a list: other programs may have stored links to hosts that nothing resolves.
_LISTED_DOMAIN = re.compile(rf"[0-9a-z._:-]{{1,{config.MAX_HOST_LENGTH}}}")
#: A label of a host name in ASCII. The standard does not allow "_", but such hosts exist.
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
#: Letters that IDNA 2003 replaced and UTS #46 keeps, although casefolding replaces them.
_UNFOLDED_LETTERS = {"ß": "ß", "ẞ": "ß", "ς": "ς"}
#: Invisible Korean letters, with which two different names could look the same.
_INVISIBLE_LETTERS = {"\u115f", "\u1160"}

#: Query parameters that track a reader and do not select the page.
TRACKING = frozenset({"fbclid", "gclid", "ref", "ref_src", "si"})
#: Prefixes of such parameters.
TRACKING_PREFIXES = ("utm_",)
#: Ports that a scheme implies.
DEFAULT_PORTS = frozenset({None, 80, 443})
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


def normalized(link: str) -> str:
    """Return the normalized form of *link*, which is equal for links to the same page; raise ValueError for no URL.

    It has no scheme, ``www.``, default port, trailing slash, fragment or tracking parameters; the host is canonical
    and in lower case, the query sorted by name.
    """
    parts = urlsplit(link)
    host = (parts.hostname or "").removesuffix(".").removeprefix("www.")
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
    """Return the host of a stored *link* in the ASCII form that browsers resolve; "" if it has none.

    It is without "www.", and without the dot at the end with which the same host can be written.
    """
    try:
        host = urlsplit(link).hostname or ""
        return (host if host.isascii() else ascii_host(host)).rstrip(".").removeprefix("www.")
    except ValueError:  # another program may have stored it
        return ""


def short_domain(domain: str) -> str:
    """Return a *domain* for a row, without its first labels if it is too long: the last ones say whose site it is."""
    labels = domain.split(".")
    while len(labels) > 2 and sum(map(len, labels)) + len(labels) > config.MAX_SHOWN_DOMAIN:
        labels = labels[1:]
    return domain if len(labels) == domain.count(".") + 1 else "…" + ".".join(labels)


def listed_domain(link: str) -> str:
    """Return the domain under which articles with this stored *link* are listed; "" if it has none."""
    host = domain(link)
    return host if _LISTED_DOMAIN.fullmatch(host) else ""


def link_to(domain: str) -> str:
    """Return a link whose domain is *domain*; one that begins with "www." is that of a host with another in front."""
    return f"http://[{domain}]/" if ":" in domain else f"http://www.{domain}/"


def is_listed_domain(domain: str) -> bool:
    """Tell whether articles could be listed under *domain*."""
    return listed_domain(link_to(domain)) == domain


def rule_domains(link: str) -> list[str]:
    """Return the domains whose rules are about a *link*: its host and the domains above it, the closest first."""
    host = domain(link)
    labels = host.split(".") if host else []
    return [".".join(labels[at:]) for at in range(max(0, len(labels) - config.MAX_RULE_LABELS), len(labels))]


def domain_of_address(typed: str) -> str:
    """Return the domain that *typed* in an address names, however it is spelled; "" if it names none."""
    return listed_domain(f"http://[{typed}]/" if ":" in typed else f"http://{typed}/")


def readable_domain(host: str) -> str:
    """Return *host* with the letters for which its ASCII form stands, or as it is if it stands for no others."""
    try:
        labels = [
            label[4:].encode().decode("punycode") if label.startswith("xn--") else label for label in host.split(".")
        ]
        readable = ".".join(labels)
        return readable if ascii_host(readable) == host else host
    except ValueError:
        return host


def web_address(link: str) -> str:
    """Return a stored *link* as a valid URL, percent-encoded where necessary; "" unless it is http or https."""
    if not link.lower().startswith(("http://", "https://")):
        return ""
    return _NOT_IN_URL.sub(lambda match: quote(match[0], safe=""), link)


def ascii_host(host: str) -> str:
    """Return *host* in the ASCII form that browsers resolve (UTS #46), in lower case.

    Python's codec "idna" implements IDNA 2003, which turns straße.de into strasse.de, another site.
    Raises ValueError if *host* cannot be a host name.
    """
    if len(host) > config.MAX_HOST_LENGTH:  # normalizing and encoding take the square of the length
        raise ValueError("too long for a host name")
    compatible = unicodedata.normalize("NFKC", _fold(host))  # may contain new capitals
    mapped = unicodedata.normalize("NFKC", _fold(compatible)).replace("\u3002", ".")  # the Chinese full stop
    labels = [_ascii_label(label) for label in mapped.removesuffix(".").split(".")]
    return ".".join(labels) + ("." if mapped.endswith(".") else "")


def _fold(text: str) -> str:
    return "".join(_UNFOLDED_LETTERS.get(character) or character.casefold() for character in text)


def _ascii_label(label: str) -> str:
    if not label.isascii():
        if len(label) > _MAX_LABEL_LENGTH:
            raise ValueError("too long for a label of a host name")
        # A mark changes the letter before it; invisible characters and spaces could make one name look like another.
        categories = [unicodedata.category(character)[0] for character in label]
        if categories[0] == "M" or not {"C", "Z"}.isdisjoint(categories) or not _INVISIBLE_LETTERS.isdisjoint(label):
            raise ValueError(f"not a host name: {label!r}")
        label = f"xn--{label.encode('punycode').decode('ascii')}"
    if not _LABEL.fullmatch(label):
        raise ValueError(f"not a host name: {label!r}")
    return label
