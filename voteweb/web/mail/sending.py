"""The background job that sends mails."""

import logging
from collections.abc import Iterator
from urllib.parse import urlsplit

from flask import Flask

from voteweb.core import clock, config
from voteweb.core.mail import MailOutcome, retry_seconds
from voteweb.core.setting_checks import parse_server
from voteweb.store.accounts.mail import TakenMail
from voteweb.web.context import store
from voteweb.web.mail.messages import NotWantedError, compose
from voteweb.web.mail.smtp import MailFailedError, MailRefusedError, SmtpSession

_log = logging.getLogger("voteweb")


def send_due_mails(app: Flask) -> Iterator[None]:
    """Send the mails of a site that are due, one in each step, until the server fails or MAILS_PER_RUN are sent."""
    site = app.extensions["voteweb.settings"]
    host = urlsplit(site.site_url).hostname or "localhost"
    session = SmtpSession(parse_server(site.mail_url), site.mail_from, host)
    try:
        for _ in range(config.MAILS_PER_RUN):
            with app.app_context():
                mail = store().mail.take()
                if mail is not None and mail.tries > config.MAIL_TRIES:  # attempts that nobody noted the end of
                    store().mail.finish(mail, MailOutcome.DROPPED, None)
                elif mail is None or _send(session, mail) in (MailOutcome.FAILED, MailOutcome.DROPPED):
                    return
            yield
    finally:
        session.close()


def _send(session: SmtpSession, mail: TakenMail) -> MailOutcome:
    """Send *mail* and note how that ended."""
    failure = ""
    try:
        message = compose(mail)
        session.send(message, message["To"].addresses[0].addr_spec)
        outcome = MailOutcome.SENT
    except NotWantedError:
        outcome = MailOutcome.NOTHING
    except MailRefusedError:
        outcome = MailOutcome.REFUSED
    except MailFailedError as error:
        outcome, failure = MailOutcome.DROPPED if _is_last(mail) else MailOutcome.FAILED, str(error)
        _log.warning("A mail (%s) was not sent: %s; attempt %s.", mail.kind, failure, mail.tries)
    seconds = retry_seconds(mail.tries) if outcome is MailOutcome.FAILED else None
    store().mail.finish(mail, outcome, seconds, failure)
    return outcome


def _is_last(mail: TakenMail) -> bool:
    """Tell whether this attempt to send *mail* is the last one."""
    is_old = clock.now() - mail.since >= config.MAX_MAIL_AGE
    return is_old or mail.tries >= config.MAIL_TRIES
