"""The viewer's own account: password, sessions, votes, data, recovery codes, mail, invitations, and deleting it."""

import json
from dataclasses import replace
from functools import partial
from hmac import compare_digest
from urllib.parse import quote

import segno
from flask import Blueprint, Response, abort, flash, render_template, request, session
from flask.typing import ResponseReturnValue

from voteweb.core import config, markup, passwords, permissions, validation
from voteweb.core.errors import (
    N_,
    CodeNeeded,
    Invalid,
    LastAdmin,
    LinkOutOfDate,
    LinkUsed,
    OutboxFull,
    PasswordChanged,
    TooFast,
)
from voteweb.core.mail import MailAccount, PendingEmail
from voteweb.core.models import User
from voteweb.core.my_site import THEMES
from voteweb.core.rate_limits import EMAIL_BY_ADDRESS, FORMER_ADDRESS
from voteweb.core.second_factor import new_nonce
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.web.auth.authentication import require_recent_password, use_code
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import (
    end_other_sessions,
    end_session,
    log_out,
    login_required,
    require_member,
    require_moderator,
    start_session,
    viewer,
    viewer_read,
)
from voteweb.web.auth.sessions import SIGNED_UP
from voteweb.web.base.context import now, settings, store
from voteweb.web.base.urls import absolute, page_number, safe_path
from voteweb.web.i18n import locale
from voteweb.web.i18n.formatting import format_datetime
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.mail import messages
from voteweb.web.pages import data_export
from voteweb.web.pages.acts import Message, act, form_page, lead, reads, refusals
from voteweb.web.pages.forms import (
    AboutForm,
    DeleteAccountForm,
    EmailForm,
    Form,
    PasswordForm,
    ProofForm,
    SecondFactorForm,
    checked,
)
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests import rate_limits
from voteweb.web.views.auth import mail, recovery
from voteweb.web.views.members import check_present, parse_name

blueprint = Blueprint("account", __name__)
invitations = Blueprint("invitations", __name__)
#: The field of the session that holds since when a second factor is being set up, and its nonce.
_SET_UP = "second-factor"
#: A page with a secret in it, or in its address, must not be kept by anybody.
_NO_STORE = {"Cache-Control": "no-store"}


@form_page(blueprint, "/account")
@reads(require_member)
def index(user: User) -> ResponseReturnValue:
    """Show the account; by POST, change its password, which ends all that others may have made to come back."""
    form = PasswordForm(user.name)
    if form.validate_on_submit({"old": [checked(partial(_check_password, user))]}):
        with refusals(form, {Invalid: "old", PasswordChanged: "old"}):
            _check_password(user, form.old.data or "")
            new_hash = passwords.hash_password(form.new.data)
            session_id = store().users.set_password(user.name, new_hash, verified=user.password)
            start_session(replace(user, session=session_id), has_code=True)
            return lead("/account/access", _("Your password has been changed. Here is all that lets you in now."))
    return _render(user, form=form)


@blueprint.post("/account/about")
@refusals_shown_by_form
@reads(require_member)
def describe(user: User) -> ResponseReturnValue:
    """Store what the viewer says about themselves."""
    form = AboutForm()
    if not form.validate_on_submit():
        return _render(user, about_form=form)
    store().users.describe(user, form.about.data or "")
    return lead("/account#you", _("Saved. Everybody can read this on your page."))


def _render(user: User, **refused: Form) -> ResponseReturnValue:
    """Return the page; *refused* is one of its forms that was refused, by name."""
    forms = {
        "form": PasswordForm(user.name, formdata=None),
        "about_form": AboutForm(formdata=None, about=user.about),
        "delete_form": DeleteAccountForm(formdata=None),
        **refused,
    }
    pipeline = store().pipeline()
    codes = store().passwords.queue_codes_left(pipeline, user.name)
    pipeline.execute()
    page = render_template(
        "account/index.html",
        **forms,
        codes=codes.result,
    )
    return page, max(form.status for form in forms.values())


@blueprint.get("/account/access")
@reads(require_member)
def access(user: User) -> str:
    """List all that lets the viewer in, each with the way to end it."""
    pipeline = store().pipeline()
    sessions, address = store().sessions.queue_all(pipeline, user), store().mail.queue_account(pipeline, user.name)
    codes = store().passwords.queue_codes_left(pipeline, user.name)
    feeds = {feed: store().feeds.queue_has(pipeline, feed, user.name) for feed in SecretFeed}
    programs = store().programs.queue_all(pipeline, user.name)
    pipeline.execute()
    return render_template(
        "account/access.html",
        sessions=sessions.result,
        own_session=viewer_read().session,
        mail=address.result,
        codes=codes.result,
        programs=programs.result,
        feeds=[feed for feed, has in feeds.items() if has.result],
    )


