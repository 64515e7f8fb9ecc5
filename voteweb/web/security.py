"""Security of every answer: trusted proxies, the site's own host, and response headers."""

from urllib.parse import urlsplit

from flask import Flask, Response, abort, g, request, session
from werkzeug.middleware.proxy_fix import ProxyFix

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.web.i18n.locale import gettext as _

#: Endpoints that monitors request by the machine's own name or number.
MONITORING_ENDPOINTS = frozenset({"status.health", "status.metrics"})
#: Only our own files; no inline script or style, no frames, no plugins.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
#: Devices and data that no page of ours uses, so that injected content cannot use them either.
PERMISSIONS_POLICY = ", ".join(
    f"{name}=()"
    for name in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
        "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "usb",
    )
)  # fmt: skip


def trust_proxies(app: Flask, settings: Settings) -> None:
    """Make *app* take the client's address and scheme from the configured number of proxies."""
    if settings.trusted_proxies:
        # Of several proxies, the nearest one gives the scheme: that of the first may not reach this site.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies, x_proto=1)  # type: ignore[method-assign]


def init_app(app: Flask, settings: Settings) -> None:
    """Make *app* answer only for its own host, and add the security headers to every answer."""
    _refuse_other_hosts(app, settings)
    _add_headers(app, settings)


def _refuse_other_hosts(app: Flask, settings: Settings) -> None:
    """Answer 421 for any host but that of VOTEWEB_SITE_URL; without that setting every host is accepted."""
    host = urlsplit(settings.site_url).hostname
    if not host:
        return

    @app.before_request
    def check_host() -> None:
        # Pages and feeds contain the host, and a proxy could cache a page of ours under another name. The port is
        # ignored: proxies leave it out too.
        requested = urlsplit(f"//{request.host}").hostname
        if requested != host and request.endpoint not in MONITORING_ENDPOINTS:
            abort(421, _("This site is at %(address)s.", address=settings.site_url))


def _add_headers(app: Flask, settings: Settings) -> None:
    fixed = {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
        "X-Content-Type-Options": "nosniff",
        # Flask-WTF requires a referrer on https posts, so "no-referrer" would refuse every form.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": PERMISSIONS_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if settings.secure:
        fixed["Strict-Transport-Security"] = f"max-age={config.HTTPS_ONLY_SECONDS}"

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(fixed)
        if request.endpoint == "static":
            g.is_public = True
        # Feed readers in browsers show our icon; no other site needs to load a page.
        policy = "cross-origin" if g.get("is_public") else "same-origin"
        response.headers["Cross-Origin-Resource-Policy"] = policy
        # The session cookie is set only after this function, if the session has changed. Browsers cache even a 404
        # or 410 for a while unless told not to.
        sets_cookie = session.modified or "Set-Cookie" in response.headers
        # A form token is in the session; a public response contains none, whoever asks for it.
        has_session = bool(session) and not g.get("is_public")
        is_personal = sets_cookie or has_session or g.get("viewer") is not None or request.method == "POST"
        if is_personal or response.status_code >= 400:
            response.headers["Cache-Control"] = "private, no-store"
        return response
