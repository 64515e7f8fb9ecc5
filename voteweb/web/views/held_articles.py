"""Held articles: moderators release them; refusing one is a removal with a reason."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core.errors import Conflict, StaleEdit
from voteweb.core.models import LogAction
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.forms import parse_revision
from voteweb.web.i18n.formatting import error_message
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
    revision = parse_revision(request.form.get("revision"))
    try:
        was_held = store().waiting.release(id, entry, actor=user, revision=revision)
    except StaleEdit:  # its poster has changed it: what nobody has looked at must not come into lists
        flash(error_message(Conflict()), "error")
        return redirect(f"/a/{id}", 303)
    if was_held:
        flash(_("The article has been published. Its time is that of now."))
    else:
        flash(_("This article does not wait any more."), "error")
    return redirect(return_url(), 303)
