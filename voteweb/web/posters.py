"""The names of posters: programs written after the book may have stored the number of a member."""

from dataclasses import replace

from voteweb.core.models import Article
from voteweb.web.context import store


def poster_name(poster: str) -> str:
    """Return the name under which pages show a *poster*: of the number of a member, the member's name."""
    return store().users.name_of(poster) if poster.isdecimal() else poster


def named(article: Article) -> Article:
    """Return *article* with the name of its poster, by which rendered parts of pages are kept."""
    return replace(article, poster=poster_name(article.poster)) if article.poster.isdecimal() else article
