"""Security of every answer: trusted proxies, the site's own host, and response headers."""

from urllib.parse import urlsplit

from flask import Flask, Request, abort, request
from werkzeug.middleware.proxy_fix import ProxyFix

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.web.i18n.locale import Language
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

#: What a response varies by that is not public, and a page, which also has a language.
VARY, VARY_PAGE = ("Cookie",), ("Accept-Language", "Cookie")
#: The header of a response for one member.
PRIVATE = ("Cache-Control", "private, no-store")


def trust_proxies(app: Flask, settings: Settings) -> None:
    """Make *app* take the client's address and scheme from the configured number of proxies."""
    if settings.trusted_proxies:
        # Of several proxies, the nearest one gives the scheme: that of the first may not reach this site.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies, x_proto=1)  # type: ignore[method-assign]


def init_app(app: Flask, settings: Settings) -> None:
    """Make *app* answer 421 for any host but that of VOTEWEB_SITE_URL; without that setting every host is accepted."""
    host = site_host(settings)
    if not host:
        return

    @app.before_request
    def check_host() -> None:
        # Pages and feeds contain the host, and a proxy could cache a page of ours under another name.
        if not is_requested_host(request, host) and request.endpoint not in MONITORING_ENDPOINTS:
            abort(421, _("This site is at %(address)s.", address=settings.site_url))


def site_host(settings: Settings) -> str | None:
    """Return the host of VOTEWEB_SITE_URL, None without that setting."""
    return urlsplit(settings.site_url).hostname


def is_requested_host(request: Request, host: str) -> bool:
    """Tell whether *request* names *host*. The port is ignored: proxies leave it out too."""
    return urlsplit(f"//{request.host}").hostname == host


def fixed_headers(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the headers that every response has."""
    headers = {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
        "X-Content-Type-Options": "nosniff",
        # Flask-WTF requires a referrer on https posts, so "no-referrer" would refuse every form.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": PERMISSIONS_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if settings.secure:
        headers["Strict-Transport-Security"] = f"max-age={config.HTTPS_ONLY_SECONDS}"
    return tuple(headers.items())


def private_headers(settings: Settings, language: Language | None = None) -> list[tuple[str, str]]:
    """Return the headers of a response for one member, in *language* if it is a page, as finishing.py sets them."""
    of_language = [("Content-Language", language.tag)] if language else []
    vary = ", ".join(VARY_PAGE if language else VARY)
    return [*fixed_headers(settings), resource_policy(is_public=False), *of_language, ("Vary", vary), PRIVATE]


def resource_policy(*, is_public: bool) -> tuple[str, str]:
    """Return the header that tells who may load a response.

    Feed readers in browsers show our icon; no other site needs to load a page.
    """
    return "Cross-Origin-Resource-Policy", "cross-origin" if is_public else "same-origin"
