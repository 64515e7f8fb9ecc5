"""The site about itself: how it ranks, its rules and privacy, statistics, languages, its health, and its metrics."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from secrets import compare_digest
from typing import TypeVar

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.errors import DataDamaged, Unavailable
from voteweb.core.models import Article, Order, Page
from voteweb.core.operator_pages import operator_page_faults
from voteweb.core.ranking import choose_example
from voteweb.core.site_switches import SwitchName
from voteweb.core.statistics import DayCounts, median_wait
from voteweb.embedded.folder import disk_warnings
from voteweb.search import health as search_health
from voteweb.search.models import SearchError, State
from voteweb.store.site.rate_limits import queue_days
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import require_moderator
from voteweb.web.base.context import brand, now, operator_pages, search_index, settings, store
from voteweb.web.base.responses import public
from voteweb.web.base.urls import absolute, next_of_form
from voteweb.web.i18n import locale
from voteweb.web.monitoring import metrics
from voteweb.web.monitoring.metrics import Facts
from voteweb.web.pages.acts import reads
from voteweb.web.pages.charts import draw_chart, draw_rows
from voteweb.web.requests import security

T = TypeVar("T")
#: Former addresses of pages, and where these are now.
_MOVED = {
    "/admin/settings": "/admin#settings",
    "/admin/log-ins": "/members/log-ins",
    "/admin/invitations": "/members/invited",
    "/reports": "/queue#reports",
    "/waiting": "/queue#people",
    "/domains": "/queue#domains",
}

blueprint = Blueprint("status", __name__)
statistics = Blueprint("statistics", __name__)
language = Blueprint("language", __name__)


def _redirect_moved() -> ResponseReturnValue:
    """Redirect to where a page is now, with its query. It can come back to its former address in a later version.

    The name of a section that was a page of its own is the parameter with the number of its page.
    """
    address, _, place = _MOVED[request.path].partition("#")
    query = request.query_string.decode().replace("page=", f"{place}=" if place else "page=")
    return redirect(address + (f"?{query}" if query else "") + (f"#{place}" if place else ""))


for _path in _MOVED:
    blueprint.add_url_rule(_path, _path.strip("/").replace("/", "_"), _redirect_moved)


@blueprint.get("/about")
@reads(
    newest=lambda pipeline: store().listings.queue_page(pipeline, store().rankings.site(Order.TIME), 1),
    best=lambda pipeline: store().listings.queue_page(pipeline, store().rankings.site(Order.SCORE), 1),
)
def about(newest: Page[Article], best: Page[Article]) -> str:
    """Say what the site is and explain its ranking, with its own numbers and two of its articles."""
    bookmarklet = (
        f"javascript:location.href={json.dumps(absolute('/submit'))}"
        "+'?title='+encodeURIComponent(document.title)+'&link='+encodeURIComponent(location.href)"
    )
    votes = [article.votes for article in newest.rows]
    chart = draw_chart(settings(), votes)
    return render_template(
        "status/about.html", total=newest.total, example=choose_example(best.rows), chart=chart, bookmarklet=bookmarklet
    )


@blueprint.get("/rules", endpoint="rules")
@blueprint.get("/privacy", endpoint="privacy")
def operator_page() -> str:
    """Show the rules, or what happens to data about people: in the site's own words, or as for any such site."""
    name = request.path.removeprefix("/")
    return render_template(f"status/{name}.html", **_own_texts(name))


@blueprint.get("/guide")
@reads(require_moderator)
def guide() -> str:
    """Tell moderators what they can do, what of it is public, and what can be undone."""
    return render_template("status/guide.html", **_own_texts("guide"))


def _own_texts(name: str) -> dict[str, str]:
    """Return the Markdown of the operator for a page, as ``text``, and of the admins, as ``more``; "" for none."""
    text = operator_pages().text(name, locale.current().code)
    return {"text": text, "more": store().context.texts.get(SwitchName(name), "")}


@statistics.get("/stats", endpoint="index")
@reads(days=lambda pipeline: queue_days(pipeline, store().keys, now(), config.STATISTICS_DAYS))
def stats(days: Sequence[DayCounts]) -> str:
    """Show how much was posted, voted, written, reported and settled; nothing in it is about a member."""
    names = ["posts", "votes", *(["comments"] if settings().comments else []), "sign_ups", "reports", "settled"]
    rows = draw_rows([(name, [getattr(day, name) for day in days]) for name in names])
    return render_template("status/statistics.html", days=days, names=names, rows=rows, median=median_wait(days))


