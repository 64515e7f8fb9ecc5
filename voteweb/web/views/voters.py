"""Voters for moderators: of an article, and those who vote together with a member; each look is noted for admins."""

from flask import Blueprint, abort, render_template, request

from voteweb.core.models import Article, Page, User
from voteweb.core.voters import Look, VoterList
from voteweb.web.auth.login import require_admin, require_moderator
from voteweb.web.base.context import store
from voteweb.web.base.urls import page_number
from voteweb.web.pages.acts import queue_article, reads
from voteweb.web.pages.conversations import is_prefetch
from voteweb.web.views.members import check_present, queue_member

blueprint = Blueprint("voters", __name__)


@blueprint.get("/a/<int:id>/voters")
@reads(require_moderator, article=queue_article, voters=lambda pipeline, id: store().voters.queue(pipeline, id))
def of_article(user: User, article: Article, voters: VoterList) -> str:
    _note_look(user, article)
    return render_template("voters/index.html", article=article, voters=voters, rows=voters.rows)


@blueprint.get("/u/<name>/votes-together")
@reads(require_moderator, member=queue_member)
def of_member(user: User, member: User) -> str:
    """Show with whom a member votes together."""
    check_present(member, member.name, user)
    _note_look(user, member)
    voters = store().read(store().voters.queue, member)
    rows = [row for row in voters.rows if any(other.name == member.name for other in row.coincidences)]
    return render_template("voters/index.html", member=member, voters=voters, rows=rows)


def _note_look(user: User, what: Article | User) -> None:
    """Note a look before anything is shown."""
    if request.method != "HEAD":
        if is_prefetch():  # the browser would show the page later without asking again
            abort(403)
        store().voters.note_look(user, what)


@blueprint.get("/members/looks")
@reads(require_admin, page=lambda pipeline: store().voters.queue_looks(pipeline, page_number()))
def looks(page: Page[Look]) -> str:
    """Show admins who looked at votes."""
    ids = [id for look in page.rows for id in (look.by, look.id)]
    return render_template("voters/looks.html", page=page, names=store().read(store().voters.queue_names, ids))
