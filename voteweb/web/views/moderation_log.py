"""The public log of what moderators and the command line did, and undoing its newest entries."""

from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from voteweb.core import config
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, LogEntry, Page, User
from voteweb.web.acts import Message, act, reads
from voteweb.web.auth.login import require_moderator
from voteweb.web.context import store
from voteweb.web.feeds import Feed, log_item, serve_feed
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import page_number
from voteweb.web.urls import next_of_form
from voteweb.web.views.members import flash_closed_votes

blueprint = Blueprint("moderation_log", __name__)


@blueprint.get("/log")
@reads(page=lambda pipeline: store().log.queue_page(pipeline, page_number(), who=_who(), kind=_kind()))
def index(page: Page[LogEntry]) -> str:
    """Show the log, newest first; the query can filter it by moderator and kind."""
    return render_template("moderation_log/index.html", page=page, who=_who(), kind=_kind(), kinds=tuple(LogAction))


@serve_feed(blueprint, "/log")
def feed() -> Feed:
    """Return the newest entries as a feed; the query can filter them by moderator and kind."""
    who, kind = _who(), _kind()
    page = store().read(store().log.queue_page, 1, who=who, kind=kind)
    query = urlencode({name: value for name, value in (("who", who), ("kind", kind)) if value})
    items = tuple(log_item(entry, f"/log#l{entry.id}", entry.time) for entry in page.rows)
    return Feed(_("Moderation log"), "/log", items, query=f"?{query}" if query else "")


@act(blueprint, "/log/<int:id>/undo", require_moderator, leads_to=lambda: next_of_form("/log"))
def undo(id: int, user: User) -> Message:
    """Undo one of the viewer's actions of the last minutes."""
    flash_closed_votes(store().undoing.undo(id, user))
    return _("The action has been undone. The log says so.")


def _who() -> str:
    """Return the moderator to filter by, cut to one character more than any name has, which is enough to match none."""
    name = request.args.get("who", "").strip()
    return name[: max(len(COMMAND_LINE), config.MAX_USER_NAME_LENGTH) + 1]


def _kind() -> str:
    kind = request.args.get("kind", "")
    return kind if kind in set(LogAction) else ""
