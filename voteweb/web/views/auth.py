"""Sign-up, log-in, log-out, and new passwords: by recovery code, by mail, by the operator's one-time link.

The pages of log-in share the session, the vote that a reader pressed, and the page to return to.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import quote, urlencode

from flask import Blueprint, flash, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature, URLSafeTimedSerializer

from voteweb.core import config, errors, passwords, permissions, validation
from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.core.names import look_alike, name_key
from voteweb.core.rate_limits import (
    BAN_ANSWER,
    MAIL_RESET_BY_ADDRESS,
    MAIL_RESET_BY_NAME,
    PASSWORD_RESET,
    RECOVERY_BY_ADDRESS,
    RECOVERY_BY_NAME,
    SIGNUP,
    SIGNUP_BY_NETWORK,
)
from voteweb.web.auth import device_cookie, pending_votes
from voteweb.web.auth.authentication import authenticate, confirm_log_in
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import ask_for_code, ban_error, end_session, log_out, pending_member, start_session, viewer
from voteweb.web.auth.sessions import SIGNED_UP, signer_of
from voteweb.web.base.context import now, settings, store
from voteweb.web.base.urls import safe_path
from voteweb.web.i18n.formatting import code_count, error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.monitoring import metrics
from voteweb.web.pages.acts import View, form_page, lead, refusals
from voteweb.web.pages.forms import (
    AnswerForm,
    CodeForm,
    Form,
    LoginForm,
    NamedForm,
    RecoveryForm,
    ResetForm,
    SignupForm,
    checked,
)
from voteweb.web.requests import rate_limits
from voteweb.web.views.votes import cast_pending, pending_title

blueprint = Blueprint("auth", __name__)
recovery = Blueprint("recovery", __name__)
mail = Blueprint("mail", __name__)
SIGNUP_LIMITS = (SIGNUP, SIGNUP_BY_NETWORK)
_COMMENT_FORM = re.compile(r"/a/[0-9]+(?:/c/[0-9]+/reply|/comment)")


def log_in(user: User, greeting: str = "", *, has_code: bool = False, leads_to: str = "") -> ResponseReturnValue:
    """Log *user* in, cast the vote that they pressed as a reader, and lead on; raise LoggedOut.

    Who has a second factor is asked for a code of it first, unless *has_code*.
    """
    token = pending_votes.token()
    vote = pending_votes.read(token)  # it belongs to the session that ends now
    try:
        start_session(user, has_code=has_code)
    except errors.CodeNeeded:
        ask_for_code(user)
        leads_to = url_for("auth.second_factor") + _log_in_query(token)
        vote, token = None, ""  # it is cast then
    if greeting:
        flash(greeting)
    cast_pending(vote, token)
    return redirect(leads_to or next_path(), 303)


def render_login_page(template: str, form: Form | None = None, **context: Any) -> tuple[str, int]:
    """Return a page with which to log in, which says what for if a reader pressed a vote, or opened a form.

    All links between these pages keep the page to return to and the vote. Without a *form* the page refuses sign-up.
    """
    vote = pending_votes.read(pending_votes.token())
    token = pending_votes.token() if vote is not None else ""
    g.login_query = _log_in_query(token)
    context |= {
        "pending_vote": token,
        "vote_title": pending_title(vote),
        "is_comment_vote": isinstance(vote, CommentId),
    }
    context |= {"next": next_path(), "login_query": g.login_query, "purpose": _purpose()}
    return render_template(template, form=form, **context), form.status if form else 403


def _log_in_query(vote_token: str) -> str:
    """Return the query of the pages of log-in: the page to return to, and the token of a vote, "" for none."""
    query = {"next": next_path()} | ({pending_votes.FIELD: vote_token} if vote_token else {})
    return f"?{urlencode(query, safe='/', quote_via=quote)}"


def _purpose() -> str:
    """Return what a reader can do after log-in on the page that sent them here, "" if it is no form."""
    path = next_path().partition("?")[0]
    if path == "/submit":
        return _("After that you can post your article.")
    return _("After that you can write your comment.") if _COMMENT_FORM.fullmatch(path) else ""


def next_path() -> str:
    """Return the page of this site that is shown after log-in."""
    return safe_path(request.form.get("next") or request.args.get("next") or "/")


def _readers_form(blueprint: Blueprint, path: str) -> Callable[[View], View]:
    """Register a view at *path* that shows a form to readers and takes it; members are led on."""

    def decorate(view: View) -> View:
        @form_page(blueprint, path)
        @wraps(view)
        def for_readers() -> ResponseReturnValue:
            return redirect(next_path(), 303) if viewer() else view()

        return for_readers

    return decorate


@_readers_form(blueprint, "/signup")
def signup() -> ResponseReturnValue:
    """Create an account and log it in; if the site requires one, with an invitation."""
    token = request.values.get("invite", "")
    invitation = store().invitations.find(token) if token and settings().signup == "invite" else None
    inviter = store().users.find(invitation.by) if invitation else None
    is_invited = invitation is not None and permissions.may_use_invitation(invitation, inviter, now())
    if not permissions.may_join(settings(), invited=is_invited):
        why = _invitation_refusal(inviter) if invitation else ""
        return render_login_page("auth/closed.html", has_token=bool(token), why=why)
    form = SignupForm()
    if settings().signup != "approve":
        del form.request
    if form.is_submitted():
        rate_limits.check_form(*SIGNUP_LIMITS)
    if form.validate_on_submit({"username": [checked(_free_name, errors.NameTaken)]}):
        beside_name = dict.fromkeys((errors.NameTaken, errors.Invalid), "username")
        with refusals(form, {**beside_name, errors.NoInvitation: "", errors.TooFast: ""}):
            user = _join(form, token if invitation else None)
            greeting = _("Welcome, %(name)s. Your account has been created, and you are logged in.", name=user.name)
            response = log_in(user, greeting, leads_to=url_for("recovery.codes", next=next_path()))
            session[SIGNED_UP] = int(now())
            return response
    return render_login_page("auth/signup.html", form, invitation=invitation, invitation_token=token)


def _invitation_refusal(inviter: User | None) -> str:
    return error_message(errors.NoInvitation() if inviter and permissions.may_log_in(inviter) else errors.InviterGone())


def _join(form: SignupForm, invitation: str | None) -> User:
    """Create the member of *form*; a taken name is refused before the limit counts it and the password is hashed.

    *invitation* is the token of one, if the site requires that.
    """
    name = _free_name(form.username.data)
    hits = rate_limits.address_hits(*SIGNUP_LIMITS)
    rate_limits.hit(*hits)
    try:
        password_hash = passwords.hash_password(form.password.data)
    except errors.Busy:
        store().limits.refund(hits)
        raise
    user = store().users.make(
        name,
        password_hash,
        invitation=invitation,
        network=rate_limits.sign_up_network(),
        request=form.request.data if form.request else "",
    )
    metrics.SIGN_UPS.inc()
    return user


def _free_name(name: str) -> str:
    """Return *name*; raise NameTaken, or Invalid if it looks like that of a moderator or admin.

    The log of given roles has these.
    """
    if store().users.find(name):
        raise errors.NameTaken(name=name)
    for other in store().log.names_with_roles():
        if look_alike(name, other):
            user = store().users.find(other)
            if user and permissions.may_moderate(user):
                raise errors.Invalid(validation.LOOK_ALIKE, name=name)
    return name


@_readers_form(blueprint, "/login")
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    form, banned = LoginForm(), None
    if form.validate_on_submit():
        with refusals(form, {errors.Invalid: "", errors.Banned: "", errors.TooFast: ""}):
            try:
                return log_in(authenticate(form.member_name, form.password.data or ""))
            except errors.Banned:
                banned = store().users.find(form.member_name)
                raise
    return render_login_page("auth/login.html", form, **_ban_answer(AnswerForm(), banned))


def ban_answers() -> URLSafeTimedSerializer:
    """Return what signs the name of a banned member who gave their password, for the form of their answer."""
    return signer_of("ban answer")


def _ban_answer(form: AnswerForm, member: User | None) -> dict[str, Any]:
    """Return the context of the form with which *member* answers a ban; it has the text that a log-in carries."""
    if member is None or not permissions.may_answer_ban(member):
        return {"answer_form": form}
    return {"answer_form": form, "banned": member, "ban_token": ban_answers().dumps(member.name)}


@blueprint.post("/login/answer")
@refusals_shown_by_form
def answer() -> ResponseReturnValue:
    """Answer a ban, once, after a log-in that was refused because of it."""
    if viewer() is not None:
        return redirect(next_path(), 303)
    form, member = AnswerForm(), None
    with suppress(BadSignature):
        name = ban_answers().loads(request.form.get("ban", ""), max_age=config.BAN_ANSWER_SECONDS)
        member = store().users.find(name)
    rate_limits.check_form(BAN_ANSWER)
    if form.validate():
        with refusals(form, dict.fromkeys((errors.AnsweredBefore, errors.FormExpired, errors.TooFast), "")):
            if member is None:
                raise errors.FormExpired()
            rate_limits.hit(*rate_limits.address_hits(BAN_ANSWER))
            store().bans.answer(member.name, form.answer.data)
            sent = _("Your answer has been sent. A moderator will look at it. To read what was decided, log in again.")
            return lead("/login", sent)
    page, _status = render_login_page("auth/login.html", LoginForm(formdata=None), **_ban_answer(form, member))
    return page, form.status


@_readers_form(blueprint, "/login/second-factor")
def second_factor() -> ResponseReturnValue:
    """Ask who has given the password for a code of the second factor, or a recovery code, and log them in."""
    user, form = pending_member(), CodeForm()
    if user and form.validate_on_submit():
        with refusals(form, {errors.CodeNeeded: "code", errors.TooFast: ""}):
            try:
                confirm_log_in(user, form.code.data or "")
                return log_in(user, has_code=True)
            except errors.LoggedOut:
                user = None
    if user is None:
        again = _("Please log in again: the code was not typed in time, or the account has changed.")
        return lead(f"/login{_log_in_query(pending_votes.token())}", again, "error")
    return render_login_page("auth/second_factor.html", form)


@form_page(blueprint, "/reset/<token>")
def reset(token: str) -> ResponseReturnValue:
    """Set a new password by the one-time link that the operator made; ends all sessions."""
    name = store().passwords.linked_member(token)
    viewer()  # clears a session that has ended, before the form stores its token in it
    form = ResetForm(name)
    if form.is_submitted():
        rate_limits.check_form(PASSWORD_RESET)
    if form.validate_on_submit():
        with refusals(form, {errors.TooFast: ""}):
            rate_limits.hit(*rate_limits.address_hits(PASSWORD_RESET))
            store().passwords.use_link(token, passwords.hash_password(form.new.data))
            end_session()
            device_cookie.remember(name)
            return lead("/login", _("The password has been set. Please log in with it."))
    return render_template("auth/reset.html", form=form, name=name), form.status


@blueprint.post("/logout")
def logout() -> ResponseReturnValue:
    """Log out in this browser."""
    log_out()
    return redirect("/", 303)


@_readers_form(recovery, "/recover")
def recover() -> ResponseReturnValue:
    """Set a new password with a recovery code and log in; a wrong name and a wrong code look and cost the same."""
    form = RecoveryForm()
    refused = dict.fromkeys((errors.Invalid, errors.Banned, errors.CodeUsed, errors.TooFast), "")
    if form.validate_on_submit({"code": [checked(lambda code: _code_owner(form) and code, *refused)]}):
        with refusals(form, refused):
            user, new_hash = _code_owner(form), passwords.hash_password(form.new.data or "")
            session_id, left = store().passwords.use_code(user, passwords.read(form.code.data or ""), new_hash)
            done = _("Your new password is set, and all other sessions have ended.")
            greeting = " ".join([done, _("Left: %(codes)s.", codes=code_count(left))])
            return log_in(replace(user, session=session_id), greeting)
    return render_login_page("auth/recover.html", form)


def _code_owner(form: RecoveryForm) -> User:
    """Return the member whose name and code the form holds.

    Each attempt is counted before the code is looked up. Raises Banned, CodeUsed, TooFast.
    """
    name, code = validation.normal_name(form.member_name), passwords.read(form.code.data or "")
    hits = (*rate_limits.address_hits(RECOVERY_BY_ADDRESS), (RECOVERY_BY_NAME, name_key(name)))
    pipeline = store().pipeline()
    known = name if validation.is_member_name(name) else config.DELETED_MEMBER
    stored_member = store().users.queue_get(pipeline, known)
    stored = store().passwords.queue_codes(pipeline, known)
    rate_limits.hit(*hits, reads=pipeline)
    user = stored_member.result
    if not store().passwords.is_code(stored.result, user, code) or user is None or user.left:
        raise errors.CodeUsed()
    store().limits.refund(hits)
    if user.banned:
        raise ban_error(user)
    return user


@form_page(mail, "/recover/mail", "recover")
def recover_by_mail() -> ResponseReturnValue:
    """Send a link for a new password to the address of a member; the answer is the same for every name.

    Whether there is such a member, and an address, is found out by the job that sends mails.
    """
    if viewer() is not None:
        return redirect("/account", 303)
    form = NamedForm()
    if form.is_submitted():
        rate_limits.check_form(MAIL_RESET_BY_ADDRESS)
    if form.validate_on_submit():
        name = validation.normal_name(form.member_name)
        with refusals(form, {errors.TooFast: ""}):
            rate_limits.hit(*rate_limits.address_hits(MAIL_RESET_BY_ADDRESS), (MAIL_RESET_BY_NAME, name_key(name)))
            if validation.is_member_name(name):
                store().mail.queue_reset(name)
            return render_template("auth/requested.html")
    return render_template("auth/recover_by_mail.html", form=form), form.status
