"""Editing and deleting an article: the own one in its first minutes; moderators edit at any time."""

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import rules
from voteweb.errors import ArticleGone, LoggedOut, NoSuchArticle, NoSuchGroup, NotYours, TooLate, TooManyGroups
from voteweb.filters import now
from voteweb.forms import EditForm
from voteweb.language import gettext as _
from voteweb.login import ask_viewer, member, members_only, settings, store
from voteweb.models import Act, Article, Draft, User
from voteweb.places import wants_json
from voteweb.ranking import closes
from voteweb.store.log import Deed
from voteweb.tokens import checks_own_token

blueprint = Blueprint("editing", __name__)


@blueprint.route("/a/<int:id>/edit", methods=["GET", "POST"])
@checks_own_token
def edit(id: int) -> ResponseReturnValue:
    """Edit an article; the form says until when, and whoever is logged out by then keeps what was typed."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    names = store().groups.ask_names(trip)
    trip.go()
    if viewer.value is None and (request.method == "GET" or wants_json()):
        raise LoggedOut()
    form = EditForm()
    form.offer(names.value)
    if viewer.value is None:
        form.refuse(LoggedOut())
        return render_template("articles/edit.html", form=form, article=_listed(asked.value), until=None), 422
    user, article = member(viewer.value), _listed(asked.value)
    if not rules.may_edit(user, article, now(), settings()):
        raise _why_not(user, article)
    own = rules.may_delete(user, article, now(), settings())
    if not form.is_submitted():
        form.fill(article)
    elif form.validate():
        draft = Draft(form.title.data, form.link.data, form.text.data, tuple(form.groups.data))
        deed = None if own else Deed(Act.EDIT, user.name, article=id, title=article.title, about=article.poster)
        try:
            store().articles.edit(id, draft, user, deed)
        except (NoSuchGroup, TooManyGroups) as error:
            form.refuse(error, "groups")
        else:
            flash(_("The article is changed."))
            return redirect(f"/a/{id}", 303)
    until = closes(article.time, settings().edit_seconds) if own else None
    page = render_template("articles/edit.html", form=form, article=article, until=until)
    return page, form.status


@blueprint.post("/a/<int:id>/delete")
@members_only
def delete(id: int) -> ResponseReturnValue:
    """Delete the own article for good."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    trip.go()
    user, article = member(viewer.value), _listed(asked.value)
    if not rules.is_poster(user, article):
        abort(403, _("Only its poster can delete an article. Moderators can remove it."))
    if not rules.may_delete(user, article, now(), settings()):
        raise _why_not(user, article)
    store().removals.delete(id, user)
    flash(_("Your article is deleted."))
    return redirect("/", 303)


def _listed(article: Article | None) -> Article:
    if article is None:
        raise NoSuchArticle()
    if article.gone:
        raise ArticleGone()
    return article


def _why_not(user: User, article: Article) -> Exception:
    if rules.is_poster(user, article):
        return TooLate(when=closes(article.time, settings().edit_seconds))
    return NotYours()
