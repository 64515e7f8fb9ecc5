"""Texts rendered from Markdown: kept by a worker, and as many on a page as it can render in a tenth of a second."""

from collections.abc import Callable
from hashlib import sha256

from flask import g

from voteweb.core import config, markup
from voteweb.core.caches import BoundedCache
from voteweb.core.markup import RenderedText

#: Bytes that an entry takes besides its text.
_ENTRY_BYTES = 200


def article_text(source: str) -> RenderedText:
    return _cached(markup.render, source)


def _cached(render: Callable[..., RenderedText], source: str, *named: str) -> RenderedText:
    key = render, named, sha256(source.encode()).digest()
    cached = _texts.get(key)
    if cached is not None:
        return cached
    rendered = render(source, *named)
    return _texts.put(key, rendered, _ENTRY_BYTES + len(rendered.html))


class PageTexts:
    """The texts of one page, to be asked for in their order.

    Once the page has MAX_PAGE_CHARACTERS of them, of each further one it has an excerpt. Once it has taken
    MAX_PAGE_STEPS of the parser, further ones stay plain: a hundred short texts full of marks take half a second. Both
    are cut: only pages of their own have them whole.
    """

    def __init__(self) -> None:
        self._characters = config.MAX_PAGE_CHARACTERS
        self._steps = config.MAX_PAGE_STEPS

    def article(self, source: str) -> RenderedText:
        return self._next(markup.render, source)

    def comment(self, source: str, named: str = "") -> RenderedText:
        return self._next(markup.render_comment, source, named)

    def _next(self, render: Callable[..., RenderedText], source: str, *named: str) -> RenderedText:
        shown = source if self._characters > 0 else markup.excerpt(source)
        is_plain = self._steps <= 0
        # The last name of an excerpt may be the beginning of another.
        rendered = (
            markup.render_plain(shown) if is_plain else _cached(render, shown, *(named if shown == source else ()))
        )
        self._characters -= len(shown)
        self._steps -= rendered.steps
        return rendered._replace(is_cut=is_plain or shown != source)


def page_texts() -> PageTexts:
    """Return the texts of the page that answers this request."""
    texts: PageTexts = g.setdefault("page_texts", PageTexts())
    return texts


#: Texts by renderer and digest, until others take their room: each is parsed once, at up to 6 µs a step.
_texts: BoundedCache[object, RenderedText] = BoundedCache(config.RENDERED_COMMENT_CACHE_BYTES)
