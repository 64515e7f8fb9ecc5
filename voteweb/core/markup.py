"""Turn user text into safe HTML and safe XML text; no other module creates markup."""

import re
from collections.abc import Iterable
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_REL = "nofollow ugc noopener"
#: Characters that XML 1.0 forbids even when they are escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_markdown = MarkdownIt("js-default", {"html": False, "linkify": True, "breaks": False}).disable("image")


@lru_cache(maxsize=512)
def render(source: str) -> Markup:
    """Return the Markdown *source* as clean HTML: without images and raw HTML, with links to http and https only.

    Rendering takes milliseconds, hence the cache.
    """
    tokens = _markdown.parse(source)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page has an h1: headings of a text begin at h2 and end at h4.
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel=_REL,
        attribute_filter=_filter_attribute,
    )
    return Markup(cleaned)  # nosec B704  # noqa: S704 - nh3 has just cleaned it


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Return the *value* of an allowed attribute, else None; nh3 alone allows relative links and titles."""
    if name == "href" and not value.lower().startswith(("http://", "https://")):
        return None
    return value if name in ("href", "rel", "start") else None


def trusted(html: str) -> Markup:
    """Mark *html* of the site itself, such as a translation, as safe."""
    return Markup(html)  # nosec B704  # noqa: S704 - the text is part of the program


def join(fragments: Iterable[Markup]) -> Markup:
    """Join safe *fragments* of HTML."""
    html = "".join(fragments)
    return Markup(html)  # nosec B704  # noqa: S704 - the fragments are safe; Markup.join costs more


def xml_text(text: str) -> str:
    """Return *text* without the characters that XML 1.0 forbids: one of them would make a whole feed unreadable.

    The site's forms remove them, but other programs write into Redis too.
    """
    return _NOT_XML.sub("", text)
