"""Links: their host, their address for browsers, and the form in which two links are compared."""

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

#: Characters that a URL cannot contain unencoded.
_NOT_IN_URL = re.compile(r'[\x00-\x20\x7f-\x9f<>"{}|\\^`]')

#: A label of a host name as it is resolved. "_" is not allowed by the standard, but such hosts exist.
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
#: Letters that IDNA 2003 replaced and UTS #46 keeps; casefolding would still replace them.
_KEPT_LETTERS = {"ß": "ß", "ẞ": "ß", "ς": "ς"}
#: Invisible Korean letters: with them, two different names could look the same.
_INVISIBLE_LETTERS = {"\u115f", "\u1160"}

#: Parameters that say where a reader came from, not what the page is.
TRACKING = frozenset({"fbclid", "gclid", "ref", "ref_src", "si"})
#: Beginnings of such parameters.
TRACKING_PREFIXES = ("utm_",)
#: Ports that a scheme implies.
DEFAULT_PORTS = frozenset({None, 80, 443})
#: Hosts that serve the same pages: phones' and short ones of the well-known few.
SAME_HOST = {
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
    """Return the form of a valid *link* under which it is compared with others.

    Without scheme, ``www.``, default port, trailing slash, fragment and tracking; host in lower case, of the
    same pages one host; the query in the order of its names.
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
    host = SAME_HOST.get(host, host)
    port = "" if parts.port in DEFAULT_PORTS else f":{parts.port}"
    return f"{host}{port}{path}" + (f"?{urlencode(sorted(query))}" if query else "")


def digest(link: str) -> str:
    """Return the short digest of *link* as compared: links with one digest are the same story."""
    try:
        form = normalized(link)
    except ValueError:  # other programs may store what is no address
        form = link
    return blake2b(form.encode(), digest_size=10).hexdigest()


@lru_cache(maxsize=4096)
def domain(link: str) -> str:
    """Return the host of a stored *link* in the ASCII form that browsers resolve, without "www."; "" for none."""
    try:
        host = urlsplit(link).hostname or ""
        return (host if host.isascii() else ascii_host(host)).removeprefix("www.")
    except ValueError:  # another program's link, which no check of ours has seen
        return ""


def web_address(link: str) -> str:
    """Return a stored *link* with what cannot stand in an address percent-encoded; "" unless it is http or https."""
    if not link.lower().startswith(("http://", "https://")):
        return ""
    return _NOT_IN_URL.sub(lambda found: quote(found[0], safe=""), link)


def ascii_host(host: str) -> str:
    """Return *host* in the ASCII form that browsers resolve (UTS #46), in lower case.

    Python's own codec "idna" implements IDNA 2003, which turns straße.de into strasse.de: another site.
    Raises ValueError when *host* cannot be a host name.
    """
    compatible = unicodedata.normalize("NFKC", _fold(host))  # which may bring new capitals
    mapped = unicodedata.normalize("NFKC", _fold(compatible)).replace("\u3002", ".")  # the full stop of Chinese
    labels = [_ascii_label(label) for label in mapped.removesuffix(".").split(".")]
    return ".".join(labels) + ("." if mapped.endswith(".") else "")


def _fold(text: str) -> str:
    return "".join(_KEPT_LETTERS.get(character) or character.casefold() for character in text)


def _ascii_label(label: str) -> str:
    if not label.isascii():
        # A mark changes the letter before it; what is invisible, or a blank, could make one name look like another.
        kinds = [unicodedata.category(character)[0] for character in label]
        if kinds[0] == "M" or not {"C", "Z"}.isdisjoint(kinds) or not _INVISIBLE_LETTERS.isdisjoint(label):
            raise ValueError(f"no host's name: {label!r}")
        label = f"xn--{label.encode('punycode').decode('ascii')}"
    if not _LABEL.fullmatch(label):
        raise ValueError(f"no host's name: {label!r}")
    return label
