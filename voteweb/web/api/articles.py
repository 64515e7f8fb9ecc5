"""Articles: one of them, and what members write."""

from voteweb.core import errors, models, permissions
from voteweb.core.models import User
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.api.operations import operation
from voteweb.web.api.shapes import Article, whole_article
from voteweb.web.auth.login import named_voter
from voteweb.web.caching.own_marks import QueuedMarks, queue_marks, read_marks


def _queue_marks(pipeline: Pipeline, id: int) -> Future[QueuedMarks]:
    marks = queue_marks(pipeline, (id,), named_voter())
    return pipeline.then(lambda: marks)


@operation("GET /articles/<int:id>", marks=_queue_marks)
def get_article(user: User | None, article: models.Article, marks: QueuedMarks) -> Article:
    """Get an article with its text; its poster can read it while it is held, and when it was removed, too."""
    if not permissions.may_read(user, article):
        raise errors.ArticleGone()
    (row,) = read_marks((article,), user, marks).on((article,))
    return whole_article(row, has_marks=user is not None)
