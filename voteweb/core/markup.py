"""Turn user text into safe HTML and safe XML text; no other module creates markup."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

import nh3
from markupsafe import Markup, escape

from voteweb.core import config, markdown
from voteweb.core.characters import clean_html

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_REL = "nofollow ugc noopener"
#: Characters up to which a text is short: many are cached. A long one can be half a megabyte of HTML.
_SHORT_LENGTH = 2_000
#: Pages and fragments of the operator, in each language.
_OPERATOR_CACHE_SIZE = 16
#: The beginning of an address that names a user, such as https://google.com@evil.example; browsers skip any slashes.
_HEADING = re.compile("<(/?)h[2-4]>")
_USER_INFO = re.compile(r"https?:[/\\]*[^/?#\\]*@", re.IGNORECASE)
#: Characters that XML 1.0 forbids even when they are escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(source: str) -> Markup:
    """Return the Markdown *source* as clean HTML: without images and raw HTML, with links to http and https only.

    Rendering takes milliseconds, hence the caches.
    """
    return (_render_short if len(source) <= _SHORT_LENGTH else _render_long)(source)


def excerpt(source: str) -> str:
    """Return the Markdown *source*, or its beginning if it is longer than an excerpt."""
    is_long = len(source) > config.EXCERPT_LENGTH
    return f"{source[: config.EXCERPT_LENGTH].rstrip()} …" if is_long else source


def _render(source: str) -> Markup:
    return _clean(source, {"http", "https"}, _REL, _filter_attribute)


@lru_cache(maxsize=_OPERATOR_CACHE_SIZE)
def render_operator_page(source: str) -> Markup:
    """Return the Markdown *source* of the operator as :func:`render` does, with links inside the site and to mail."""
    return _clean(source, {"http", "https", "mailto"}, "noopener", _filter_operator_attribute)


def _clean(source: str, schemes: set[str], rel: str, attribute_filter: Callable[[str, str, str], str | None]) -> Markup:
    cleaned = nh3.clean(
        markdown.to_html(source)[0],
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes=schemes,
        link_rel=rel,
        attribute_filter=attribute_filter,
    )
    shown = clean_html(cleaned)  # only now: a text can name characters, as in "&#8238;"
    return Markup(shown)  # nosec B704  # noqa: S704 - nh3 has just cleaned it


def render_comment(source: str) -> Markup:
    """Return the Markdown *source* of a comment as :func:`render` does, uncached, with paragraphs for its headings.

    The headings of a conversation are those of its comments.
    """
    html = _HEADING.sub(lambda match: "</strong></p>" if match[1] else "<p><strong>", _render(source))
    return Markup(html)  # nosec B704  # noqa: S704 - of the same tags, in the same order


_render_short = lru_cache(maxsize=512)(_render)
_render_long = lru_cache(maxsize=64)(_render)


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Return the *value* of an allowed attribute, else None; nh3 alone allows relative links and titles."""
    if name == "href" and (not value.lower().startswith(("http://", "https://")) or _USER_INFO.match(value)):
        return None
    return value if name in ("href", "rel", "start") else None


def _filter_operator_attribute(tag: str, name: str, value: str) -> str | None:
    is_own_link = name == "href" and re.match(r"/(?!/)|#|mailto:", value, re.IGNORECASE)
    return value if is_own_link else _filter_attribute(tag, name, value)


def trusted(html: str) -> Markup:
    """Mark *html* of the site itself, such as a translation, as safe."""
    return Markup(html)  # nosec B704  # noqa: S704 - the text is part of the program


def mark(text: str, ranges: Iterable[tuple[int, int]]) -> Markup:
    """Return *text* escaped, with ``<mark>`` around each of the *ranges*, which are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end in ranges:
        pieces += [escape(text[position:start]), "<mark>", escape(text[start:end]), "</mark>"]
        position = end
    pieces.append(escape(text[position:]))
    html = "".join(pieces)
    return Markup(html)  # nosec B704  # noqa: S704 - each piece is escaped


def join(fragments: Iterable[Markup]) -> Markup:
    """Join safe *fragments* of HTML."""
    html = "".join(fragments)
    return Markup(html)  # nosec B704  # noqa: S704 - the fragments are safe; Markup.join costs more


def xml_text(text: str) -> str:
    """Return *text* without the characters that XML 1.0 forbids: one of them would make a whole feed unreadable.

    The site's forms remove them, but other programs write into Redis too.
    """
    return _NOT_XML.sub("", text)
