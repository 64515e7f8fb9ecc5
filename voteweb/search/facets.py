"""The tokens by which documents are found that are no words: of the link, the domains, the poster and the groups.

Each begins with a character that is at the beginning of no word.
"""

import re

from voteweb.core import config, links
from voteweb.core.names import name_key
from voteweb.core.search_documents import Document
from voteweb.search.words import tokens

_NOT_IN_TOKEN = re.compile(r'[\x00-\x20\x7f"\s]')
#: Hexadecimal digits of the digest of a link: at a million links, one in a million finds another one too.
_DIGEST_LENGTH = 10


def poster_token(name: str) -> str:
    return f"@{_clean(name)}"


def group_token(name: str) -> str:
    return f"#{_clean(name)}"


def domain_token(host: str) -> str:
    return f"/{_clean(host)}"


def link_token(link: str) -> str:
    """Return the token of a *link*, which is that of all links to the same page."""
    return f"={links.digest(link)[:_DIGEST_LENGTH]}"


def facets(document: Document) -> list[str]:
    """Return these tokens of *document*, and the words of the host, by which articles are found as well."""
    host = links.listed_domain(document.link)
    found = [link_token(document.link)] if document.link else []
    if host:
        found += map(domain_token, links.rule_domains(document.link))
        readable = links.readable_domain(host) if "xn--" in host else host
        found += tokens(readable.rpartition(".")[0])
    if document.poster:
        found.append(poster_token(document.poster))
    return found + [group_token(name) for name in document.groups]


def _clean(name: str) -> str:
    """Return *name* as it is compared; other programs may have stored what is no name."""
    return _NOT_IN_TOKEN.sub("_", name_key(name[: config.MAX_HOST_LENGTH]).encode(errors="replace").decode())
