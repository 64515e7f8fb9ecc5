"""Read-only mode: while an admin has set it, what members send is refused; reading, log-in and moderation go on."""

from flask import Response, g, request

from voteweb.core.errors import ReadOnly
from voteweb.core.rate_limits import MODERATE, member_limit
from voteweb.web import rate_limits, site_switches

#: The forms that are accepted besides those of moderators and admins: they change nothing of the site.
_ACCEPTED = {
    "auth.login", "auth.logout", "auth.reset", "recovery.recover", "mail.recover",
    "account.logout_everywhere", "account.end_sessions", "language.choose",
}  # fmt: skip
#: Views whose forms refuse it too, though others check their token.
_SHOWN_AGAIN = {"answers.answer", "moderation.report"}


def error() -> ReadOnly | None:
    """Return the refusal of a change, in the operator's words; None while the site accepts changes."""
    switch = site_switches.current().read_only
    if switch is None:
        return None
    return ReadOnly(ReadOnly.with_words, words=switch.words) if switch.words else ReadOnly()


def check_form(*, handled_by_form: bool) -> None:
    """Raise ReadOnly if this form is refused; one *handled_by_form* is shown again instead, with what was typed."""
    refused = error()
    if refused is None or request.endpoint in _ACCEPTED or member_limit(request.endpoint, "POST") is MODERATE:
        return
    rate_limits.skip_member_hit()  # nobody's limit is used up meanwhile
    if not handled_by_form and request.endpoint not in _SHOWN_AGAIN:
        raise refused
    g.read_only = refused


def refusal() -> ReadOnly | None:
    """Return the refusal that the form of this request shows, None if it is accepted."""
    refused: ReadOnly | None = g.get("read_only")
    return refused


def add_retry_after(response: Response) -> None:
    """Tell when to try again, if *response* is a form that was refused."""
    if response.status_code == ReadOnly.status:
        response.headers["Retry-After"] = str(ReadOnly.retry_after)
