"""Error pages: an answer to every failure, as a page or, for script, as JSON."""

from collections.abc import Sequence
from typing import Any

from flask import Flask, current_app, flash, g, jsonify, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from voteweb.core.errors import (
    N_,
    Busy,
    ConfigError,
    DataDamaged,
    DataLost,
    DecidedMeanwhile,
    Invalid,
    LoggedOut,
    NoSuchArticle,
    PasswordNeeded,
    ReadOnly,
    StorageFull,
    TooFast,
    Unavailable,
    VotewebError,
    code_of,
)
from voteweb.core.models import LogEntry
from voteweb.search.models import SearchError, SearchTooSlow
from voteweb.web.auth import authentication
from voteweb.web.auth.csrf import csrf_token, has_valid_token
from voteweb.web.auth.login import login_redirect, treat_as_reader, viewer
from voteweb.web.base.context import settings
from voteweb.web.base.request_bounds import is_api
from voteweb.web.base.responses import problem, wants_json
from voteweb.web.base.urls import return_url, without_slash
from voteweb.web.i18n.formatting import error_message, format_datetime, join_names, script_error
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.pages.feeds import act_title
from voteweb.web.requests import rate_limits

#: The heading and the default message for each status.
PAGES = {
    400: (N_("Bad request"), N_("The site could not read this request. Please go back and try again.")),
    401: (N_("Please log in"), N_("Only members can do this.")),
    403: (N_("Not allowed"), N_("Only moderators can do this.")),
    404: (N_("Page not found"), N_("There is no page at this address.")),
    405: (N_("Method not allowed"), N_("This address only accepts forms. Please use the button on the page.")),
    409: (N_("Already done"), N_("This has been done already.")),
    410: (N_("No longer available"), N_("This page has been deleted.")),
    413: (N_("Too large"), N_("What you sent is larger than this site accepts.")),
    415: (N_("Not a form"), N_("This address only accepts forms, without files. Please use the button on the page.")),
    421: (N_("Wrong address"), N_("This site is not at this address.")),
    422: (N_("Please check the form"), N_("Something in the form is not right.")),
    429: (N_("Too many requests"), N_("You have done this too often in a short time. Please wait a little.")),
    500: (N_("Server error"), N_("Something went wrong on this site. The error has been logged.")),
    503: (
        N_("Temporarily unavailable"),
        N_("The site cannot answer at the moment. Please try again in a few seconds."),
    ),
}
#: The titles of the API, where they are other ones than the headings of pages.
API_TITLES = {
    401: N_("No valid token"),
    404: N_("Not found"),
    409: N_("In conflict with what is there"),
    411: N_("No length"),
    415: N_("Not JSON"),
    422: N_("The request is not valid"),
}
#: The messages of the API, where they are other ones: the default of a status, and that of an error by its code.
API_MESSAGES: dict[int | str, str] = {
    404: N_("The API has nothing at this address."),
    405: N_("This address takes other methods, which the header Allow names."),
    411: N_("Please send the length of the body."),
    413: N_("The body is longer than an operation takes."),
    415: N_("This operation takes a body of the type application/json."),
    422: N_(
        "A parameter or a field is not as the description of the API says: “errors” says which, and what it takes."
    ),
    "stale-edit": N_("This article has another revision than the one that you name, so nothing was saved."),
    "decided-meanwhile": N_("Somebody else has decided about this since: %(acts)s."),
    "parent-gone": N_("The comment that you answer has been deleted or removed."),
}
#: The values of errors that the API answers, with their names there.
_MEMBERS = {"fields": "errors", "revision": "revision", "id": "article"}
#: The fields with passwords, but for that of :func:`_password_needed`: no page repeats a form that has one.
_PASSWORDS = {authentication.PASSWORD_FIELD, "password", "old", "new"}


def init_app(app: Flask) -> None:
    """Register a handler for every failure of *app*, so that no response contains a stack trace."""
    app.register_error_handler(VotewebError, _voteweb_error)
    app.register_error_handler(ConfigError, _unexpected_error)  # its words are for the operator
    app.register_error_handler(LoggedOut, lambda _: login_redirect())
    app.register_error_handler(PasswordNeeded, _password_needed)
    app.register_error_handler(DecidedMeanwhile, _decided_meanwhile)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(CSRFError, _csrf_error)
    app.register_error_handler(Exception, _unexpected_error)