# It checks no form token: a reader's page has none, so that it can be cached, and this changes nothing but a cookie of
# the sender's browser. A forged request could at most change the language of the buttons.
@language.post("/language")
@refusals_shown_by_form
def choose() -> ResponseReturnValue:
    """Store the chosen language and go back; an unknown one changes nothing."""
    response = redirect(next_of_form(), 303)
    chosen = locale.LANGUAGES.get(request.form.get("language", ""))
    if chosen:
        response.set_cookie(
            locale.COOKIE,
            chosen.code,
            max_age=config.LANGUAGE_SECONDS,
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
    return response


@blueprint.get("/healthz")
def health() -> ResponseReturnValue:
    """Return the health of the site: 200 while it can be read, with what needs an operator; 503 when it cannot."""
    state, reasons = site_health()
    body = {"status": state, "reasons": reasons}
    if settings().site:
        body["site"] = settings().site
    headers = {"Cache-Control": "no-store"}
    if state == "down":
        return body, 503, headers | {"Retry-After": str(Unavailable.retry_after)}
    return body, 200, headers


def site_health() -> tuple[str, list[str]]:
    """Return whether the site is ``ok``, ``degraded`` or ``down``, and why."""
    state, reasons = store().health.health()
    if state == "down":
        return state, list(reasons)
    files = [*disk_warnings(settings().data_dir), *operator_page_faults(settings().pages_dir), *brand().faults]
    proxy = security.origin_warnings()
    mail = store().mail.warnings() if settings().mail_url else []
    reasons = [*settings().warnings(), *proxy, *files, *reasons, *_search_warnings(), *mail]
    return "degraded" if reasons else "ok", reasons


def _search_warnings() -> list[str]:
    index = search_index()
    return [*search_health.warnings(index)] if index else search_health.start_warnings(is_on=bool(settings().search))


@blueprint.get("/.well-known/security.txt")
def security_contact() -> Response:
    """Return whom to tell about a vulnerability (RFC 9116); without such a VOTEWEB_CONTACT there is none."""
    contact, url = settings().contact, settings().site_url.rstrip("/")
    if not contact.startswith(("mailto:", "https://")):  # as RFC 9116 asks
        abort(404)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expires = today + timedelta(days=config.SECURITY_TXT_DAYS)
    lines = [f"Contact: {contact}", f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}"]
    if url:
        lines.append(f"Canonical: {url}/.well-known/security.txt")
    languages = ", ".join(locale.LANGUAGES)
    return public("\n".join([*lines, f"Preferred-Languages: {languages}", ""]), "text/plain", config.SITEMAP_SECONDS)


@blueprint.get("/metrics", endpoint="metrics")
def show_metrics() -> ResponseReturnValue:
    """Return the metrics to a client that sends VOTEWEB_METRICS_TOKEN; without that setting there is no such page."""
    token = settings().metrics_token
    if not token:
        abort(404)
    sent = request.authorization
    if sent is None or not compare_digest((sent.token or "").encode(), token.encode()):
        message = "Send VOTEWEB_METRICS_TOKEN as a bearer token.\n"
        return Response(message, 401, {"WWW-Authenticate": "Bearer"}, mimetype="text/plain")
    facts = Facts(has_search=search_index() is not None, search=_search_state(), reasons=1, site=settings().site)
    with suppress(Unavailable):
        facts = facts._replace(
            sizes=_unless_damaged(store().health.sizes),
            backup=store().health.last_backup(),
            mail=_unless_damaged(store().mail.status) if settings().mail_url else None,
            reasons=len(site_health()[1]),
            is_up=True,
        )
    response = Response(metrics.render(facts), mimetype="text/plain")
    response.cache_control.no_store = True
    return response


def _unless_damaged(read: Callable[[], T]) -> T | None:
    """Return what *read* returns, None for damaged data: what else is measured must be seen then above all."""
    try:
        return read()
    except DataDamaged:
        return None


def _search_state() -> State | None:
    index = search_index()
    try:
        return index.state() if index else None
    except SearchError:
        return None
