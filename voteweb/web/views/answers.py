"""Answers of posters to removals: written on the page of the article, settled in the queue of reports."""

from flask import Blueprint, flash, redirect
from flask.typing import ResponseReturnValue

from voteweb.core import permissions
from voteweb.core.errors import AnsweredBefore, NoSuchArticle, NotRemoved, NotYours
from voteweb.core.models import LogAction
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.login import login_required, queue_viewer, require_member
from voteweb.web.context import store
from voteweb.web.forms import AnswerForm
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import return_url
from voteweb.web.views.articles import render_article
from voteweb.web.views.moderation import moderator_and_article

blueprint = Blueprint("answers", __name__)


@blueprint.post("/a/<int:id>/answer")
@login_required
def answer(id: int) -> ResponseReturnValue:
    """Answer the removal of the viewer's own article, once."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored = store().articles.queue_get(pipeline, id)
    pipeline.execute()
    user = require_member(viewer.result)
    if stored.result is None:
        raise NoSuchArticle()
    if not permissions.is_poster(user, stored.result):
        raise NotYours()
    form = AnswerForm()
    is_valid = form.validate()
    if permissions.may_answer(user, stored.result) and not is_valid:
        return render_article(id, form.status, answer_form=form)
    try:
        if not is_valid:
            raise AnsweredBefore() if stored.result.answer else NotRemoved()
        store().waiting.answer(id, user, form.answer.data or "")
    except (NotRemoved, AnsweredBefore) as error:
        flash(error_message(error), "error")
    else:
        flash(_("Your answer has been sent. A moderator will look at it, and you will be told what was decided."))
    return redirect(f"/a/{id}", 303)


@blueprint.post("/a/<int:id>/keep-removed")
@login_required
def keep_removed(id: int) -> ResponseReturnValue:
    """Leave an article removed whose poster has answered, and tell the poster."""
    user, article = moderator_and_article(id)
    entry = NewLogEntry(LogAction.KEEP, user.name, about=article.poster, article=id, title=article.title)
    if store().waiting.keep_removed(article, entry, actor=user):
        flash(_("The article stays removed, and its poster is told."))
    else:
        flash(_("This answer was settled already."), "error")
    return redirect(return_url(), 303)
