"""The texts of mails: made when they are sent, in the member's language, from the templates in templates/mail/."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

from voteweb.core import config, permissions
from voteweb.core.mail import MailAccount, MailChoice, MailKind, StopKind
from voteweb.core.models import Period, User
from voteweb.store.mail import TakenMail
from voteweb.web.context import current_app, now, settings, store
from voteweb.web.i18n.locale import ENGLISH, LANGUAGES, force_language
from voteweb.web.mail import tokens
from voteweb.web.urls import absolute


class NotWantedError(Exception):
    """The member has left, is banned, or wants no such mail any more."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The address and the values of a mail, and which mails its link ends.

    None for a mail about the account, which no link ends: mail programs offer it as a button beside any mail.
    """

    to: str
    stops: StopKind | None
    values: dict[str, Any] = field(default_factory=dict)


def compose(mail: TakenMail) -> EmailMessage | None:
    """Return *mail* as it is sent now, None if there is nothing to tell; raise NotWantedError."""
    member = store().users.find(mail.name)
    if mail.kind is None or member is None or not permissions.may_log_in(member):
        raise NotWantedError
    account = store().mail.account(mail.name)
    content = _CONTENTS[mail.kind](member, account, mail)
    if content is None:
        return None
    stop = ""
    if content.stops:
        stop = absolute(f"/mail/stop/{tokens.stop_token(member.name, content.stops, content.to)}")
    with force_language(LANGUAGES.get(mail.language or account.language, ENGLISH)):
        # Not render_template(): that asks for the viewer of a request, and there is none.
        text = (
            current_app()
            .jinja_env.get_template(f"mail/{mail.kind}.txt")
            .render(member=member, stop=stop, account=absolute("/account/mail"), **content.values)
        )
    subject, _, body = text.strip().partition("\n")
    return _message(mail, content.to, subject, body.strip(), stop)


def _message(mail: TakenMail, to: str, subject: str, body: str, stop: str) -> EmailMessage:
    """Return the mail with its headers; none of them contains anything that members wrote but the checked address."""
    host = urlsplit(settings().site_url).hostname or "localhost"
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(" ".join(settings().site_name.split()), addr_spec=settings().mail_from)
    message["To"] = Address(addr_spec=to)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = format_datetime(datetime.fromtimestamp(now(), UTC))
    message["Message-ID"] = f"<{tokens.message_id(mail.entry, mail.since)}@{host}>"
    if stop:
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"{body}\n", cte="quoted-printable")
    return message


def _confirmation(member: User, account: MailAccount, _mail: TakenMail) -> _Content:
    pending = account.pending
    if pending is None or pending.until <= now():
        raise NotWantedError
    link = absolute(f"/account/mail/confirm/{tokens.confirmation_token(member.name, pending)}")
    return _Content(pending.address, None, {"link": link})


def _reset(member: User, account: MailAccount, _mail: TakenMail) -> _Content:
    if not account.email:
        raise NotWantedError
    link = absolute(f"/reset/{store().password_resets.make(member.name, account.email)}")
    return _Content(account.email, None, {"link": link})


def _changed(_member: User, account: MailAccount, mail: TakenMail) -> _Content:
    """Return what the address that was the member's is told; no more of the one that is, whose owner may be another."""
    return _Content(mail.former, None, {"time": mail.since, "is_removed": not account.email})


def _digest(member: User, account: MailAccount, mail: TakenMail) -> _Content | None:
    """Return what is new in the inbox since then and not read, and how many reports are open."""
    wants_replies = MailChoice.REPLIES in account.choices
    wants_reports = MailChoice.REPORTS in account.choices
    if not account.email or not (wants_replies or wants_reports):
        raise NotWantedError
    pipeline = store().pipeline()
    page = store().inbox.queue_page(pipeline, member.name, 1)
    open_reports = store().reports.queue_count(pipeline)
    pipeline.execute()
    # Notices have whole seconds: better one twice than none.
    unread = [notice for notice in page.result.rows if notice.is_unread and notice.time >= int(mail.since)]
    notices = unread[: config.DIGEST_NOTICES] if wants_replies else []
    reports = open_reports.result if wants_reports and permissions.may_moderate(member) else 0
    if not (notices or reports):
        return None
    return _Content(account.email, StopKind.DIGEST, {"notices": notices, "reports": reports})


def _weekly(member: User, account: MailAccount, _mail: TakenMail) -> _Content | None:
    """Return the best articles of the week, without what the member hides."""
    if not account.email or MailChoice.WEEKLY not in account.choices:
        raise NotWantedError
    pipeline = store().pipeline()
    page = store().listings.queue_page(pipeline, store().rankings.best(Period.WEEK), 1)
    choice = store().my_sites.queue_choice(pipeline, member.name)
    pipeline.execute()
    rows = page.result.rows
    articles = [rows[at] for at in choice.result.visible(rows)][: config.WEEKLY_ARTICLES]
    return _Content(account.email, StopKind.WEEKLY, {"articles": articles}) if articles else None


_CONTENTS = {
    MailKind.CONFIRM: _confirmation,
    MailKind.RESET: _reset,
    MailKind.CHANGED: _changed,
    MailKind.DIGEST: _digest,
    MailKind.WEEKLY: _weekly,
}
