"""Trials of other weights of the ranking, for admins; nothing is written."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core.errors import Invalid
from voteweb.core.ranking_trial import WEIGHTS, change_weights, has_own_vote_score, parse_weight
from voteweb.store.articles.listings import try_weights
from voteweb.web.auth.login import login_required, require_admin, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.i18n.formatting import error_message

blueprint = Blueprint("ranking_trial", __name__)

#: Characters of a typed weight that are shown again.
_MAX_TYPED_LENGTH = 20


@blueprint.get("/admin/ranking")
@login_required
def show() -> ResponseReturnValue:
    """Show today's first page beside that under the weights in the query; a weight that is left out stays."""
    require_admin(viewer())
    typed = {name: request.args.get(name, "").strip()[:_MAX_TYPED_LENGTH] for name in WEIGHTS}
    weights: dict[str, int | None] = {}
    refused: dict[str, str] = {}
    for name, text in typed.items():
        try:
            weights[name] = parse_weight(name, text)
        except Invalid as error:
            refused[name] = error_message(error)
    trial = None
    if not refused:
        trial = try_weights(store().context, store().listings, change_weights(settings(), **weights), now())
    typed = {name: text or str(getattr(settings(), name)) for name, text in typed.items()}
    page = render_template(
        "admin/ranking.html",
        typed=typed,
        refused=refused,
        trial=trial,
        has_own_vote_score=has_own_vote_score(settings()),
    )
    return page, 422 if refused else 200
