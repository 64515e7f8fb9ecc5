"""What every answer says about itself: what the browser may load, and who may keep it."""

from datetime import UTC, datetime
from hashlib import sha256

from flask import Flask, Response, g, request, session

from voteweb.config import Settings

#: Only our own files; no inline script or style, no frames, no plugins.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


#: Devices and data that no page of ours asks for, so that nothing that slips into one can.
PERMISSIONS_POLICY = ", ".join(
    f"{name}=()"
    for name in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
        "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "usb",
    )
)  # fmt: skip
#: Seconds for which browsers come back by https only: a year, as the lists of such sites ask for.
HTTPS_ONLY_SECONDS = 365 * 86_400


def init_app(app: Flask, settings: Settings) -> None:
    """Add the headers to every answer of *app*."""
    fixed = {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
        "X-Content-Type-Options": "nosniff",
        # Flask-WTF wants a referrer on https posts, so "no-referrer" would refuse every form.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": PERMISSIONS_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if settings.secure:
        fixed["Strict-Transport-Security"] = f"max-age={HTTPS_ONLY_SECONDS}"

    @app.after_request
    def add(response: Response) -> Response:
        response.headers.update(fixed)
        if request.endpoint == "static":
            g.for_everybody = True
        # Feed readers in browsers show our icon; a page is nobody else's to load.
        owner = "cross-origin" if g.get("for_everybody") else "same-origin"
        response.headers["Cross-Origin-Resource-Policy"] = owner
        # The cookie itself is set only after this function, where the session has changed. Browsers keep even a 404
        # or 410 for a while unless told not to.
        is_personal = g.get("viewer") is not None or request.method == "POST" or session.modified
        if is_personal or response.status_code >= 400:
            response.headers["Cache-Control"] = "private, no-store"
        return response


def for_everybody(body: str, mimetype: str, seconds: int, changed: float = 0.0) -> Response:
    """Return an answer that is the same whoever asks, or 304 to whoever has it already.

    Anybody may keep it for *seconds* and ask then whether it still holds. *changed* is the unix time of its newest
    part, 0 where none is known: it says nothing of votes and removals, so the digest of the body goes first.
    """
    response = Response(body, mimetype=mimetype)
    response.cache_control.public = True
    response.cache_control.max_age = seconds
    response.set_etag(sha256(response.get_data()).hexdigest()[:32])
    if changed:
        response.last_modified = datetime.fromtimestamp(changed, UTC)
    g.for_everybody = True
    response.make_conditional(request)
    return response
