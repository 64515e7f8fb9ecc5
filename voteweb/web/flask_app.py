"""Flask as this site uses it: with its own requests and responses, and with plain functions only."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import Headers

from voteweb.web.requests import SiteRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Flask's name for the messages of a session.
FLASHES = "_flashes"
#: Paths in which nothing has to be quoted.
_PLAIN_TARGET = re.compile(r"/(?!/)[\w/.+-]*(\?[\w=&.+-]+)?(#[\w-]+)?", re.ASCII)


class SiteResponse(Response):
    """A response as Flask makes it, in less time."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers as they are sent, without Werkzeug's steps, which change nothing in most responses.

        Those copy the headers, count bytes that have been counted, and quote what a redirect leads to.
        """
        is_plain = self.status_code in (200, 303) and "Content-Length" in self.headers
        return self.headers if is_plain and self._has_plain_target() else super().get_wsgi_headers(environ)

    def _has_plain_target(self) -> bool:
        target = self.headers.get("Location")
        return target is None or _PLAIN_TARGET.fullmatch(target) is not None


class SiteFlask(Flask):
    """The Flask app of a site; none of its views and hooks is a coroutine function."""

    request_class = SiteRequest
    response_class = SiteResponse

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func* itself; Flask asks whether it is a coroutine function, 13 times a page."""
        return func

    def respond_to_error(
        self, error: Exception, environ: "WSGIEnvironment", answer: Callable[[Exception], ResponseReturnValue]
    ) -> Response:
        """Return the response to an *error* of the lane, as if a view that the request had reached gave this *answer*.

        An error that *answer* raises is answered as that of any view.
        """
        with self.request_context(environ):
            try:
                try:
                    returned = answer(error)
                except Exception as raised:
                    returned = self.handle_user_exception(raised)
                return self.process_response(self.make_response(returned))
            except Exception as unhandled:
                return self.handle_exception(unhandled)
