"""Held articles: moderators release them; refusing one is a removal with a reason."""

from flask import Blueprint, flash, redirect
from flask.typing import ResponseReturnValue

from voteweb.core.models import LogAction
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import return_url
from voteweb.web.views.moderation import moderator_and_article

blueprint = Blueprint("held_articles", __name__)


@blueprint.post("/a/<int:id>/release")
@login_required
def release(id: int) -> ResponseReturnValue:
    """Publish an article that waits for a moderator; its publish time is now."""
    user, article = moderator_and_article(id)
    entry = NewLogEntry(LogAction.RELEASE, user.name, article.poster, id, article.title)
    if store().held_articles.release(id, entry, actor=user):
        flash(_("The article has been published. Its time is that of now."))
    else:
        flash(_("This article does not wait any more."), "error")
    return redirect(return_url(), 303)
