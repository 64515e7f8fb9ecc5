"""Security of every answer: the trusted proxy, the site's own scheme and host, and response headers."""

from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING, cast

from flask import Flask, Request, abort, current_app, request

from voteweb.core import config, links
from voteweb.core.addresses import is_address
from voteweb.core.settings import Settings
from voteweb.web.i18n.locale import Language
from voteweb.web.i18n.locale import gettext as _

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

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

#: The header Vary of a response that is not public, and of a page, which also has a language.
VARY, VARY_PAGE = ("Cookie",), ("Accept-Language", "Cookie")
#: The header of a response for one member, and that of a reader's page: proxies may keep it for a second, and no longer
#: while they ask for a new one, since deleted words are in it; browsers ask each time.
PRIVATE = ("Cache-Control", "private, no-store")
SHARED = ("Cache-Control", f"public, max-age=0, s-maxage={config.SHARED_SECONDS}")
_EXTENSION = "voteweb.origin"
_ADDRESS = f"HTTP_{config.ADDRESS_HEADER.upper()}"


class OriginMiddleware:
    """A WSGI layer that takes the scheme from VOTEWEB_SITE_URL, and the visitor's address from a trusted proxy.

    A request whose header holds no address has none. ``lacks_address`` tells whether there was such a request of late,
    as from one of two proxies. Those of monitors, which come without the proxy, do not count.
    """

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app.wsgi_app
        self._scheme = settings.site_url.partition(":")[0]
        self._trusts_proxy = settings.trusted_proxies > 0
        self._monitored = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint in MONITORING_ENDPOINTS}
        self._lacking_until = 0.0

    @property
    def lacks_address(self) -> bool:
        """Whether a proxy does not seem to name visitors."""
        return monotonic() < self._lacking_until

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Pass the request on with its scheme and address."""
        if self._scheme:
            environ["wsgi.url_scheme"] = self._scheme
        if self._trusts_proxy:
            address = environ.get(_ADDRESS, "")
            is_named = is_address(address)
            environ["REMOTE_ADDR"] = address if is_named else ""
            if not is_named and environ.get("PATH_INFO") not in self._monitored:
                self._lacking_until = monotonic() + config.NAMELESS_PROXY_SECONDS
        return self._app(environ, start_response)


def init_origin(app: Flask, settings: Settings) -> None:
    """Wrap *app*, whose views must be registered, in the layer that all layers with an address or scheme need."""
    app.wsgi_app = app.extensions[_EXTENSION] = OriginMiddleware(app, settings)  # type: ignore[method-assign]


def origin_warnings() -> list[str]:
    """Return what to do if the proxy does not name its visitors."""
    if not cast(OriginMiddleware, current_app.extensions[_EXTENSION]).lacks_address:
        return []
    return [
        f"The proxy sends no address of visitors in the header {config.ADDRESS_HEADER}, so that nothing is limited by "
        'address. Run "voteweb deploy caddy --install" (or nginx, or compose) and reload the proxy.'
    ]


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


def site_host(settings: Settings) -> str:
    """Return the host of VOTEWEB_SITE_URL, "" without that setting."""
    return links.host_of(settings.site_url)


def is_requested_host(request: Request, host: str) -> bool:
    """Tell whether *request* names *host*. The port is ignored: proxies leave it out too."""
    return links.host_of(f"http://{request.host}/") == host


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
