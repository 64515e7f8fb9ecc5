"""Sending by SMTP: one connection for the mails of a run, over TLS to every other machine."""

import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP

from voteweb.core import config
from voteweb.core.setting_checks import MailServer

#: Lines as long as SMTP allows: a long address that is folded would be encoded, which no program undoes.
_POLICY = SMTP.clone(max_line_length=998)


class MailFailedError(Exception):
    """A mail was not accepted, perhaps for now; the message contains nothing secret."""


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
            self._connection = self._connection or self._connect()
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
        """End the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()

    def _connect(self) -> smtplib.SMTP:
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
