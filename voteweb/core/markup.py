"""Turn user text into safe HTML and safe XML text; no other module marks text as safe but by :func:`trusted`."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote

import nh3
from markupsafe import Markup, escape

from voteweb.core import config, links, markdown, mentions
from voteweb.core.names import clean_html, name_key

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_REL = "nofollow ugc noopener"
#: The end of each page has the label of code, in the language of the page. nh3 keeps no order of attributes.
_CODE, _LABELLED_CODE = '<pre tabindex="0">', '<pre tabindex="0" role="group" aria-labelledby="code-label">'
#: Pages and fragments of the operator, in each language.
_OPERATOR_CACHE_SIZE = 16
_HEADING = re.compile(b"<(/?)h[2-4]>")
#: Characters that XML 1.0 forbids even when they are escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class RenderedText(NamedTuple):
    """A text as HTML in UTF-8, the steps of the parser that it took, and whether only its beginning is there."""

    html: bytes
    steps: int = 0
    is_cut: bool = False

    def __html__(self) -> str:
        return self.html.decode()

    def names(self, name: str) -> bool:
        """Tell whether the text names the member *name*, or is cut, so that it may."""
        return self.is_cut or f'href="/u/{quote(name_key(name))}"'.encode() in self.html


def render(source: str, named: str = "") -> RenderedText:
    """Return the Markdown *source* as clean HTML: without images and raw HTML, with links to http and https only.

    And to the members in it that *named* notes, letters of :func:`mentions.encode`.
    """
    addresses = set[str]()

    def find_links(pieces: Sequence[str]) -> tuple[list[list[markdown.Link]], int]:
        places, steps = mentions.find(pieces, named)
        links = [[(start, end, f"/u/{quote(name)}") for start, end, name in places_of_one] for places_of_one in places]
        addresses.update(address for _, _, address in chain.from_iterable(links))
        return links, steps

    def filter_attribute(tag: str, name: str, value: str) -> str | None:
        return value if name == "href" and value in addresses else _filter_attribute(tag, name, value)

    html, steps = markdown.to_html(source, find_links if named else None)
    return RenderedText(_clean(html, {"http", "https"}, _REL, filter_attribute).encode(), steps)


def render_comment(source: str, named: str = "") -> RenderedText:
    """Return the Markdown *source* of a comment as :func:`render` does, with paragraphs for its headings.

    The headings of a conversation are those of its comments.
    """
    rendered = render(source, named)
    html = _HEADING.sub(lambda match: b"</strong></p>" if match[1] else b"<p><strong>", rendered.html)
    return rendered._replace(html=html)


def render_plain(source: str) -> RenderedText:
    """Return the Markdown *source* as a paragraph of HTML that shows it as it was typed."""
    return RenderedText(f"<p>{escape(clean_html(source))}</p>\n".encode())


def excerpt(source: str) -> str:
    """Return the Markdown *source*, or its beginning if it is longer than an excerpt."""
    is_long = len(source) > config.EXCERPT_LENGTH
    return f"{source[: config.EXCERPT_LENGTH].rstrip()} …" if is_long else source


@lru_cache(maxsize=_OPERATOR_CACHE_SIZE)
def render_operator_page(source: str) -> Markup:
    """Return the Markdown *source* of the operator as :func:`render` does, with links inside the site and to mail."""
    html, _ = markdown.to_html(source)
    cleaned = _clean(html, {"http", "https", "mailto"}, "noopener", _filter_operator_attribute)
    return trusted(cleaned)


def _clean(html: str, schemes: set[str], rel: str, attribute_filter: Callable[[str, str, str], str | None]) -> str:
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        set_tag_attribute_values={"pre": {"tabindex": "0"}},  # the keyboard can scroll it in every browser
        url_schemes=schemes,
        link_rel=rel,
        attribute_filter=attribute_filter,
    )
    cleaned = cleaned.replace(_CODE, _LABELLED_CODE)  # of no text: there brackets or quotation marks are escaped
    return clean_html(cleaned)  # only now: a text can name characters, as in "&#8238;"


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Return the *value* of an allowed attribute, else None; nh3 alone allows relative links and titles."""
    if name == "href":
        return value if links.opens(value) else None
    return value if name in ("rel", "start", "tabindex") else None


def _filter_operator_attribute(tag: str, name: str, value: str) -> str | None:
    is_own_link = name == "href" and re.match(r"/(?!/)|#|mailto:", value, re.IGNORECASE)
    return value if is_own_link else _filter_attribute(tag, name, value)


def for_feeds(html: str) -> str:
    """Return rendered *html* without the attributes of code, which name a label at the end of pages."""
    return html.replace(_LABELLED_CODE, "<pre>")


def trusted(html: str) -> Markup:
    """Mark *html* that the site itself has made as safe: a translation, or pieces that are cleaned or escaped."""
    return Markup(html)  # nosec B704  # noqa: S704 - the text is part of the program, or safe already


def mark(text: str, ranges: Iterable[tuple[int, int]]) -> Markup:
    """Return *text* escaped, with ``<mark>`` around each of the *ranges*, which are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end in ranges:
        pieces += [escape(text[position:start]), "<mark>", escape(text[start:end]), "</mark>"]
        position = end
    pieces.append(escape(text[position:]))
    return trusted("".join(pieces))


def join(fragments: Iterable[Markup]) -> Markup:
    return trusted("".join(fragments))  # Markup.join costs more


def xml_text(text: str) -> str:
    """Return *text* without the characters that XML 1.0 forbids: one of them would make a whole feed unreadable.

    The site's forms remove them, but other programs write into Redis too.
    """
    return _NOT_XML.sub("", text)
