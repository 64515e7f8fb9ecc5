"""One article: its page, editing and deleting."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, links, markup, permissions, validation
from voteweb.core.errors import (
    ArticleGone,
    DomainRefused,
    Invalid,
    LinkFixed,
    LoggedOut,
    NoSuchArticle,
    NoSuchGroup,
    NotYours,
    StaleEdit,
    TooLate,
    TooManyGroups,
    VotewebError,
)
from voteweb.core.models import Article, Draft, EarlierVersion, LogAction, LogEntry, User
from voteweb.core.validation import is_member_name
from voteweb.store.comments.threads import ThreadRead
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.fields import words_of
from voteweb.web.auth.login import named_voter, queue_viewer, require_member, require_moderator
from voteweb.web.base.context import now, settings, store
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import absolute
from voteweb.web.caching.own_marks import ViewerMarks, queue_marks, read_marks
from voteweb.web.caching.posters import named
from voteweb.web.caching.text_cache import article_text
from voteweb.web.i18n.formatting import display_name, iso
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import conversations, posted_before, shared_articles
from voteweb.web.pages.acts import (
    LOST_RIGHTS,
    Message,
    act,
    article_entry,
    form_page,
    lead,
    queue_article,
    reads,
    refusals,
)
from voteweb.web.pages.forms import EditForm, Form, checked
from voteweb.web.views.groups import NAME_QUERIES

blueprint = Blueprint("articles", __name__)
#: The fields beside which a form of an article shows these errors.
ARTICLE_FIELDS = {
    **LOST_RIGHTS, TooLate: "", NoSuchGroup: "groups", TooManyGroups: "groups", LinkFixed: "link",
    DomainRefused: "link",
}  # fmt: skip


@blueprint.get("/a/<int:id>")
def show(id: int) -> ResponseReturnValue:
    """Show one article with its text, its numbers and the sum of its score; 410 when it is gone."""
    return render_article(id)


def render_article(id: int, status: int = 200, **context: Any) -> ResponseReturnValue:
    """Return the page of one article; *context* may contain a refused form, with its *status*."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored, thread = conversations.queue_article(pipeline, id)
    queued = queue_marks(pipeline, (id,), named_voter(), in_list=False)
    others = posted_before.queue(pipeline, id)
    pipeline.execute()
    article = stored.result
    if article is None:
        raise NoSuchArticle()
    if not permissions.may_read(viewer.result, article):
        return _render_gone(article, viewer.result, thread.result if thread else None)
    more = store().pipeline()
    earlier = store().articles.queue_earlier(more, id) if permissions.may_moderate(viewer.result) else None
    conversation = conversations.queue_page(more, article, thread.result, viewer.result) if thread else None
    if not context and shared_articles.may_share(viewer.result, article):
        more.execute()
        if not others.result:  # a page that all members share may be kept for longer than others stay listed
            (row,) = ViewerMarks(queued.read.result).on(named((article,)))
            shown = conversation.result if conversation else None
            return shared_articles.render(viewer.result, row, shown), status
    marks = read_marks((article,), viewer.result, queued, more, in_list=False)
    (row,) = marks.on(named((article,)))
    more.execute()  # for a reader, who has no votes; for others nothing is left
    context |= {"all_groups": marks.group_names, "earlier": earlier.result if earlier else ()}
    context |= {"posted_before": others.result if article.is_listed else ()}
    context |= {"conversation": conversation.result} if conversation else {}
    if viewer.result is None and row.is_listed and row.comments and conversation:
        context["discussion"] = _discussion(row)
    return render_template("articles/show.html", article=row, **context), status


def _render_gone(article: Article, viewer: User | None, thread: ThreadRead | None) -> ResponseReturnValue:
    """Return the page of an article that is gone; what others wrote below one that its poster deleted stays."""
    context: dict[str, Any] = {}
    if thread and article.is_deleted and thread.thread.nodes:
        pipeline = store().pipeline()
        conversation = conversations.queue_page(pipeline, article, thread, viewer)
        pipeline.execute()
        context = {"conversation": conversation.result}
    return render_template("articles/gone.html", article=article, **context), 410


def _discussion(article: Article) -> dict[str, Any]:
    """Describe *article*, whose comments are in the page, as a DiscussionForumPosting of schema.org."""
    data = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "url": absolute(f"/a/{article.id}"),
        "headline": article.title,
        "text": _plain(markup.trusted(article_text(article.text).__html__()).striptags()) or article.title,
        "author": _person(article.poster),
        "datePublished": iso(article.time),
        "commentCount": article.comments,
        "interactionStatistic": [_count("LikeAction", article.votes), _count("CommentAction", article.comments)],
    }
    if article.edited:
        data["dateModified"] = iso(article.edited)
    if link := links.web_address(article.link):
        data["sharedContent"] = {"@type": "WebPage", "url": link}
    return data


def _plain(text: str) -> str:
    """Return the beginning of *text*: the page has the whole."""
    length = config.DESCRIBED_TEXT_LENGTH
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


def _person(name: str) -> dict[str, str]:
    person = {"@type": "Person", "name": display_name(name)}
    return person | {"url": absolute(f"/u/{quote(name)}")} if is_member_name(name) else person


def _count(action: str, count: int) -> dict[str, Any]:
    return {
        "@type": "InteractionCounter",
        "interactionType": f"https://schema.org/{action}",
        "userInteractionCount": count,
    }


