"""When two links are the same story: a form for comparison only, never stored as the link or shown.

Every rule is a row of a table below; the tests go through them row by row.
"""

from hashlib import blake2b
from urllib.parse import parse_qsl, urlencode, urlsplit

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


def comparable(link: str) -> str:
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
        form = comparable(link)
    except ValueError:  # other programs may store what is no address
        form = link
    return blake2b(form.encode(), digest_size=10).hexdigest()