@act(blueprint, "/account/theme", require_member, leads_to="/account#read")
def choose_theme(user: User) -> Message:
    """Choose the colours of the pages that the viewer gets."""
    theme = request.form.get("theme", "")
    store().users.choose(user, theme=theme if theme in THEMES else "")
    return _("The pages now have these colours wherever you are logged in.")


@act(blueprint, "/account/logout-everywhere", require_member, leads_to="/login")
def logout_everywhere(user: User) -> Message:
    """End all sessions of the viewer, this one too, the tokens of programs, and the secret addresses of feeds."""
    store().users.end_sessions(user.name)
    end_session()
    return _("You have been logged out everywhere.")


@blueprint.post("/account/sessions")
@reads(require_member)
def end_sessions(user: User) -> ResponseReturnValue:
    """End one session of the viewer, or all others."""
    ended, current, target = request.form.get("end", ""), viewer_read().session, "/account/access#sessions"
    if current and ended == current.digest:
        log_out()
        return lead("/login", _("You have been logged out."))
    if ended == "others":
        end_other_sessions(user)
        return lead(target, _("All other sessions have ended."))
    if store().sessions.end(user.name, ended):
        return lead(target, _("The session has ended."))
    return lead(target, _("This session had already ended."), "error")


@blueprint.get("/account/data")
@reads(require_member)
def data(user: User) -> ResponseReturnValue:
    """Return everything that the site stores about the viewer, as one JSON file."""
    exported = data_export.export_member(store(), _stored(user))
    name = f"voteweb-{user.name}.json"
    spelled = f'filename="{name}"' if name.isascii() else f"filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": f"attachment; {spelled}"}
    body = json.dumps(exported, ensure_ascii=False, indent=1)
    return Response(body, mimetype="application/json", headers=headers)


@blueprint.post("/account/delete")
@refusals_shown_by_form
@reads(require_member)
def delete(user: User) -> ResponseReturnValue:
    """Delete the account: end its sessions for good, then delete what it wrote or remove its name from it.

    The last admin must make somebody else an admin first.
    """
    form = DeleteAccountForm()
    if form.validate_on_submit({"password": [checked(partial(_check_password, user))]}):
        with refusals(form, {Invalid: "password", PasswordChanged: "password", LastAdmin: ""}):
            _check_password(user, form.password.data or "")
            try:
                store().account_deletion.start(user, delete_articles=form.articles.data == "delete")
            except LastAdmin:
                message = N_("You are the last admin here. Make another member an admin first, on the member's page.")
                raise LastAdmin(message) from None
            end_session()
            store().account_deletion.finish(user.name)
            return lead("/", _("Your account has been deleted. Nobody can take its name."))
    return _render(user, delete_form=form)


@recovery.route("/account/recovery-codes", methods=["GET", "POST"])
@reads(require_member)
def codes(user: User) -> ResponseReturnValue:
    """Tell how many codes the viewer has left; by POST, make new ones and show them once, or end all.

    The first ones need no password in the session that signing up has made.
    """
    target = safe_path(request.values.get("next", ""), default="/account")
    left = store().read(store().passwords.queue_codes_left, user.name)
    is_first = not left.were_made and now() - session.get(SIGNED_UP, 0) < config.SIGNED_UP_SECONDS
    if request.method != "POST":
        return render_template("account/recovery.html", left=left, next=target, is_first=is_first)
    if request.form.get("act") == "withdraw":
        require_recent_password(user)
        store().passwords.end_codes(user)
        return lead(target, _("Your recovery codes have ended."))
    if not is_first:
        require_recent_password(user)
    made = store().passwords.renew_codes(user, are_first=is_first)
    return render_template("account/recovery_codes.html", codes=made, text=_as_text(user, made), next=target)


def _as_text(member: User, made: tuple[str, ...]) -> str:
    """Return the file that keeps the codes *made* for *member*, with what it is for."""
    purpose = _("If you forget your password, each of these codes lets you set a new one, once, on this page:")
    lines = [
        _("Recovery codes of %(name)s on %(site)s", name=member.name, site=settings().site_name),
        *("", purpose, absolute("/recover")),
        *("", *made, ""),
        _("Made on %(when)s. Codes that you make later replace them.", when=format_datetime(now())),
    ]
    return "\n".join([*lines, ""])


def _stored(user: User) -> User:
    """Return *user* with the role that is stored, also while it gives no rights."""
    return viewer_read().member or user


