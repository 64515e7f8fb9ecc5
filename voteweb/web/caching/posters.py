"""The names of posters: programs written after the book may have stored the number of a member."""

from collections.abc import Iterable
from dataclasses import replace

from voteweb.core.models import Article
from voteweb.web.base.context import store


def named(articles: Iterable[Article]) -> list[Article]:
    """Return *articles* with the names of their posters, as pages show them."""
    articles = list(articles)
    numbers = {article.poster for article in articles if article.poster.isdecimal()}
    names = store().users.names_of(numbers) if numbers else {}
    return [
        replace(article, poster=names[article.poster]) if article.poster in names else article for article in articles
    ]
