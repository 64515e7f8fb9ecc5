"""Links: their host, their address for browsers, and the normalized form in which links are compared.

All are read by the parser of the WHATWG URL standard, as browsers do: no other code takes a link or a host apart.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlencode

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

#: Query parameters that select no page, as the documentation of these products tells; "*" ends a beginning of names.
TRACKERS = {
    "utm_*": "Google Analytics", "_ga": "Google Analytics", "_gl": "Google Analytics", "gclid": "Google Ads",
    "gclsrc": "Google Ads", "dclid": "Google Ads", "gbraid": "Google Ads", "wbraid": "Google Ads",
    "srsltid": "Google Merchant Center", "fbclid": "Meta", "igshid": "Instagram", "igsh": "Instagram",
    "msclkid": "Microsoft Advertising", "twclid": "X Ads", "ref_src": "X, in embedded posts",
    "ref_url": "X, in embedded posts", "ttclid": "TikTok Ads", "li_fat_id": "LinkedIn Ads", "yclid": "Yandex Direct",
    "ysclid": "Yandex Search", "mc_cid": "Mailchimp", "mc_eid": "Mailchimp", "mtm_*": "Matomo", "matomo_*": "Matomo",
    "pk_campaign": "Matomo", "pk_kwd": "Matomo", "pk_keyword": "Matomo", "pk_source": "Matomo", "pk_medium": "Matomo",
    "_hsenc": "HubSpot", "_hsmi": "HubSpot", "__hstc": "HubSpot", "__hssc": "HubSpot", "__hsfp": "HubSpot",
    "mkt_tok": "Adobe Marketo", "s_kwcid": "Adobe Advertising", "ef_id": "Adobe Advertising", "vero_id": "Vero",
    "vero_conv": "Vero", "oly_enc_id": "Omeda", "oly_anon_id": "Omeda", "ck_subscriber_id": "Kit", "__s": "Drip",
    "_openstat": "Openstat", "guccounter": "Yahoo", "guce_referrer": "Yahoo", "guce_referrer_sig": "Yahoo",
}  # fmt: skip
_TRACKERS = re.compile("|".join(re.escape(name).replace(r"\*", ".*") for name in TRACKERS), re.DOTALL)
#: Parameters that tell whence readers come where they name a host or one of these; elsewhere they select, as a branch.
_REFERRERS = frozenset({"ref", "referer", "referrer"})
_SOURCES = frozenset(
    "hn hackernews hacker-news ycombinator reddit lobsters twitter facebook linkedin mastodon bluesky producthunt "
    "newsletter rss feed email share".split()
)
#: A percent code.
_CODE = re.compile("%[0-9A-Fa-f]{2}")


class Spelling(NamedTuple):
    """A spelling of the pages of a site, and of the *page* that it stands for: hosts and paths, each an expression.

    *selects* are the parameters of the query that select the page, None if all do.
    """

    pattern: re.Pattern[str]
    page: str
    selects: frozenset[str] | None


def _spelling(pattern: str, page: str, selects: str | None = None) -> Spelling:
    return Spelling(re.compile(pattern), page, None if selects is None else frozenset(selects.split()))


#: Spellings that people mix: the first that fits counts.
SPELLINGS = (
    _spelling(r"youtu\.be/([\w-]+)|(?:\w+\.)?youtube(?:-nocookie)?\.com/(?:shorts|live|embed|v)/(?!videoseries)([\w-]+)",
              r"youtube.com/watch?v=\1\2", "v"),
    _spelling(r"(?:(?:m|music)\.)?youtube\.com/watch", "youtube.com/watch", "v"),
    _spelling(r"(?:(?:m|music)\.)?youtube\.com/playlist", "youtube.com/playlist", "list"),
    _spelling(r"(?:m|music)\.youtube\.com(/.*)?", r"youtube.com\1"),
    _spelling(r"(?:\w+\.)?arxiv\.org/(?:abs|pdf|html|format|ps)/((?:[\w.-]+/)?[\d.]+?)(?:v\d+)?(?:\.pdf)?",
              r"arxiv.org/abs/\1", ""),
    _spelling(r"([\w-]+)\.m\.(wik\w+\.org(?:/.*)?)", r"\1.\2"),
    _spelling(r"(?:(?:m|mobile)\.)?(?:twitter|x)\.com/(?:i/web|\w+)/status/(\d+)(?:/.*)?",
              r"twitter.com/i/status/\1", ""),
    _spelling(r"(?:(?:m|mobile)\.)?(?:twitter|x)\.com(/.*)?", r"twitter.com\1"),
    _spelling(r"redd\.it/(\w+)|(?:\w+\.)?reddit\.com(?:/(?:r|user)/\w+)?/comments/(\w+)(?:/[^/]*)?",
              r"reddit.com/comments/\1\2", ""),
    _spelling(r"(?:old|new|np|m|i|amp)\.reddit\.com(/.*)?", r"reddit.com\1"),
    _spelling(r"(?:(?:rfc-editor|ietf)\.org/(?:rfc|info|pdfrfc)|(?:tools|datatracker)\.ietf\.org(?:/doc)?(?:/html|/pdf)?)"
              r"/(rfc\d+)(?:\.\w+){0,2}", r"rfc-editor.org/rfc/\1", ""),
    _spelling(r"((?:[\w-]+\.)*(?:stackoverflow|stackexchange|superuser|serverfault|askubuntu)\.com)/(?:q|questions)/(\d+)"
              r"(?:/[^/]*)?", r"\1/questions/\2", ""),
    _spelling(r"github\.com/((?!(?:apps|collections|features|marketplace|orgs|search|topics|trending)/)[\w-]+/[\w.-]+?)(?:\.git)?",
              r"github.com/\1", ""),
    _spelling(r"(?:dx\.)?doi\.org/(10\..+)", r"doi.org/\1", ""),
    _spelling(r"dl\.acm\.org/doi/(?:abs|full|fullHtml|pdf|epdf)/(10\..+)", r"dl.acm.org/doi/\1", ""),
    _spelling(r"openreview\.net/(?:forum|pdf)", "openreview.net/forum", "id"),
    _spelling(r"open\.spotify\.com/(?:intl-\w+/)?((?:album|artist|episode|playlist|show|track)/\w+)",
              r"open.spotify.com/\1", ""),
    _spelling(r"(amazon\.[a-z.]+)/(?:.*/)?(?:dp|gp/product)/(\w{10})(?:/.*)?", r"\1/dp/\2", ""),
    _spelling(r"(?:m\.)?medium\.com(/(?!search|tag/).+)", r"medium.com\1", ""),
    _spelling(r"m\.(facebook|imdb)\.com(/.*)?", r"\1.com\2"),
)  # fmt: skip


class WebAddress(NamedTuple):
    """A link as browsers read it, with its parts as the standard names them in ``url``, which nobody changes.

    ``host`` is a name or an IP address without brackets, in the one form that all spellings are mapped to; "" for one
    that no browser can open.
    """

    href: str
    host: str
    url: URL

    @property
    def has_user(self) -> bool:
        """Whether it has the name of a user, or a password."""
        return bool(self.url.username or self.url.password)


@lru_cache(maxsize=_KEPT)
def read(link: str, base: str | None = None) -> WebAddress:
    """Return *link*, on a page at *base*, as browsers read it; raise ValueError unless it is a URL of http or https."""
    url = URL(link, base)
    href, host = url.href, url.hostname
    if not href.startswith(("http://", "https://")):
        raise ValueError(f"no web address: {link[:100]!r}")
    is_host = len(host.removesuffix(".")) <= config.MAX_HOST_LENGTH and _HOST.fullmatch(host)
    return WebAddress(href, host.strip("[]") if is_host else "", url)


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

    It is a host and path without scheme, ``www.``, trailing slash and ``/index.html``, in the main one of SPELLINGS;
    the query by names, without trackers; and a fragment that selects a page, as ``#!a`` and ``#/a`` do.
    """
    url, host = read(link).url, domain(link)
    path = _plain(url.pathname).removesuffix("/index.html").rstrip("/")
    shown = f"[{host}]" if ":" in host else host or url.hostname
    page, selects = f"{shown}{url.port and ':'}{url.port}{path}", None
    for spelling in SPELLINGS:
        if match := spelling.pattern.fullmatch(page):
            page, selects = match.expand(spelling.page), spelling.selects
            break
    page, _, added = page.partition("?")
    query = sorted(_selecting(f"{added}&{url.search[1:]}", selects), key=itemgetter(0))
    fragment = _plain(url.hash) if url.hash.startswith(("#!", "#/")) else ""
    return page + (f"?{urlencode(query)}" if query else "") + fragment


