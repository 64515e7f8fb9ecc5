"""Articles: the lists of the whole site, one article, editing and deleting."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions
from voteweb.core.errors import (
    ArticleGone,
    DomainRefused,
    LinkFixed,
    LoggedOut,
    NoSuchArticle,
    NoSuchGroup,
    NotAllowed,
    NotYours,
    StaleEdit,
    TooLate,
    TooManyGroups,
)
from voteweb.core.models import Article, ArticleStatus, LogAction, Order, Page, User
from voteweb.store.comments.threads import ThreadRead
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web import conversations, my_groups, my_site, shared_articles
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import (
    login_required,
    named_voter,
    queue_viewer,
    require_member,
    treat_as_reader,
    viewer,
)
from voteweb.web.caching import shared_pages
from voteweb.web.context import now, settings, store
from voteweb.web.conversations import ConversationPages, order_of_address
from voteweb.web.forms import EditForm, Form
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.own_marks import ViewerMarks, queue_marks, read_marks
from voteweb.web.pagination import page_number, render_list
from voteweb.web.responses import RenderedPage, wants_json
from voteweb.web.views import structured_data

blueprint = Blueprint("articles", __name__)


@blueprint.get("/")
def front() -> RenderedPage:
    """Show the front page: all articles by score, and beside them the newest good ones that the page does not list.

    A member may have chosen to see the groups that they follow instead; ``?of=all`` shows all articles still.
    """
    if request.args.get("of") == "all":
        return _front()
    known_as_my_groups = my_groups.is_front_page()
    try:
        return my_groups.render(Order.SCORE, as_front_page=True) if known_as_my_groups else _front(chosen="")
    except my_groups.ChosenOtherwise:  # this process knew another choice, or none
        return _front() if known_as_my_groups else my_groups.render(Order.SCORE, as_front_page=True)


def _front(chosen: str | None = None) -> RenderedPage:
    """Return the front page with all articles; raise ChosenOtherwise if the viewer's choice is not *chosen*."""
    count, queries = config.GOOD_ON_FRONT, {}
    if count:
        # Twice as many, since the newest good articles are often on the page.
        queries["good"] = lambda pipeline: store().listings.queue_good(pipeline, 2 * count)

    def check(results: dict[str, Any]) -> None:
        user, choice = viewer(), results.pop("choice", None)
        if user and choice:
            store().my_sites.remember(user, choice)
        if user and chosen is not None and user.front != chosen:
            raise my_groups.ChosenOtherwise

    def leave_out_listed(results: dict[str, Any], rows: tuple[Article, ...]) -> None:
        listed = {row.id for row in rows}
        good = my_site.not_hidden(results.get("good", ()))
        results["good"] = tuple(article for article in good if article.id not in listed)[:count]

    return render_list(
        "articles/front.html",
        store().rankings.site(Order.SCORE),
        check=check,
        queries=queries,
        viewer_queries=my_site.unknown_choice_queries(),
        finish=leave_out_listed,
    )


@blueprint.get("/new")
def new() -> RenderedPage:
    """Show all articles by time."""
    return render_list("articles/new.html", store().rankings.site(Order.TIME))


@blueprint.get("/good")
def good() -> RenderedPage:
    """Show the newest good articles."""
    asked, pipeline = shared_pages.clock(), store().pipeline()
    viewer = queue_viewer(pipeline)
    articles = store().listings.queue_good(pipeline, config.GOOD_LISTED)
    pipeline.execute()
    rows, template = articles.result, "articles/good.html"
    page: Page[Article] = Page((), number=1, total=len(rows), first_rank=1, more=False)
    marks = read_marks(rows, viewer.result)
    if shared_pages.may_keep(viewer.result):
        return shared_pages.render_list(asked, template, rows, marks.by_id, page=page)
    page = replace(page, rows=my_site.not_hidden(marks.on(rows)))
    return render_template(template, page=page, all_groups=marks.group_names)


@blueprint.get("/a/<int:id>")
def show(id: int) -> ResponseReturnValue:
    """Show one article with its text, its numbers and the sum of its score; 410 when it is gone."""
    return render_article(id)


