"""``voteweb mail``: tell those who run the site that something failed, as the unit of a failed backup does."""

import socket
from urllib.parse import unquote, urlsplit

import click

from voteweb.cli.site import load_settings
from voteweb.core.errors import ConfigError
from voteweb.core.mail import is_email


@click.command()
@click.argument("text")
def mail(text: str) -> None:
    """Mail TEXT, one line, to the address in VOTEWEB_CONTACT, as when a backup fails.

    Needs no database.
    """
    settings = load_settings(None)
    contact = urlsplit(settings.contact)
    to = unquote(contact.path) if contact.scheme == "mailto" else ""
    if not settings.mail_url or not is_email(to):
        raise ConfigError("A mail needs VOTEWEB_MAIL_URL, and a VOTEWEB_CONTACT such as mailto:you@news.example.")
    from voteweb.web.mail.sending import MailFailedError, MailRefusedError, send_at_once

    try:
        send_at_once(settings, to, text, f"{text}\n\n{settings.site_url} ({socket.gethostname()})")
    except (MailRefusedError, MailFailedError) as error:
        raise click.ClickException(
            f"The mail to {to} was not sent: {str(error) or 'the server refuses the address'}."
        ) from None
    click.echo(f"Sent to {to}.")
