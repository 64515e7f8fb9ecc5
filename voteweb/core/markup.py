"""Turn user text into safe HTML and safe XML text: the only module that creates markup."""

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
#: What no XML 1.0 document may hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_markdown = MarkdownIt("js-default", {"html": False, "linkify": True, "breaks": False}).disable("image")


@lru_cache(maxsize=512)
def render(source: str) -> Markup:
    """Return the Markdown *source* as clean HTML: no images, no HTML of its own, links to http and https only.

    Rendering costs milliseconds, hence the bounded cache; the function depends on nothing but *source*.
    """
    tokens = _markdown.parse(source)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page has its h1; a text's own headings begin below it and never nest deeper than h4.
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel=_REL,
        attribute_filter=_kept,
    )
    return Markup(cleaned)  # nosec B704  # noqa: S704 - nh3 has just cleaned it


def _kept(tag: str, name: str, value: str) -> str | None:
    """Return the *value* of an attribute to keep: nh3 by itself lets relative links and titles through."""
    if name == "href" and not value.lower().startswith(("http://", "https://")):
        return None
    return value if name in ("href", "rel", "start") else None


def trusted(words: str) -> Markup:
    """Return *words* of the site itself, such as a catalogue's, as the markup that they are."""
    return Markup(words)  # nosec B704  # noqa: S704 - nobody else has written them


def join(pieces: Iterable[Markup]) -> Markup:
    """Return *pieces* of HTML as one."""
    whole = "".join(pieces)
    return Markup(whole)  # nosec B704  # noqa: S704 - clean pieces; Markup.join would escape them again


def xml_text(text: str) -> str:
    """Return *text* without the characters that XML 1.0 forbids: one of them would make a whole feed unreadable.

    Our own forms let none in, but other programs write into Redis too.
    """
    return _NOT_XML.sub("", text)
