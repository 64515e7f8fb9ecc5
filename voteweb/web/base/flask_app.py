"""Flask as this site uses it: with its own requests and responses."""

from collections.abc import Callable
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from flask import Flask, Request, Response
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.formparser import FormDataParser
from werkzeug.utils import cached_property

_FORM = "application/x-www-form-urlencoded"
#: The type of a form as browsers send it, and as script does.
_FORM_TYPES = (_FORM, f"{_FORM};charset=UTF-8")
#: Bytes of the longest form that is read at once; votes and most other forms are shorter.
_MAX_SHORT_FORM = 2_000


class FormParser(FormDataParser):
    """Reads the fields of a form, which has no files, with little work whatever is sent."""

    def parse(
        self, stream: IO[bytes], mimetype: str, content_length: int | None, options: dict[str, str] | None = None
    ) -> tuple[IO[bytes], MultiDict[str, str], MultiDict[str, Any]]:
        """Return the *stream*, the fields in it and no files; raise RequestEntityTooLarge for too many fields.

        Werkzeug has no limit of fields, and quotes bytes that are no text, which takes six times as long as to replace
        them.
        """
        body = stream.read() if mimetype == _FORM else b""
        if self.max_form_parts is not None and body.count(b"&") >= self.max_form_parts:
            raise RequestEntityTooLarge
        fields = parse_qsl(body.decode(errors="replace"), keep_blank_values=True, errors="replace")
        return stream, self.cls(fields), self.cls()


_parser = FormParser(cls=ImmutableMultiDict)


class SiteRequest(Request):
    """A request as Flask makes it, in less time, whose form is read only where one is taken."""

    form_data_parser_class = FormParser

    @property
    def want_form_data_parsed(self) -> bool:
        """Whether the address takes a form."""
        return self.method == "POST" and self.routing_exception is None

    @property
    def is_form(self) -> bool:
        """Whether the body, if there is one, is of the type of our forms, and as long as it says, as from a browser.

        One in pieces of a byte each takes half a second to read.
        """
        is_whole = "HTTP_TRANSFER_ENCODING" not in self.environ or "CONTENT_LENGTH" in self.environ
        return is_whole and self.mimetype in ("", _FORM)

    @cached_property
    def form(self) -> ImmutableMultiDict[str, str]:
        """Return the fields of the form, of a short one without all the steps that Werkzeug takes to them.

        It looks up limits that no short form exceeds, wraps the stream, parses the content type and makes a parser.
        """
        if not self.is_short_form() or not self.want_form_data_parsed:
            return super().form
        body = self._read()
        self.environ["wsgi.input"] = BytesIO(body)  # for another request object of the same request
        self.stream, form, self.files = _parser.parse(BytesIO(body), _FORM, len(body))  # type: ignore[assignment]
        return form  # type: ignore[return-value]

    def is_short_form(self) -> bool:
        """Tell whether the body is a short form of which nothing has been read."""
        length = self.environ.get("CONTENT_LENGTH", "")
        return (
            self.environ.get("CONTENT_TYPE") in _FORM_TYPES
            and (length.isdecimal() and len(length) < 5 and int(length) <= _MAX_SHORT_FORM)
            and "HTTP_TRANSFER_ENCODING" not in self.environ
            and "stream" not in self.__dict__
        )

    def _read(self) -> bytes:
        """Return the whole body; raise ClientDisconnected if there is less, even if the server calls that its end."""
        length = int(self.environ["CONTENT_LENGTH"])
        try:
            body: bytes = self.environ["wsgi.input"].read(length)
        except OSError as error:
            raise ClientDisconnected from error
        if len(body) < length:
            raise ClientDisconnected
        return body


if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Flask's name for the messages of a session.
FLASHES = "_flashes"


class SiteFlask(Flask):
    """The Flask app of a site."""

    request_class = SiteRequest

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
