"""Posting an article: the form, and what it tells before it is sent."""

import re

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.errors import Conflict, Duplicate, Held, LoggedOut, NoSuchGroup, TooFast, TooManyGroups
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import queue_viewer
from voteweb.web.context import store
from voteweb.web.forms import SubmitForm
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import with_viewer_votes
from voteweb.web.views.articles import refuse_actor

blueprint = Blueprint("submission", __name__)


@blueprint.route("/submit", methods=["GET", "POST"])
@csrf_handled_by_form
def submit() -> ResponseReturnValue:
    """Post an article; a member whose session has ended keeps what they typed.

    ``?title=…&link=…&text=…`` fills the form: the bookmarklet on /about and the menu for sharing of a phone use it.
    """
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    group_names = store().groups.queue_names(pipeline)
    pipeline.execute()
    if viewer.result is None and request.method != "POST":
        raise LoggedOut()
    if viewer.result is not None and viewer.result.held:
        raise Held()
    form = SubmitForm(**_shared_fields())
    form.set_groups(group_names.result)
    duplicate = None
    if viewer.result is None:
        form.refuse(LoggedOut())
    elif form.validate_on_submit():
        allow_duplicate = "anyway" in request.form
        try:
            id = store().articles.post(form.draft(), viewer.result, form.once.data, allow_duplicate=allow_duplicate)
        except (NoSuchGroup, TooManyGroups) as error:
            form.refuse(error, "groups")
        except Duplicate as error:
            earlier = store().articles.get(error.values["id"])
            (duplicate,), _names = with_viewer_votes((earlier,), viewer.result)
            form.refuse(error, "link")
        except (Conflict, TooFast) as error:
            form.refuse(error)
        except LoggedOut as error:
            refuse_actor(form, error)
        else:
            flash(_("Your article has been posted."))
            if form.has_completed_link:
                flash(_("“https://” was added to its link."))
            return redirect(f"/a/{id}", 303)
    return render_template("articles/submit.html", form=form, duplicate=duplicate), form.status


def _shared_fields() -> dict[str, str]:
    """Return what the address of the form fills in; many programs share the address of a page as a text."""
    title = request.args.get("title", "")[: config.MAX_TITLE_LENGTH]
    link = request.args.get("link", "")[: config.MAX_LINK_LENGTH].strip()
    text = request.args.get("text", "")[: config.MAX_TEXT_LENGTH]
    if not link and re.fullmatch(r"\s*https?://\S+\s*", text, re.IGNORECASE):
        link, text = text.strip(), ""
    return {"title": title, "link": link, "text": text}