def _voteweb_error(error: VotewebError) -> ResponseReturnValue:
    headers = {}
    if isinstance(error, StorageFull):
        current_app.logger.warning("Redis refuses to write: %s", error.__cause__)
    elif isinstance(error, Unavailable):
        treat_as_reader()
        if not isinstance(error, DataLost):  # which is in the log once
            current_app.logger.warning("Redis is unavailable: %s", error.__cause__)
    elif isinstance(error, DataDamaged):
        metrics.DAMAGES.inc()
        current_app.logger.error("The data are damaged, run voteweb doctor: %s", error, exc_info=error.__cause__)
    if isinstance(error, Unavailable | Busy | ReadOnly | SearchError) and not isinstance(error, SearchTooSlow):
        headers["Retry-After"] = str(error.retry_after)
    says = {_MEMBERS[name]: value for name, value in error.values.items() if name in _MEMBERS}
    if isinstance(error, TooFast):
        rate_limits.record_exceeded(error)
        says["until"] = error.values["when"]
    elif isinstance(error, StorageFull | DataDamaged):
        rate_limits.record_nothing_saved()
    sent = list[tuple[str, str]]()
    if isinstance(error, Unavailable) and request.method == "POST" and has_valid_token(request, session):
        g.kept_token = csrf_token()
        sent = _sent() if _PASSWORDS.isdisjoint(request.form) else []
    status = error.status
    if is_api(request.environ):
        error.template = API_MESSAGES.get(error.code, error.template)
        status = 422 if isinstance(error, Invalid | SearchTooSlow) else status
    return _render(status, error.code, error_message(error), headers, _way_back(error), sent, **says)


def _way_back(error: VotewebError) -> str:
    """Return the page of this site to which the page about *error* leads, "" for the front page."""
    if isinstance(error, TooFast | ReadOnly | Unavailable) and request.method == "POST":
        return return_url()
    article = (request.view_args or {}).get("id") if request.blueprint == "comments" else None
    return f"/a/{article}#comments" if article and not isinstance(error, NoSuchArticle) else ""


def _sent() -> list[tuple[str, str]]:
    """Return the fields of the form that was sent, with which a page can send it again."""
    return [item for item in request.form.items(multi=True) if item[0] not in ("csrf_token", authentication.FIELD)]


def _password_needed(error: PasswordNeeded) -> ResponseReturnValue:
    """Ask for the member's own password in a form that keeps what was sent and sends it again."""
    if wants_json():
        return _render(error.status, error.code, error_message(error), {})
    page = render_template("errors/password.html", message=error_message(error), sent=_sent())
    return page, error.status


def _decided_meanwhile(error: DecidedMeanwhile) -> ResponseReturnValue:
    """Say what others have decided, above a form that does it all the same."""
    entries = error.values["entries"]
    acts = join_names([f"{_with_reason(entry)} ({format_datetime(entry.time)})" for entry in entries])
    on_page = N_("Somebody else has decided about this since you opened this page: %(acts)s.")
    message = _(API_MESSAGES[error.code] if is_api(request.environ) else on_page, acts=acts)
    sent = [item for item in _sent() if item[0] != "seen"] + [("seen", str(max(entry.id for entry in entries)))]
    return _render(error.status, error.code, message, {}, return_url(), sent, _("Decided meanwhile"))


def _with_reason(entry: LogEntry) -> str:
    title = act_title(entry)
    return _("%(what)s: %(why)s", what=title, why=entry.why) if entry.why else title


def _csrf_error(_error: CSRFError) -> ResponseReturnValue:
    """Answer a form from a page that is older than the last log-in: redirect to that page with a message."""
    message = _("This page was from before your last log-in, so nothing was done. Please press the button again.")
    if "next" not in request.form or wants_json():
        return _render(400, "stale-form", message, {})
    flash(message, "error")
    return redirect(return_url(), 303)


def _http_error(error: HTTPException) -> ResponseReturnValue:
    if isinstance(error, NotFound) and (address := without_slash()):
        return redirect(address, 308)
    status = error.code or 500  # Flask answers redirects itself
    # The description given to abort() is more precise than the table; Werkzeug's own are not written for readers.
    description = error.description if error.description != type(error).description else ""
    default = PAGES.get(status, PAGES[400])[1]
    if is_api(request.environ):
        default = API_MESSAGES.get(status, default)
    headers = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(error.valid_methods)
    back = settings().site_url if status == 421 else ""
    return _render(status, code_of(type(error).__name__), description or _(default), headers, back)


def _unexpected_error(error: Exception) -> ResponseReturnValue:
    # An address may contain a secret: a one-time link, an invitation. The pattern of its route contains none.
    route = request.url_rule.rule if request.url_rule else request.path
    current_app.logger.exception("%s %s failed", request.method, route, exc_info=error)
    return _render(500, "fault", _(PAGES[500][1]), {})


def _render(
    status: int,
    code: str,
    message: str,
    headers: dict[str, str],
    back: str = "",
    sent: Sequence[tuple[str, str]] = (),
    heading: str = "",
    **says: Any,
) -> ResponseReturnValue:
    if is_api(request.environ):
        title = API_TITLES.get(status) or PAGES.get(status, PAGES[400])[0]
        return problem(status, code, _(title), message, **says), status, headers
    if wants_json():
        return jsonify(error=script_error(message, code=code)), status, headers
    try:
        viewer()
    except Exception:  # an error page must not fail
        treat_as_reader()
    page = render_template(
        "errors/show.html",
        status=status,
        code=code,
        heading=heading or _(PAGES.get(status, PAGES[400])[0]),
        message=message,
        back=back,
        sent=sent,
        id=request_record.get(request.environ).id,
    )
    return page, status, headers