def render_article(id: int, status: int = 200, **context: Any) -> ResponseReturnValue:
    """Return the page of one article; *context* may contain a refused form, with its *status*."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored, thread = conversations.queue_article(pipeline, id, page_number)
    queued = queue_marks(pipeline, (id,), named_voter(), in_list=False)
    pipeline.execute()
    article = stored.result
    if article is None:
        raise NoSuchArticle()
    if not permissions.may_read(viewer.result, article):
        return _render_gone(article, viewer.result, thread.result if thread else None)
    more = store().pipeline()
    earlier = store().articles.queue_earlier(more, id) if permissions.may_moderate(viewer.result) else None
    pages = None
    if thread:
        pages = ConversationPages(article, thread.result, number=page_number(), order=order_of_address())
        pages.queue_missing(more, viewer.result)
        if not conversations.is_prefetch():
            pages.queue_mark_read(more, viewer.result)
    if not context and shared_articles.may_share(viewer.result, article):
        more.execute()
        (row,) = ViewerMarks(queued.read.result).on((article,))
        return shared_articles.render(viewer.result, row, pages), status
    marks = read_marks((article,), viewer.result, queued, more, in_list=False)
    (row,) = marks.on((article,))
    more.execute()  # for a reader, who has no votes; for others nothing is left
    context |= {"all_groups": marks.group_names, "earlier": earlier.result if earlier else ()}
    context |= {"pages": pages} if pages else {}
    if viewer.result is None and row.is_listed and row.comments and pages:
        context["discussion"] = structured_data.discussion(row)
    return render_template("articles/show.html", article=row, **context), status


def _render_gone(article: Article, viewer: User | None, thread: ThreadRead | None) -> ResponseReturnValue:
    """Return the page of an article that is gone; what others wrote below one that its poster deleted stays."""
    context: dict[str, Any] = {}
    if thread and article.status is ArticleStatus.DELETED and thread.thread.nodes:
        pages = ConversationPages(article, thread, number=page_number(), order=order_of_address())
        pipeline = store().pipeline()
        pages.queue_missing(pipeline, viewer)
        pipeline.execute()
        context = {"pages": pages}
    return render_template("articles/gone.html", article=article, **context), 410


@blueprint.route("/a/<int:id>/edit", methods=["GET", "POST"])
@csrf_handled_by_form
def edit(id: int) -> ResponseReturnValue:
    """Edit an article; the form says until when, and a member whose session has ended keeps what they typed."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored = store().articles.queue_get(pipeline, id)
    group_names = store().groups.queue_names(pipeline)
    pipeline.execute()
    if viewer.result is None and (request.method != "POST" or wants_json()):
        raise LoggedOut()
    form = EditForm()
    form.set_groups(group_names.result)
    if viewer.result is None:
        form.refuse(LoggedOut())
        article = _check_listed(stored.result)
        if article.status is ArticleStatus.HELD:  # a reader must not see its title
            article = replace(article, title=form.title.data or "")
        return render_template("articles/edit.html", form=form, article=article, until=None), 422
    user, article = require_member(viewer.result), _check_listed(stored.result)
    if not permissions.may_read(user, article):
        raise ArticleGone()
    form.stored_link = article.link
    if not permissions.may_edit(user, article, now(), settings()):
        raise _edit_refusal(user, article)
    edits_as_poster = permissions.may_edit_as_poster(user, article, now(), settings())
    if not form.is_submitted():
        form.fill(article)
    elif form.validate() and _save(form, user, article, edits_as_poster):
        flash(_("The article has been changed."))
        return redirect(f"/a/{id}", 303)
    until = article.time + settings().edit_seconds if edits_as_poster else None
    page = render_template("articles/edit.html", form=form, article=article, until=until)
    return page, form.status


def _save(form: EditForm, user: User, article: Article, edits_as_poster: bool) -> bool:
    """Save the edited article; tell whether that worked, else the form says why."""
    entry = None
    if not edits_as_poster:
        entry = NewLogEntry(LogAction.EDIT, user.name, article=article.id, title=article.title, about=article.poster)
    try:
        store().articles.edit(article.id, form.draft(), user, entry, revision=form.revision.data)
    except (NoSuchGroup, TooManyGroups) as error:
        form.refuse(error, "groups")
        return False
    except (LinkFixed, DomainRefused) as error:
        form.refuse(error, "link")
        return False
    except StaleEdit as error:
        form.compare(store().articles.get(article.id), error)
        return False
    except (LoggedOut, NotAllowed) as error:
        refuse_actor(form, error)
        return False
    return True


def refuse_actor(form: Form, error: LoggedOut | NotAllowed) -> None:
    """Show *form* with what was typed to a viewer who was banned or lost their role while it was on its way."""
    if isinstance(error, LoggedOut):
        treat_as_reader()
    form.refuse(error)


@blueprint.post("/a/<int:id>/delete")
@login_required
def delete(id: int) -> ResponseReturnValue:
    """Delete the viewer's own article for good."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored = store().articles.queue_get(pipeline, id)
    pipeline.execute()
    user = require_member(viewer.result)
    if stored.result and stored.result.status is ArticleStatus.DELETED and permissions.is_poster(user, stored.result):
        flash(_("Your article has been deleted already."))  # the form was sent twice
        return redirect("/", 303)
    article = _check_listed(stored.result)
    if not permissions.may_read(user, article):
        raise ArticleGone()
    if not permissions.is_poster(user, article):
        abort(403, _("Only its poster can delete an article. Moderators can remove it."))
    if not permissions.may_delete(user, article, now(), settings()):
        raise _edit_refusal(user, article)
    store().removals.delete(id, user)
    flash(_("Your article has been deleted."))
    return redirect("/", 303)


def _check_listed(article: Article | None) -> Article:
    if article is None:
        raise NoSuchArticle()
    if not article.is_listed and article.status is not ArticleStatus.HELD:
        raise ArticleGone()
    return article


def _edit_refusal(user: User, article: Article) -> Exception:
    if permissions.is_poster(user, article):
        return TooLate(when=article.time + (0 if article.released else settings().edit_seconds))
    return NotYours()
