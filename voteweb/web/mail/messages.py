"""The texts of mails: made when they are sent, in the member's language, from the templates in templates/mail/.

The token of the link that confirms an address, and the ids of mails, cannot be guessed, nor are they stored.
"""

from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from flask import current_app

from voteweb.core import clock, links, permissions
from voteweb.core.mail import MailAccount, MailKind, PendingEmail
from voteweb.core.models import User
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.store.accounts.mail import TakenMail
from voteweb.web.base.context import now, settings, store
from voteweb.web.base.urls import absolute
from voteweb.web.i18n.locale import ENGLISH, LANGUAGES, force_language


def confirmation_token(name: str, pending: PendingEmail) -> str:
    """Return the token of the link with which the member *name* confirms the *pending* address, this once."""
    return _digest(f"confirm {name_key(name)} {pending}")


def stop_token(name: str, link: PendingEmail) -> str:
    """Return the token, of a mail to the address of *link*, that forgets it or takes away the one after it.

    It names the member, since nobody has to be logged in. No name contains a dot.
    """
    return f"{name_key(name)}.{_digest(f'stop {name_key(name)} {link}')}"


def _stop_url(name: str, link: PendingEmail) -> str:
    return absolute(f"/mail/stop/{quote(stop_token(name, link))}")


def _digest(text: str) -> str:
    key = blake2b(str(current_app.secret_key).encode(), person=b"mail").digest()
    return blake2b(text.encode(), digest_size=16, key=key).hexdigest()


class NotWantedError(Exception):
    """The member has left, is banned, or has no such address any more."""


#: To whom a mail is sent, and what its template says besides the member.
_Content = tuple[str, dict[str, Any]]


def compose(mail: TakenMail) -> EmailMessage:
    """Return *mail* as it is sent now; raise NotWantedError."""
    member = store().users.find(mail.name)
    if mail.kind is None or member is None or not permissions.may_log_in(member):
        raise NotWantedError
    account = store().read(store().mail.queue_account, mail.name)
    to, values = _CONTENTS[mail.kind](member, account, mail)
    with force_language(LANGUAGES.get(mail.language or account.language, ENGLISH)):
        # Not render_template(): that asks for the viewer of a request, and there is none.
        text = current_app.jinja_env.get_template(f"mail/{mail.kind}.txt").render(member=member, **values)
    subject, _, body = text.strip().partition("\n")
    id = _digest(f"message {mail.entry} {mail.since:.6f}")  # of every attempt, so that a second copy is known
    return make_message(settings(), id, to, subject, body.strip())


def make_message(site: Settings, id: str, to: str, subject: str, body: str) -> EmailMessage:
    """Return a mail with its headers; none of them contains anything that members wrote but the checked address."""
    host = links.host_of(site.site_url) or "localhost"
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(" ".join(site.site_name.split()), addr_spec=site.mail_from)
    message["To"] = Address(addr_spec=to)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = format_datetime(datetime.fromtimestamp(clock.now(), UTC))
    message["Message-ID"] = f"<{id}@{host}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"{body}\n", cte="quoted-printable")
    return message


def _confirmation(member: User, account: MailAccount, _mail: TakenMail) -> _Content:
    pending = account.pending
    if pending is None or pending.until <= now():
        raise NotWantedError
    link = absolute(f"/account/mail/confirm/{confirmation_token(member.name, pending)}")
    return pending.address, {"link": link, "stop": _stop_url(member.name, pending)}


def _reset(member: User, account: MailAccount, _mail: TakenMail) -> _Content:
    if not account.email:
        raise NotWantedError
    link = absolute(f"/reset/{store().passwords.make_link(member.name, account.email)}")
    return account.email, {"link": link}


def _changed(member: User, account: MailAccount, mail: TakenMail) -> _Content:
    """Return what the address that was the member's is told; no more of the one that is, whose owner may be another."""
    stops = (_stop_url(member.name, link) for link in account.former if link.address == mail.former)
    return mail.former, {"time": mail.since, "is_removed": not account.email, "stop": next(stops, "")}


_CONTENTS = {MailKind.CONFIRM: _confirmation, MailKind.RESET: _reset, MailKind.CHANGED: _changed}
