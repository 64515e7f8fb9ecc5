"""The job that sends mails: it needs the app, whose templates and translations say what they say."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from voteweb.cli.site import Site
from voteweb.store.site.leases import Steps

if TYPE_CHECKING:
    from flask import Flask


def mail_steps(site: Site) -> Steps:
    """Return what sends the mails of *site* that are due; nothing on a site without mail."""
    if not site.settings.mail_url:
        return lambda: iter(())
    from voteweb.web.mail.sending import send_due_mails  # other commands start without Flask

    return lambda: send_due_mails(_app(site))


@cache
def _app(site: Site) -> "Flask":
    """Return the app of *site*, which counts nothing: the metrics are those of the web server."""
    from voteweb.app import create_app

    settings = replace(site.settings, metrics_token="")  # nosec B106
    return create_app(settings, site.store)