#: The fields beside which the form of the second factor shows these errors.
_SECOND_FACTOR_FIELDS = {Invalid: "password", CodeNeeded: "code", TooFast: ""}


@form_page(blueprint, "/account/second-factor")
@reads(require_member)
def second_factor(user: User) -> ResponseReturnValue:
    """Show how to set up the viewer's second factor, or to turn it off; by POST, turn it on with a first code."""
    form = SecondFactorForm()
    if form.validate_on_submit({"password": [checked(partial(_check_password, user))]}):
        with refusals(form, _SECOND_FACTOR_FIELDS):
            _check_password(user, form.password.data or "")
            store().second_factors.turn_on(user, _nonce_to_set_up(), form.code.data or "")
            session.pop(_SET_UP)
            has_codes = store().read(store().passwords.queue_codes_left, user.name).number
            told = _("Your second factor is on. From now on, logging in needs a code of your app, too.")
            return lead("/account#second-factor" if has_codes else "/account/recovery-codes", told)
    return _render_second_factor(user, form)


def _check_password(user: User, typed: str) -> str:
    if not passwords.verify(user.password, typed):
        raise Invalid(_("This is not your password."))
    return typed


def _nonce_to_set_up() -> str:
    """Return the nonce of the second factor that is being set up in this browser, a new one after SET_UP_SECONDS."""
    since, _, nonce = str(session.get(_SET_UP, "")).partition(" ")
    if not nonce or now() >= int(since) + config.SET_UP_SECONDS:
        nonce = new_nonce()
        session[_SET_UP] = f"{int(now())} {nonce}"
    return nonce


def _render_second_factor(user: User, form: SecondFactorForm) -> ResponseReturnValue:
    if user.second_factor:
        return render_template("account/end_second_factor.html", form=form), form.status
    app = store().second_factors.authenticator(user, _nonce_to_set_up())
    uri = app.provisioning_uri(name=user.name, issuer_name=settings().site_name)
    picture = markup.trusted(segno.make(uri, micro=False).svg_inline(scale=4, light="#fff"))
    secret = " ".join(app.secret[at : at + 4] for at in range(0, len(app.secret), 4))
    page = render_template("account/second_factor.html", form=form, uri=uri, picture=picture, secret=secret)
    return page, form.status, _NO_STORE


@blueprint.post("/account/second-factor/off")
@refusals_shown_by_form
@reads(require_member)
def end_second_factor(user: User) -> ResponseReturnValue:
    """Turn off the viewer's second factor, with the password and a code."""
    form = SecondFactorForm()
    if form.validate_on_submit({"password": [checked(partial(_check_password, user))]}):
        with refusals(form, _SECOND_FACTOR_FIELDS):
            _check_password(user, form.password.data or "")
            use_code(user, form.code.data or "", store().second_factors.turn_off)
            told = _("Your second factor is off. Logging in needs your password alone.")
            return lead("/account#second-factor", told)
    return _render_second_factor(user, form)


@form_page(mail, "/account/mail", "index")
@reads(require_member)
def show_mail(user: User) -> ResponseReturnValue:
    """Show where the viewer gets mail; by POST, send a link to another address."""
    form = EmailForm()
    if form.validate_on_submit():
        require_recent_password(user)
        address = form.email.data or ""
        with refusals(form, {OutboxFull: "email", TooFast: "email"}):
            rate_limits.hit((EMAIL_BY_ADDRESS, address.lower()))
            store().mail.request(user, address, locale.current().code)
            told = _("A mail with a link is on its way. Open the link to confirm your address.")
            return lead("/account/mail", told)
    account = store().read(store().mail.queue_account, user.name)
    return render_template("account/mail.html", form=form, mail=account), form.status


@act(mail, "/account/mail/remove", require_member, endpoint="remove", back="/account/mail")
def remove_mail(user: User) -> Message:
    """Forget the viewer's address, or end one link; a stolen session must end none by which its member comes back."""
    link, pending = request.form.get("link"), store().read(store().mail.queue_account, user.name).pending
    require_recent_password(user, takes_away=bool(pending and pending.nonce == link))
    if link:
        store().mail.end_link(user.name, link, actor=user)
        return _("The link has ended.")
    store().mail.remove(user)
    return _("Your e-mail address has been removed.")


