"""The public log of what moderators and the command line did, and undoing: one act, or all of a member since a time."""

import re
from urllib.parse import urlencode

from flask import Blueprint, abort, flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import N_, Invalid, NothingToUndo
from voteweb.core.models import LogAction, User
from voteweb.core.rate_limits import SEARCH
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.site.moderation_log import LogMatches, Times
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_admin, require_moderator
from voteweb.web.base.context import now, store
from voteweb.web.base.urls import unix_time
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Message, act, reads
from voteweb.web.pages.feeds import Feed, log_item, serve_feed
from voteweb.web.requests import rate_limits
from voteweb.web.views.bans import closed_votes
from voteweb.web.views.members import queue_member

blueprint = Blueprint("moderation_log", __name__)


#: The parameters of the filter of the log, words, a moderator, a kind of acts, the first day and the last, with the
#: characters of each that count. Of a name, these are one more than any has, which is enough to match none.
_FILTERS = {
    "q": config.MAX_QUERY_LENGTH,
    "who": max(len(COMMAND_LINE), config.MAX_USER_NAME_LENGTH) + 1,
    "kind": config.MAX_QUERY_LENGTH,
    "from": 20,
    "to": 20,
}


def _wanted() -> dict[str, str]:
    """Return the filter as it was typed, "" for a parameter that is left out, and for a kind that there is not."""
    typed = {name: request.args.get(name, "").strip()[:most] for name, most in _FILTERS.items()}
    return typed if typed["kind"] in set(LogAction) else typed | {"kind": ""}


def _query(*names: str) -> str:
    """Return the query that keeps the parameters *names* of the filter, "" if none of them is there."""
    wanted = _wanted()
    return urlencode({name: wanted[name] for name in names if wanted[name]})


def _parse_times(wanted: dict[str, str]) -> Times:
    """Return the times from which and before which acts are shown; raise Invalid."""
    first, last = validation.check_all(
        *(lambda typed=wanted[name]: validation.day(typed) if typed else None for name in ("from", "to"))
    )
    if first is not None and last is not None and first > last:
        raise Invalid(N_("The first day is after the last one."))
    return "" if first is None else str(first), "" if last is None else str(last + 86_400)


def _queue_entries(pipeline: Pipeline) -> Future[LogMatches] | Future[Invalid]:
    """Queue a read of the entries that the query asks for; of why it is refused, if it is."""
    wanted = _wanted()
    try:
        since, until = _parse_times(wanted)
    except Invalid as error:
        refused = error
        return pipeline.then(lambda: refused)
    words = wanted["q"].split()
    if words:
        rate_limits.hit(*rate_limits.address_hits(SEARCH))
    before = min(filter(None, (until, unix_time("before"))), key=float, default="")
    return store().log.queue_search(pipeline, words, who=wanted["who"], kind=wanted["kind"], times=(since, before))


def _queue_who(pipeline: Pipeline) -> Future[User | None]:
    """Queue a read of the member whose acts are shown, None if there is none of this name."""
    who = _wanted()["who"]
    if validation.is_member_name(who):
        return store().users.queue_get(pipeline, who)
    return pipeline.then(lambda: None)


@blueprint.get("/log")
@reads(found=_queue_entries, member=_queue_who)
def index(found: LogMatches | Invalid, member: User | None) -> ResponseReturnValue:
    """Show the log, newest first; the query can search it for words, and filter it by moderator, kind and days."""
    refused = error_message(found) if isinstance(found, Invalid) else ""
    matches = found if isinstance(found, LogMatches) else None
    context = {
        "wanted": _wanted(),
        "query": _query(*_FILTERS),
        "matches": matches,
        "refused": refused,
        "member": member,
    }
    return render_template("moderation_log/index.html", kinds=tuple(LogAction), **context), 422 if refused else 200


@serve_feed(blueprint, "/log")
def feed() -> Feed:
    """Return the newest entries as a feed; the query can filter them by moderator and kind."""
    wanted, query = _wanted(), _query("who", "kind")
    page = store().read(store().log.queue_page, 1, who=wanted["who"], kind=wanted["kind"])
    items = tuple(log_item(entry, f"/log#l{entry.id}", entry.time) for entry in page.rows)
    return Feed(_("Moderation log"), "/log", items, query=f"?{query}" if query else "")


@act(blueprint, "/log/<int:id>/undo", require_moderator, back="/log")
def undo(id: int, user: User) -> Message:
    """Undo one of the viewer's actions of the last minutes."""
    if closed := closed_votes(store().undoing.undo(id, user)):
        flash(closed)
    return _("The action has been undone. The log says so.")


#: The spans before now since which acts can be undone, in seconds.
_SPANS = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400}


def _since(typed: str) -> float:
    """Return the unix time that was *typed*: as such a time, as a span before now, or as a day; raise Invalid."""
    if typed in _SPANS:
        return now() - _SPANS[typed]
    if re.fullmatch(r"[0-9]{1,10}(\.[0-9]{1,6})?", typed, re.ASCII):
        return float(typed) if float(typed) >= 1 else 0.0  # as text, less has an exponent
    return validation.day(typed)


@blueprint.get("/u/<name>/undo", endpoint="undo_all_form")
@reads(require_admin, member=queue_member)
def undo_all_form(user: User, member: User) -> ResponseReturnValue:
    """Show what a member did since a time, first the last hour, what of it can be undone, and what cannot."""
    _check_may_undo_all(user, member)
    return _render_undoing(member, request.args.get("since", "hour").strip()[:20])


def _typed_since() -> str:
    return request.form.get("since", "")[:20]


@act(
    blueprint,
    "/u/<name>/undo",
    require_admin,
    leads_to="/log?kind=undo",
    refuses=(Invalid, NothingToUndo),
    refused=lambda error, member, **_: _render_undoing(member, _typed_since(), error),
    member=queue_member,
)
def undo_all(user: User, member: User) -> Message:
    """Begin to undo all that a member did since a time."""
    _check_may_undo_all(user, member)
    since = _since(_typed_since())
    require_recent_password(user)
    store().undoing.start(member.name, since, user)
    return _("What %(name)s did is being undone. The log and your inbox will say how much of it.", name=member.name)


def _check_may_undo_all(user: User, member: User) -> None:
    if not permissions.may_undo_all(user, member):
        abort(403, _("Nobody can undo all that another admin did."))


def _render_undoing(member: User, typed: str, error: Invalid | NothingToUndo | None = None) -> ResponseReturnValue:
    """Return the page; without what the member did since then, if what was *typed* is no time."""
    found = None
    try:
        found = store().undoing.find(member.name, _since(typed))
    except Invalid as invalid:
        error = invalid
    context = {"member": member, "typed": typed, "found": found, "refused": error_message(error) if error else ""}
    status = error.status if isinstance(error, NothingToUndo) else 422 if error else 200
    return render_template("moderation_log/undo_all.html", spans=_SPANS, **context), status
