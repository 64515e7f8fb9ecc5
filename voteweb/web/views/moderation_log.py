"""The public log of what moderators and the command line did, and undoing its newest entries."""

from typing import NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, validation
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import N_, Invalid
from voteweb.core.models import LogAction, LogEntry, Page, User
from voteweb.core.rate_limits import SEARCH
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.site.moderation_log import LogMatches, Times
from voteweb.web import rate_limits
from voteweb.web.acts import Message, act, reads
from voteweb.web.auth.login import require_moderator
from voteweb.web.context import store
from voteweb.web.feeds import Feed, log_item, serve_feed
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number, time_before
from voteweb.web.urls import next_of_form
from voteweb.web.views.members import flash_closed_votes

blueprint = Blueprint("moderation_log", __name__)


class _Filter(NamedTuple):
    """The filter of the log as it was typed: words, a moderator, a kind of acts, the first day and the last."""

    words: str
    who: str
    kind: str
    first: str
    last: str

    @classmethod
    def of_request(cls) -> "_Filter":
        words, first, last = (request.args.get(name, "").strip() for name in ("q", "from", "to"))
        return cls(words[: config.MAX_QUERY_LENGTH], _who(), _kind(), first[:20], last[:20])

    def parse_times(self) -> Times:
        """Return the times from which and before which acts are shown; raise Invalid."""
        first, last = (validation.day(typed) if typed else None for typed in (self.first, self.last))
        if first is not None and last is not None and first > last:
            raise Invalid(N_("The first day is after the last one."))
        return "" if first is None else str(first), "" if last is None else str(last + 86_400)

    @property
    def query(self) -> str:
        """The parameters of its address, each followed by "&", as links to other pages begin."""
        names = {"q": self.words, "who": self.who, "kind": self.kind, "from": self.first, "to": self.last}
        return "".join(f"{urlencode({name: value})}&" for name, value in names.items() if value)


def _queue_entries(pipeline: Pipeline) -> Future[Page[LogEntry]] | Future[LogMatches] | Future[None]:
    """Queue a read of the entries that the query asks for; of none if it is refused."""
    wanted = _Filter.of_request()
    try:
        since, until = wanted.parse_times()
    except Invalid:
        return pipeline.queue([], lambda _: None)
    if not wanted.words:
        times = (since, until)
        return store().log.queue_page(pipeline, page_number(), who=wanted.who, kind=wanted.kind, times=times)
    if hit := rate_limits.address_hit(SEARCH):
        rate_limits.hit(hit)
    before = min(filter(None, (until, time_before())), key=float, default="")
    words = wanted.words.split()
    return store().log.queue_search(pipeline, words, who=wanted.who, kind=wanted.kind, times=(since, before))


@blueprint.get("/log")
@reads(found=_queue_entries)
def index(found: Page[LogEntry] | LogMatches | None) -> ResponseReturnValue:
    """Show the log, newest first; the query can search it for words, and filter it by moderator, kind and days."""
    wanted, context, refused = _Filter.of_request(), {}, ""
    if isinstance(found, Page):
        context["page"] = check_page_exists(found)
    try:
        wanted.parse_times()
    except Invalid as error:
        refused = error_message(error)
    page = render_template(
        "moderation_log/index.html",
        wanted=wanted,
        matches=found if isinstance(found, LogMatches) else None,
        refused=refused,
        kinds=tuple(LogAction),
        **context,
    )
    return page, 422 if refused else 200


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
