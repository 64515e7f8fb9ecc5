"""The door: who is asking, where proxies stand in front, and whether it is this site that was asked for."""

from urllib.parse import urlsplit

from flask import Flask, abort, request
from werkzeug.middleware.proxy_fix import ProxyFix

from voteweb.config import Settings
from voteweb.language import gettext as _

#: What monitors ask for by the machine's own name or number.
FOR_MONITORS = frozenset({"status.health", "status.metrics"})


def trust_proxies(app: Flask, settings: Settings) -> None:
    """Let *app* believe what as many proxies as *settings* say tell of who is asking."""
    if settings.trusted_proxies:
        # Of several proxies the nearest says what it was asked by: the scheme of the first may not reach us.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies, x_proto=1)  # type: ignore[method-assign]


def init_app(app: Flask, settings: Settings) -> None:
    """Let *app* answer only for the site's own host; without VOTEWEB_SITE_URL every host is taken for it."""
    host = urlsplit(settings.site_url).hostname
    if not host:
        return

    @app.before_request
    def check() -> None:
        # Addresses in pages and feeds are built of the host, and a page of ours under another name could be kept by a
        # proxy in between. Its port is left out: proxies leave it out too.
        asked = urlsplit(f"//{request.host}").hostname
        if asked != host and request.endpoint not in FOR_MONITORS:
            abort(421, _("This site is at %(address)s.", address=settings.site_url))
