"""Articles: lists of them, one of them, and what members write."""

from voteweb.core import errors, models, permissions
from voteweb.core.models import User
from voteweb.web.api.operations import operation
from voteweb.web.api.shapes import Article, whole_article
from voteweb.web.caching.own_marks import read_marks
from voteweb.web.pages.acts import queue_article


@operation("GET /articles/<int:id>", refuses=(errors.NoSuchArticle, errors.ArticleGone), article=queue_article)
def get_article(viewer: User | None, article: models.Article) -> Article:
    """One article with its text."""
    if not permissions.may_read(viewer, article):
        raise errors.ArticleGone()
    (row,) = read_marks((article,), viewer, in_list=False).on((article,))
    return whole_article(row, has_marks=viewer is not None)
