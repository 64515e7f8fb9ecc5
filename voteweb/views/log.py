"""The public log of what moderators and the command line did, and undoing the latest of it."""

from html import unescape
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import config, fields, rules
from voteweb.config import COMMAND_LINE
from voteweb.errors import NothingToUndo
from voteweb.feed import Feed, Item, answer, in_one_language, lasting_id, render
from voteweb.filters import now
from voteweb.found import absolute
from voteweb.language import gettext as _
from voteweb.lists import page_number, refuse_past_end
from voteweb.login import ask_viewer, member, members_only, page_trip, store
from voteweb.models import Act, Entry
from voteweb.places import here
from voteweb.store.log import Deed

blueprint = Blueprint("log", __name__)


@blueprint.get("/log")
def index() -> str:
    """Show the log, newest first, by moderator and kind if asked."""
    number, who, kind = page_number(), _who(), _kind()
    trip = page_trip()
    ask_viewer(trip)
    listed = store().log.ask(trip, number, who=who, kind=kind)
    trip.go()
    page = refuse_past_end(listed.value)
    return render_template("log/index.html", page=page, who=who, kind=kind, kinds=tuple(Act))


@blueprint.get("/log.<any(atom, json):form>")
@in_one_language
def feed(form: str) -> Response:
    """Return the newest acts as a feed, by moderator and kind if asked."""
    who, kind = _who(), _kind()
    trip = store().trip(reader=True)
    listed = store().log.ask(trip, 1, who=who, kind=kind)
    trip.go()
    asked = urlencode({name: value for name, value in (("who", who), ("kind", kind)) if value})
    items = tuple(_item(entry) for entry in listed.value.rows)
    return answer(Feed(_("Moderation log"), "/log", items, query=f"?{asked}" if asked else ""), form)


def _item(entry: Entry) -> Item:
    page = absolute(f"/log#l{entry.id}")
    return Item(
        id=lasting_id("act", entry.id, entry.time),
        title=unescape(render("log/_title.html", entry=entry).strip()),
        story=page,
        page=page,
        author=entry.who,
        author_page=absolute(f"/u/{entry.who}") if fields.is_member_name(entry.who) else "",
        published=entry.time,
        updated=entry.time,
        content=render("log/_content.html", entry=entry),
    )


@blueprint.post("/log/<int:id>/undo")
@members_only
def undo(id: int) -> ResponseReturnValue:
    """Take back an own act of the last minutes: a change of groups, or a removal."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    trip.go()
    user = member(viewer.value)
    if not rules.may_moderate(user):
        abort(403)
    entry = store().log.get(id)
    if entry is None or not rules.may_undo(user, entry, now()):
        raise NothingToUndo()
    kind = Act.RESTORE if entry.kind is Act.REMOVE else Act.GROUPS
    deed = Deed(kind, user.name, about=entry.about, article=entry.article, title=entry.title, undoes=id)
    if entry.kind is Act.REMOVE:
        store().removals.restore(entry.article, deed)
    else:
        store().articles.set_groups(entry.article, entry.removed, entry.added, deed)
    done = store().log.get(id)
    if done is None or not done.undone:  # somebody else took it back meanwhile: nothing was left to do
        raise NothingToUndo()
    flash(_("The act is undone; the log says so."))
    return redirect(here(request.form.get("next", ""), "/log"), 303)


def _who() -> str:
    """Return the moderator asked for; a name that nobody can have finds nothing, as it should."""
    asked = request.args.get("who", "").strip()
    return asked[: max(len(COMMAND_LINE), config.USER_NAME_LENGTH[1]) + 1]


def _kind() -> str:
    asked = request.args.get("kind", "")
    return asked if asked in set(Act) else ""
