"""What every answer says about itself: what the browser may load, and who may keep it."""

from flask import Flask, Response, g, session

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


def init_app(app: Flask) -> None:
    """Add the headers to every answer of *app*."""

    @app.after_request
    def add(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        # Flask-WTF wants a referrer on https posts, so "no-referrer" would refuse every form.
        response.headers.setdefault("Referrer-Policy", "same-origin")
        # The cookie itself is set only after this function, where the session has changed. Browsers keep even a 404
        # or 410 for a while unless told not to.
        if g.get("viewer") is not None or session.modified or response.status_code >= 400:
            response.headers["Cache-Control"] = "private, no-store"
        return response
