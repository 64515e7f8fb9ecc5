"""The site about itself: how ranking works here, and whether all is well."""

import json
from secrets import compare_digest

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import counting
from voteweb.chart import draw
from voteweb.errors import Unavailable
from voteweb.login import ask_viewer, page_trip, settings, store
from voteweb.models import Order
from voteweb.store.listings import whole_site

blueprint = Blueprint("status", __name__)


@blueprint.get("/about")
def about() -> str:
    """Explain the site and its ranking, with its own numbers."""
    base = (settings().site_url or request.url_root).rstrip("/")
    bookmarklet = (
        f"javascript:location.href={json.dumps(base + '/submit')}"
        "+'?title='+encodeURIComponent(document.title)+'&link='+encodeURIComponent(location.href)"
    )
    trip = page_trip()
    ask_viewer(trip)
    newest = store().listings.ask(trip, whole_site(Order.TIME), 1)
    trip.go()
    chart = draw(settings().good_votes, settings().vote_score, [article.votes for article in newest.value.rows])
    return render_template("status/about.html", bookmarklet=bookmarklet, chart=chart)


@blueprint.get("/healthz")
def health() -> ResponseReturnValue:
    """Say how the site is: 200 while it can be read, with what needs an operator; 503 when it cannot."""
    status, reasons = store().checks.health()
    headers = {"Cache-Control": "no-store"}
    if status == "down":
        return jsonify(status=status, reasons=reasons), 503, headers | {"Retry-After": str(Unavailable.retry_after)}
    reasons = [*settings().warnings(), *reasons]
    return jsonify(status="degraded" if reasons else "ok", reasons=reasons), 200, headers


@blueprint.get("/metrics")
def metrics() -> ResponseReturnValue:
    """Give Prometheus the counts, if it has the token of the settings; where they have none, there is no such page."""
    counts, token = counting.of(current_app), settings().metrics_token
    if counts is None:
        abort(404)
    sent = request.authorization
    if sent is None or not compare_digest((sent.token or "").encode(), token.encode()):
        words = "Send VOTEWEB_METRICS_TOKEN as a bearer token.\n"
        return Response(words, 401, {"WWW-Authenticate": "Bearer"}, mimetype="text/plain")
    try:
        sizes = store().server.sizes()
    except Unavailable:
        sizes = None
    answer = Response(counts.text(sizes), mimetype="text/plain")
    answer.cache_control.no_store = True
    return answer