def _selecting(query: str, selects: frozenset[str] | None) -> Iterator[tuple[bytes, bytes]]:
    """Yield the parameters of *query* that can select a page, as bytes: few old sites use UTF-8."""
    for pair in filter(None, query.split("&")):
        name, value = (unquote_to_bytes(part.replace("+", " ")) for part in pair.partition("=")[::2])
        text = name.decode("latin-1").lower()
        if selects is not None:
            is_wanted = text in selects
        else:
            is_wanted = not _TRACKERS.fullmatch(text) and not (
                text in _REFERRERS and _is_source(value.decode("latin-1"))
            )
        if is_wanted:
            yield name, value


def _is_source(value: str) -> bool:
    """Tell whether the *value* of a parameter names where readers come from: a known word, or a host."""
    last = host_of(value if "://" in value else f"https://{value}/").rpartition(".")
    return value.lower() in _SOURCES or (bool(last[0]) and last[2].isalpha() and len(last[2]) > 1)


def _plain(part: str) -> str:
    """Return a *part* of a URL with percent codes in capitals, and without those of characters that need none."""
    return _CODE.sub(lambda match: quote(unquote_to_bytes(match[0]), safe=""), part)


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
    if "xn--" not in domain:
        return domain
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


def opens(link: str) -> bool:
    """Tell whether browsers open *link* at the host that it seems to name: not one as https://google.com@evil.example.

    Without slashes behind the scheme they may take it for an address of the site on whose page it stands.
    """
    try:
        address = read(link)
    except ValueError:
        return False
    return bool(address.host) and not address.has_user and link.lower().startswith(("http://", "https://"))


def web_address(link: str) -> str:
    """Return a stored *link* as browsers request it; "" unless it is http or https."""
    try:
        return read(link).href
    except ValueError:  # another program may have stored it
        return ""