@mail.route("/account/mail/confirm/<token>", methods=["GET", "POST"], endpoint="confirm")
@reads(require_member)
def confirm_mail(token: str, user: User) -> ResponseReturnValue:
    """Ask whether the address of the link is right, since programs that read mail open links; by POST, confirm it."""
    pending = store().read(store().mail.queue_account, user.name).pending
    if pending is None or not _is_link_of(token, user, pending):
        raise LinkOutOfDate()
    if request.method != "POST":
        return render_template("account/confirm_mail.html", address=pending.address), _NO_STORE
    store().mail.confirm(user, pending)
    return lead("/account/mail", _("Your e-mail address is confirmed."))


def _is_link_of(token: str, user: User, pending: PendingEmail) -> bool:
    expected = messages.confirmation_token(user.name, pending)
    return now() < pending.until and compare_digest(token.encode(), expected.encode())


@form_page(mail, "/mail/stop/<token>", "stop")
def stop_mail(token: str) -> ResponseReturnValue:
    """Show what the link of a mail ends without log-in, since programs that read mail open links; by POST, end it.

    An address that waits for its member is forgotten. A former address takes away the one after it; it is the member's
    again after a proof.
    """
    user, account, link = _read_stop_link(token)
    viewer()  # clears a session that has ended, before the form stores its token in it
    form = ProofForm()
    if form.validate_on_submit():
        if link == account.pending:
            store().mail.end_link(user.name, link.nonce, actor=None)
            return lead("/", _("The address has been forgotten. This site sends it nothing more."))
        if "proof" not in request.form:
            store().mail.take_away(user.name, link)
            return lead(request.path, _("The account has no e-mail address any more."))
        with refusals(form, {CodeNeeded: "proof", TooFast: ""}):
            use_code(user, form.proof.data or "", partial(_restore_mail, link), limit=FORMER_ADDRESS)
            told = _("This is the address of the account again. A link for a new password can be sent to it.")
            return lead("/recover/mail", told)
    return (
        render_template("account/stop_mail.html", form=form, member=user, mail=account, link=link),
        form.status,
        _NO_STORE,
    )


def _read_stop_link(token: str) -> tuple[User, MailAccount, PendingEmail]:
    """Return whose address a link is about, where they get mail, and the address; raise LinkOutOfDate."""
    name = token.partition(".")[0]
    user = store().users.find(name) if validation.is_member_key(name) else None
    account = store().read(store().mail.queue_account, name) if user and not user.left else MailAccount()
    for link in filter(None, (account.pending, *account.former)):
        expected = messages.stop_token(name, link)
        if user and now() < link.until and compare_digest(token.encode(), expected.encode()):
            return user, account, link
    raise LinkOutOfDate()


def _restore_mail(link: PendingEmail, user: User, typed: str) -> None:
    """Make the address of *link* that of *user* again, if the password or a code is *typed*; raise CodeNeeded."""
    code = None if passwords.verify(user.password, typed) else typed
    try:
        store().second_factors.restore_mail(user, link, locale.current().code, code)
    except CodeNeeded as error:
        raise CodeNeeded(N_("This is neither the password nor a code of the account.")) from error


@invitations.get("/invitations", endpoint="index")
@login_required
def show_invitations() -> str:
    """Show the viewer's invitations, or a moderator another member's."""
    number, by = page_number(), request.args.get("by", "")
    name = parse_name(by) if by else ""
    if name:
        require_moderator(viewer())
    else:
        name = _require_inviter(viewer()).name
    pipeline = store().pipeline()
    member = store().users.queue_get(pipeline, name)
    invitations = store().invitations.queue_page(pipeline, name, number)
    pipeline.execute()
    name = check_present(member.result, name).name
    page = check_page_exists(invitations.result)
    return render_template("account/invitations.html", page=page, by=name if by else "")


def _require_inviter(user: User | None) -> User:
    member = require_member(user)
    if not permissions.may_invite(member, now(), settings()):
        abort(403, _("You cannot invite others here."))
    return member


@act(invitations, "/invitations", _require_inviter, endpoint="make", leads_to="/invitations")
def invite(user: User) -> Message:
    """Create an invitation, whose link is shown once."""
    token = store().invitations.make(user, permissions.least_inviter_role(user, now(), settings()))
    address = absolute(f"/signup?invite={token}")
    flash(_("Invitation created. Send its link to one person: %(address)s", address=address))
    return _("Copy it now: it is shown only once. Everybody who knows it can sign up.")


@act(invitations, "/invitations/<digest>/revoke", require_member, back="/invitations")
def revoke(digest: str, user: User) -> Message:
    """Revoke one of the viewer's invitations; a moderator can revoke anybody's."""
    try:
        store().invitations.revoke(digest, user)
    except LinkUsed:
        abort(404, _("There is no such invitation."))
    return _("The invitation has been withdrawn.")
