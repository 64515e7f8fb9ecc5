"""Sending: the background job, by SMTP with one connection for the mails of a run, over TLS to every other machine."""

import logging
import secrets
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP

from flask import Flask

from voteweb.core import clock, config, links
from voteweb.core.mail import MailOutcome, MailServer, parse_server, retry_seconds
from voteweb.core.settings import Settings
from voteweb.store.accounts.mail import TakenMail
from voteweb.web.base.context import store
from voteweb.web.mail.messages import NotWantedError, compose, make_message

#: Lines as long as SMTP allows: a long address that is folded would be encoded, which no program undoes.
_POLICY = SMTP.clone(max_line_length=998)


class MailFailedError(Exception):
    """The mail server did not accept a mail, perhaps for now; the message contains nothing secret."""


class MailRefusedError(Exception):
    """The server accepts no mail to this address."""


class SmtpSession:
    """A connection to *server*, made when the first mail is sent; this machine greets it as *host*."""

    def __init__(self, server: MailServer, sender: str, host: str) -> None:
        self._server = server
        self._sender = sender
        self._host = host
        self._connection: smtplib.SMTP | None = None

    def send(self, message: EmailMessage, to: str) -> None:
        """Send *message* to one address; raise MailRefusedError, MailFailedError."""
        try:
            self._connection = self._connection or self.connect()
            self._connection.sendmail(self._sender, [to], message.as_bytes(policy=_POLICY))
        except smtplib.SMTPRecipientsRefused as error:
            code, _ = next(iter(error.recipients.values()))
            if code >= 500:
                raise MailRefusedError from error
            raise MailFailedError(f"the server answered {code}") from error
        except smtplib.SMTPResponseException as error:
            self.close()
            raise MailFailedError(f"{type(error).__name__}, the server answered {error.smtp_code}") from error
        except (smtplib.SMTPException, OSError) as error:  # among them those of TLS and of time
            self.close()
            raise MailFailedError(type(error).__name__) from error

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()

    def connect(self) -> smtplib.SMTP:
        """Return a connection that has logged in; raise OSError."""
        server, tls, seconds = self._server, ssl.create_default_context(), config.SMTP_SECONDS
        connection = (
            smtplib.SMTP_SSL(server.host, server.port, self._host, timeout=seconds, context=tls)
            if server.is_tls
            else smtplib.SMTP(server.host, server.port, self._host, timeout=seconds)
        )
        try:
            if server.needs_starttls:
                connection.starttls(context=tls)
            if server.user:
                connection.login(server.user, server.password)
        except BaseException:
            connection.close()
            raise
        return connection


_log = logging.getLogger("voteweb")


def session_of(site: Settings) -> SmtpSession:
    return SmtpSession(parse_server(site.mail_url), site.mail_from, links.host_of(site.site_url) or "localhost")


def send_at_once(site: Settings, to: str, subject: str, body: str) -> None:
    """Send one mail past the queue, which may be what failed; raise MailRefusedError, MailFailedError."""
    session = session_of(site)
    try:
        session.send(make_message(site, secrets.token_hex(16), to, subject, body), to)
    finally:
        session.close()


def send_due_mails(app: Flask) -> Iterator[None]:
    """Send the mails of a site that are due, one in each step, until the server fails or MAILS_PER_RUN are sent."""
    site = app.extensions["voteweb.store"]
    site.site_settings.read_switches(deadline=None)  # for the name of the site
    session = session_of(site.context.settings)
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
    is_old = clock.now() - mail.since >= config.MAX_MAIL_AGE
    return is_old or mail.tries >= config.MAIL_TRIES
