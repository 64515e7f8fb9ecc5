"""Moderation: sorting articles into groups and out of them."""

import re

from flask import Blueprint, abort, flash, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from voteweb import fields
from voteweb.errors import Invalid, NoSuchGroup, TooManyGroups
from voteweb.i18n import refusal
from voteweb.login import members_only, pressed_at, store, to_login, viewer
from voteweb.rules import may_moderate
from voteweb.views.articles import page_of

blueprint = Blueprint("moderation", __name__)


@blueprint.post("/a/<int:id>/groups")
@members_only
def set_groups(id: int) -> ResponseReturnValue:
    """Put an article into groups and take it out of others, in one act; what is wrong is said beside the form."""
    member = viewer()
    if member is None:
        return to_login()
    if not may_moderate(member):
        abort(403)
    typed = " ".join(request.form.getlist("add"))
    leaving = request.form.getlist("remove")
    try:
        add = [fields.group_name(name) for name in re.split(r"[\s,]+", typed) if name]
        remove = [fields.group_name(name) for name in leaving if name]
        groups = store().articles.set_groups(id, add, remove)
    except (Invalid, NoSuchGroup, TooManyGroups) as error:
        refused = {"typed": typed, "leaving": leaving, "error": refusal(error), "next": pressed_at()}
        return page_of(id, refused=refused), error.status if error.status != 404 else 422
    flash(
        _("The article is now in: %(groups)s.", groups=", ".join(groups))
        if groups
        else _("The article is now in no group.")
    )
    return redirect(pressed_at(), 303)