@form_page(blueprint, "/a/<int:id>/edit")
@reads(article=queue_article, **NAME_QUERIES)
def edit(viewer: User | None, article: Article, aliases: dict[str, str], names: tuple[str, ...]) -> ResponseReturnValue:
    """Edit an article; the form says until when, and a member whose session has ended keeps what they typed."""
    if viewer is None and (request.method != "POST" or wants_json()):
        raise LoggedOut()
    form = EditForm()
    form.set_groups(names)
    if not article.is_listed and not article.is_held:
        raise ArticleGone()
    if viewer is None:
        form.refuse(LoggedOut())
        if article.is_held:  # a reader must not see its title
            article = replace(article, title=form.title.data or "")
        return render_template("articles/edit.html", form=form, article=article, until=None), 422
    user = require_member(viewer)
    form.stored_link, form.stored_title = article.link, article.title
    refusal = edit_refusal(user, article)
    if refusal and not (form.is_submitted() and isinstance(refusal, TooLate)):
        raise refusal

    def log_entry() -> LogEntry | None:
        return edit_entry(user, article, form.reason.data or "")

    if not form.is_submitted():
        form.fill(article, aliases)
    elif refusal:  # what was typed a moment too late is shown again
        form.refuse(refusal)
    elif form.validate(_asks(article, user, log_entry)):
        try:
            with refusals(form, ARTICLE_FIELDS):
                store().articles.edit(article.id, form.draft(), user, log_entry(), revision=form.revision.data)
                return lead(f"/a/{article.id}", _("The article has been changed."))
        except StaleEdit as error:
            form.compare(store().read(queue_article, article.id) or article, error)
    until = article.time + settings().edit_seconds if log_entry() is None else None
    page = render_template("articles/edit.html", form=form, article=article, until=until)
    return page, form.status


def _asks(article: Article, user: User, log_entry: Callable[[], LogEntry | None]) -> dict[str, Any]:
    """Return what tells whether an edit of the link alone, and one of the groups alone, would be accepted."""

    def ask(field: str, value: Any) -> Any:
        changed = Draft(**words_of(article) | {"groups": article.groups, field: value})
        store().articles.check_edit(article.id, changed, user, log_entry())
        return value

    return {name: [checked(partial(ask, name), *ARTICLE_FIELDS)] for name in ("link", "groups")}


def _queue_versions(pipeline: Pipeline, id: int) -> Future[tuple[EarlierVersion, ...]]:
    return store().articles.queue_earlier(pipeline, id)


@blueprint.get("/a/<int:id>/edits")
@reads(require_member, article=queue_article, versions=_queue_versions)
def edits(user: User, article: Article, versions: tuple[EarlierVersion, ...]) -> ResponseReturnValue:
    """Show the poster of an article, and moderators, what the poster had last and what others made of it."""
    if article.is_deleted:
        raise ArticleGone()
    if not (permissions.is_poster(user, article) or permissions.may_moderate(user)):
        raise NotYours()
    return render_edits(article, versions)


def render_edits(
    article: Article, versions: tuple[EarlierVersion, ...], form: Form | None = None
) -> ResponseReturnValue:
    """Return that page, with the refused *form* of an answer, if there is one."""
    posted = next((version for version in versions if version.as_posted), None)
    page = render_template("articles/edits.html", article=article, posted=posted, answer_form=form)
    return page, form.status if form else 200


@act(
    blueprint,
    "/a/<int:id>/back",
    require_moderator,
    says=(LinkFixed, DomainRefused, TooManyGroups, Invalid),
    article=queue_article,
    versions=_queue_versions,
    aliases=NAME_QUERIES["aliases"],
    names=NAME_QUERIES["names"],
)
def go_back(
    user: User, article: Article, versions: tuple[EarlierVersion, ...], aliases: dict[str, str], names: tuple[str, ...]
) -> Message:
    """Give an article the words and groups of an earlier version; without its time, of what its poster had last."""
    until, reason = (request.form.get(name, "") for name in ("until", "reason"))
    version = next((one for one in versions if (str(one.until) == until if until else one.as_posted)), None)
    if version is None:
        return _("This version is not kept any more."), "error"
    draft = Draft(**words_of(version), groups=tuple(name for name in version.groups if name in {*names, *aliases}))
    entry = article_entry(LogAction.EDIT, user, article, validation.note(reason))
    store().articles.edit(article.id, draft, user, entry, revision=article.revision)
    return _("The article is as it was in that version.")


@act(blueprint, "/a/<int:id>/delete", require_member, leads_to="/")
def delete(id: int, user: User) -> Message:
    """Delete the viewer's own article for good."""
    if store().removals.delete(id, actor=user):
        return _("Your article has been deleted.")
    return _("Your article has been deleted already.")  # the form was sent twice


def edit_refusal(user: User, article: Article) -> VotewebError | None:
    """Return why *user* cannot edit *article*, None if they can."""
    if article.is_removed or not permissions.may_read(user, article):
        return ArticleGone()
    if permissions.may_edit(user, article, now(), settings()):
        return None
    if permissions.is_poster(user, article):
        return TooLate(when=article.time + (0 if article.released else settings().edit_seconds))
    return NotYours()


def edit_entry(user: User, article: Article, why: str) -> LogEntry | None:
    """Return the log entry of an edit by the moderator *user*, None for one that they make as its poster."""
    is_as_poster = permissions.may_edit_as_poster(user, article, now(), settings())
    return None if is_as_poster else article_entry(LogAction.EDIT, user, article, why)
