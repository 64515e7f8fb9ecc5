"""Writing: articles and comments, and reports of those of others."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from voteweb.core import config, errors, models
from voteweb.core.comments import CommentId, Thread
from voteweb.core.models import Reason, Right, User
from voteweb.core.validation import new_submission_token
from voteweb.store.schema.fields import words_of
from voteweb.web.api.operations import Input, operation
from voteweb.web.api.shapes import Article, Comment, characters, comment_of, whole_article
from voteweb.web.auth import bearer
from voteweb.web.base.context import store
from voteweb.web.pages.acts import queue_article
from voteweb.web.pages.forms import CommentForm, CommentReason, CommentReportForm, EditForm, ReportForm, SubmitForm
from voteweb.web.views import comments, submission
from voteweb.web.views.articles import edit_entry, edit_refusal
from voteweb.web.views.moderation import StoredComment, check_not_own, queue_comment

Title = Annotated[str, characters(config.MAX_TITLE_LENGTH, config.MIN_TITLE_LENGTH)]
Link = Annotated[str, characters(config.MAX_LINK_LENGTH), Meta(description="An address with http or https.")]
Text = Annotated[str, characters(config.MAX_TEXT_LENGTH), Meta(description="Markdown.")]
Why = characters(config.MAX_REASON_LENGTH)
Note = Annotated[str, Why, Meta(description="More about it, for moderators alone.")]
Groups = Annotated[tuple[str, ...], Meta(description="Names of groups that exist.")]
Revision = Annotated[int, Meta(ge=0, lt=10**15, description="That of the article when it was read.")]
_OF_POST = (errors.DomainRefused, errors.TooManyGroups)
_OF_CONVERSATION = (errors.ConversationClosed, errors.ConversationEnded, errors.ConversationFull)


class NewArticle(Input):
    """An article to be posted: a link, a text, or both."""

    title: Title
    link: Link = ""
    text: Text = ""
    groups: Groups = ()
    anyway: Annotated[bool, Meta(description="Post a link all the same that was posted lately (`duplicate`).")] = False


class ArticleChange(Input):
    """A change of an article; what is left out stays."""

    revision: Revision
    title: Title | UnsetType = UNSET
    link: Link | UnsetType = UNSET
    text: Text | UnsetType = UNSET
    groups: Groups | UnsetType = UNSET
    reason: Annotated[str, Why, Meta(description="Of moderators, for the public log.")] = ""


class SeenRevision(Input):
    """The revision of an article that was read."""

    revision: Revision


class CommentText(Input):
    """The text of a comment, as Markdown."""

    text: Annotated[str, characters(config.MAX_COMMENT_LENGTH, 1), Meta(description="Markdown.")]


class NewComment(CommentText):
    """A comment to be written."""

    parent: Annotated[
        int, Meta(ge=0, lt=10**9, description="The number of the comment that it answers, 0 for none.")
    ] = 0


class NewReport(Input):
    """A report to the moderators."""

    reason: Reason
    note: Note = ""


class NewCommentReport(Input):
    """A report of a comment to the moderators."""

    reason: CommentReason
    note: Note = ""


def _once(user: User) -> str:
    """Return what makes this request one with those of the same Idempotency-Key; alone without one."""
    return (user.call.once if user.call else "") or new_submission_token()


@operation(
    "POST /articles", Right.POST, form="submission.submit", refuses=(errors.Duplicate, errors.AlreadyWaiting, *_OF_POST)
)
def post_article(user: User, body: NewArticle) -> Article:
    """Post an article; one that waits for a moderator has the status “held”."""
    words = {name: getattr(body, name) for name in ("title", "link", "text", "groups")}
    form = SubmitForm.of_body(**words)
    form.require_valid(groups=submission.ASK_GROUPS)
    id = submission.post(user, form, _once(user), anyway=body.anyway)
    return _read(id)


def _read(id: int) -> Article:
    """Return an article as it is now, without marks, for which its program may have no right."""
    article = store().read(queue_article, id)
    if article is None:
        raise errors.NoSuchArticle()
    return whole_article(article, has_marks=False)


@operation(
    "PATCH /articles/<int:id>",
    Right.POST,
    form="articles.edit",
    refuses=(errors.NotYours, errors.TooLate, errors.LinkFixed, *_OF_POST),
)
def edit_article(user: User, article: models.Article, body: ArticleChange) -> Article:
    """Edit an article; for moderators that of others too, if the token has the right “moderate”."""
    if refusal := edit_refusal(user, article):
        is_moderators = isinstance(refusal, errors.NotYours) and bearer.lacks_role()
        raise errors.NoRight(right=Right.MODERATE) if is_moderators else refusal
    words = {**words_of(article), "groups": article.groups}
    changed = {name: value for name in words if (value := getattr(body, name)) is not UNSET}
    form = EditForm.of_body(**words | changed, reason=body.reason)
    form.stored_link, form.stored_title = article.link, article.title
    form.require_valid()
    entry = edit_entry(user, article, form.reason.data or "")
    store().articles.edit(article.id, form.draft(), user, entry, revision=body.revision)
    return _read(article.id)


@operation("DELETE /articles/<int:id>", Right.POST, form="articles.delete", refuses=(errors.NotYours, errors.TooLate))
def delete_article(id: int, user: User, query: SeenRevision) -> None:
    """Delete an own article for good."""
    store().removals.delete(id, actor=user, revision=query.revision)


@operation(
    "POST /articles/<int:id>/report",
    Right.POST,
    form="moderation.report",
    refuses=(errors.OwnReport, errors.AlreadyReported),
)
def report_article(user: User, article: models.Article, body: NewReport) -> None:
    """Report an article to the moderators, once."""
    _report(user, article, ReportForm.of_body(reason=body.reason.value, note=body.note))


@operation(
    "POST /articles/<int:id>/comments/<int:number>/report",
    Right.POST,
    form="comment_moderation.report",
    refuses=(errors.OwnReport, errors.CommentReported),
)
def report_comment(user: User, comment: StoredComment, body: NewCommentReport) -> None:
    """Report a comment to the moderators, once."""
    _report(user, comment, CommentReportForm.of_body(reason=body.reason.value, note=body.note))


def _report(user: User, post: models.Article | StoredComment, form: ReportForm) -> None:
    check_not_own(user, post)
    form.require_valid()
    store().reports.make(post.id, user, Reason(form.reason.data), form.note.data or "")


@operation(
    "POST /articles/<int:id>/comments",
    Right.POST,
    form="comments.write",
    refuses=(errors.ParentGone, errors.TooDeep, *_OF_CONVERSATION),
)
def write_comment(user: User, article: models.Article, body: NewComment) -> Comment:
    """Write a comment on an article, or an answer to another comment."""
    form = CommentForm.of_body(text=body.text)
    form.require_valid()
    id = comments.post(article, Thread(article.id), body.parent, form.text.data, user, _once(user))
    return _read_comment(id)


def _read_comment(id: CommentId) -> Comment:
    comment = store().read(queue_comment, *id)
    if comment is None:
        raise errors.NoSuchComment()
    return comment_of(id.article, comment.node, comment.text)


@operation(
    "PATCH /articles/<int:id>/comments/<int:number>",
    Right.POST,
    form="comments.edit",
    refuses=(errors.NotYourComment, errors.CommentTooLate),
)
def edit_comment(id: int, number: int, user: User, body: CommentText) -> Comment:
    """Edit an own comment in its first minutes."""
    form = CommentForm.of_body(text=body.text)
    form.require_valid()
    store().comments.edit(CommentId(id, number), form.text.data, user)
    return _read_comment(CommentId(id, number))


@operation(
    "DELETE /articles/<int:id>/comments/<int:number>",
    Right.POST,
    form="comments.delete",
    refuses=(errors.NotYourComment,),
)
def delete_comment(id: int, number: int, user: User) -> None:
    """Delete an own comment for good; one that was deleted before stays so."""
    store().removals.delete(CommentId(id, number), actor=user)
