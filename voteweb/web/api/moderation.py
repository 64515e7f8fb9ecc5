"""Moderation: what waits for a moderator, and what they decide about it."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from voteweb.core import config, errors, models
from voteweb.core.comments import Reported
from voteweb.core.models import Reason, Right, User
from voteweb.web.api.operations import Input, operation
from voteweb.web.api.shapes import Article, Comment, Time, characters, listed_comment, whole_article
from voteweb.web.api.writing import Revision
from voteweb.web.base.context import store
from voteweb.web.base.responses import rfc3339
from voteweb.web.i18n.formatting import error_message
from voteweb.web.views.moderation import (
    StoredComment,
    dismiss_reports,
    publish,
    remove_post,
    restore_post,
)

Seen = Annotated[
    Annotated[int, Meta(ge=0, lt=10**15)] | None,
    Meta(description="That of the queue when it was read: it is refused if others have decided since."),
]


class Decision(Input, kw_only=True):
    """A decision of a moderator."""

    seen: Seen = None


class Removal(Decision):
    """A removal, with its reason."""

    reason: Annotated[str, characters(config.MAX_REASON_LENGTH, 1), Meta(description="Everybody can read it.")]


class ArticleRemoval(Removal):
    """The removal of an article."""

    hide_title: Annotated[bool, Meta(description="Hide the title too, also in the log.")] = False


class CommentRemoval(Removal):
    """The removal of a comment."""

    replies: Annotated[bool, Meta(description="Remove its replies too.")] = False


class Publication(Decision):
    """The publication of an article."""

    revision: Revision


class Report(Struct):
    """An open report; ``by`` is the member who made it."""

    by: str
    time: Time
    reason: Reason
    note: str


class ReportedPost(Struct):
    """An article or a comment, with the newest of its open ``reports``, of which there are ``total``."""

    total: int
    reports: tuple[Report, ...]
    article: Article | UnsetType = UNSET
    comment: Comment | UnsetType = UNSET


class Answer(Struct):
    """The answer of a poster to the removal of their article, or to edits of it by others."""

    article: Article
    reason: str
    answer: str
    time: Time


class Queue(Struct):
    """The oldest of what waits for a moderator, and how many wait; ``seen`` goes with each decision about it."""

    seen: int
    held: tuple[Article, ...]
    held_total: int
    reports: tuple[ReportedPost, ...]
    reports_total: int
    answers: tuple[Answer, ...]
    answers_total: int


@operation(
    "GET /queue",
    Right.MODERATE,
    seen=lambda pipeline: store().viewers.queue_logged(pipeline),  # before the lists: none may be older
    held=lambda pipeline: store().waiting.queue_articles(pipeline, 1),
    reports=lambda pipeline: store().reports.queue_page(pipeline, 1),
    answers=lambda pipeline: store().waiting.queue_answers(pipeline, 1),
)
def get_queue(
    user: User,
    seen: int,
    held: models.Page[models.Article],
    reports: models.Page[Reported],
    answers: models.Page[models.Article],
) -> Queue:
    """Articles that wait, reports, and answers to moderators, the oldest of each."""
    return Queue(
        seen=seen,
        held=tuple(whole_article(article, has_marks=False) for article in held.rows),
        held_total=held.total,
        reports=tuple(map(_reported, reports.rows)),
        reports_total=reports.total,
        answers=tuple(
            Answer(whole_article(row, has_marks=False), row.reason, row.answer, rfc3339(row.answered))
            for row in answers.rows
        ),
        answers_total=answers.total,
    )


def _reported(row: Reported) -> ReportedPost:
    return ReportedPost(
        total=row.reports.total,
        reports=tuple(Report(one.by, rfc3339(one.time), one.reason, one.note) for one in row.reports.rows),
        article=whole_article(row.article, has_marks=False) if row.article else UNSET,
        comment=listed_comment(row.comment) if row.comment else UNSET,
    )


@operation("POST /articles/<int:id>/remove", Right.MODERATE, form="moderation.remove")
def remove_article(user: User, article: models.Article, body: ArticleRemoval) -> None:
    """Remove an article from the site, with a reason that everybody can read."""
    _remove(user, article, body, hides_title=body.hide_title)


def _remove(user: User, post: models.Article | StoredComment, body: Removal, **options: bool) -> None:
    try:
        remove_post(user, post, body.reason, seen=body.seen, **options)
    except errors.Invalid as error:
        raise errors.Invalid.of_fields({"reason": error_message(error)}) from None


@operation("POST /articles/<int:id>/restore", Right.MODERATE, form="moderation.restore")
def restore_article(user: User, article: models.Article, body: Decision) -> None:
    """Put a removed article back, with its votes."""
    restore_post(user, article, body.seen)


@operation(
    "POST /articles/<int:id>/publish", Right.MODERATE, form="held_articles.release", refuses=(errors.NotWaiting,)
)
def publish_article(user: User, article: models.Article, body: Publication) -> None:
    """Publish an article that waits; its time is that of now."""
    publish(user, article, body.revision, body.seen)


@operation(
    "POST /articles/<int:id>/dismiss", Right.MODERATE, form="moderation.dismiss", refuses=(errors.ReportsSettled,)
)
def dismiss_article(user: User, article: models.Article, body: Decision) -> None:
    """Dismiss the reports of an article."""
    dismiss_reports(user, article, body.seen)


@operation("POST /articles/<int:id>/comments/<int:number>/remove", Right.MODERATE, form="comment_moderation.remove")
def remove_comment(user: User, comment: StoredComment, body: CommentRemoval) -> None:
    """Remove a comment, with a reason that everybody can read."""
    _remove(user, comment, body, with_replies=body.replies)


@operation("POST /articles/<int:id>/comments/<int:number>/restore", Right.MODERATE, form="comment_moderation.restore")
def restore_comment(user: User, comment: StoredComment, body: Decision) -> None:
    """Bring a removed comment back, and what was removed with it."""
    restore_post(user, comment, body.seen)


@operation(
    "POST /articles/<int:id>/comments/<int:number>/dismiss",
    Right.MODERATE,
    form="comment_moderation.dismiss",
    refuses=(errors.ReportsSettled,),
)
def dismiss_comment(user: User, comment: StoredComment, body: Decision) -> None:
    """Dismiss the reports of a comment."""
    dismiss_reports(user, comment, body.seen)
