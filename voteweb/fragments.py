"""Pieces of pages that are rendered once and kept: the rows of lists, and what stands on every page.

A kept piece depends on nothing but the language and the values that its template is given, so that it is as right
for one person as for the next; what is personal stays outside of it.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

from flask import Flask
from markupsafe import Markup

from voteweb import config, i18n, language, rules, text
from voteweb.filters import now
from voteweb.login import settings, viewer
from voteweb.models import Article, Ballot


def init_app(app: Flask) -> None:
    """Give the templates of *app* ``kept(template, name=value…)``, ``rendered(articles)`` and ``lines(articles)``."""

    def render(template: str, _code: str, **values: Hashable) -> Markup:
        return app.jinja_env.get_template(template).make_module(values).__html__()

    piece = lru_cache(maxsize=config.PIECES_KEPT)(render)
    # They may hold its whole text, and few articles are looked at by many at a time.
    piece_of_article = lru_cache(maxsize=config.ARTICLES_KEPT)(render)

    @lru_cache(maxsize=config.LINES_KEPT)
    def line(template: str, code: str, article: Article, ballot: Ballot, age: int) -> Markup:
        return render(template, code, article=article, ballot=ballot, age=age)

    def kept(template: str, **values: Hashable) -> Markup:
        """Return *template* rendered with *values* alone, in the language of this answer."""
        make = piece_of_article if "article" in values else piece
        return make(template, language.current().code, **values)

    def pieces(template: str, articles: Iterable[Article]) -> list[Markup]:
        code, user, moment, chosen = language.current().code, viewer(), now(), settings()
        return [
            line(
                template,
                code,
                article,
                rules.ballot(user, article, moment, chosen),
                i18n.rounded(moment - article.time),
            )
            for article in articles
        ]

    def rendered(articles: Iterable[Article]) -> Markup:
        """Return *articles* as rows of a list, as the viewer sees them at this moment."""
        return text.joined(pieces("articles/_row.html", articles))

    def lines(articles: Sequence[Article]) -> Iterable[tuple[Article, Markup]]:
        """Return *articles*, each with what stands in its row."""
        return zip(articles, pieces("articles/_line.html", articles), strict=True)

    app.jinja_env.globals.update(kept=kept, rendered=rendered, lines=lines)
