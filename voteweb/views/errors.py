"""Failures by name to pages in the site's own look, or to JSON where script asked."""

from flask import Flask, current_app, flash, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from voteweb import notes
from voteweb.errors import N_, LoggedOut, TooFast, Unavailable, VotewebError
from voteweb.i18n import refusal
from voteweb.language import gettext as _
from voteweb.login import forget_viewer, settings, to_login, viewer
from voteweb.places import pressed_at, wants_json

#: What a status means to a reader: a heading, and the words where nothing more exact is known.
PAGES = {
    400: (N_("That could not be read"), N_("What your browser sent makes no sense here.")),
    401: (N_("Please log in"), N_("Only members can do this.")),
    403: (N_("Not for you"), N_("Only moderators can do this.")),
    404: (N_("Nothing here"), N_("There is no page at this address.")),
    405: (N_("Not like this"), N_("This address is for a button on a page, not for the address bar.")),
    409: (N_("Not twice"), N_("This has been done already.")),
    410: (N_("Gone"), N_("What was here is no more.")),
    413: (N_("Too much"), N_("What you sent is larger than this site takes.")),
    421: (N_("Another address"), N_("This site is not at this address.")),
    422: (N_("Please look again"), N_("Something in the form is not right.")),
    429: (N_("Too fast"), N_("You have done this too often in a short time. Please wait a little.")),
    500: (N_("Our mistake"), N_("Something went wrong on this site. It has been written to the log.")),
    503: (N_("Back in a moment"), N_("The site cannot answer at the moment. Please try again in a few seconds.")),
}


def init_app(app: Flask) -> None:
    """Answer every failure of *app*; nobody ever sees a stack trace."""
    app.register_error_handler(VotewebError, _refused)
    app.register_error_handler(LoggedOut, lambda _: to_login())
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(CSRFError, _stale)
    app.register_error_handler(Exception, _unexpected)


def _refused(error: VotewebError) -> ResponseReturnValue:
    headers = {}
    if isinstance(error, Unavailable):
        forget_viewer()
        current_app.logger.warning("Redis is away: %s", error.__cause__)
        headers["Retry-After"] = str(error.retry_after)
    place = pressed_at() if isinstance(error, TooFast) and request.method == "POST" else ""
    return _answer(error.status, error.code, refusal(error), headers, place)


def _stale(_error: CSRFError) -> ResponseReturnValue:
    """Answer a button pressed on a page from before the last log-in: back to that page, with its reason."""
    words = _("This page was from before your last log-in, so nothing was done. Please press the button again.")
    if "next" not in request.form or wants_json():
        return _answer(400, "stale-form", words, {})
    flash(words, "error")
    return redirect(pressed_at(), 303)


def _http(error: HTTPException) -> ResponseReturnValue:
    status = error.code or 500
    if status < 400:
        return error.get_response()
    # A description of our own says more than the table; Werkzeug's own are not for readers.
    own = error.description if error.description != type(error).description else ""
    words = own or _(PAGES.get(status, PAGES[400])[1])
    headers = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(error.valid_methods)
    place = settings().site_url if status == 421 else ""
    return _answer(status, type(error).__name__.lower(), words, headers, place)


def _unexpected(error: Exception) -> ResponseReturnValue:
    # An address may hold what opens a door: the link for a new password, an invitation. Its pattern holds nothing.
    where = request.url_rule.rule if request.url_rule else request.path
    current_app.logger.exception("%s %s failed", request.method, where, exc_info=error)
    return _answer(500, "fault", _(PAGES[500][1]), {})


def _answer(status: int, code: str, words: str, headers: dict[str, str], place: str = "") -> ResponseReturnValue:
    if wants_json():
        return jsonify(error={"code": code, "message": words}), status, headers
    try:
        viewer()
    except Exception:  # whoever is looking, the page of an error must not fail itself
        forget_viewer()
    heading = _(PAGES.get(status, PAGES[400])[0])
    id = notes.of(request.environ).id
    page = render_template("error.html", status=status, code=code, heading=heading, words=words, place=place, id=id)
    return page, status, headers
