"""What the next page says of a vote, in a cookie of its own: in the session, that would have to be signed anew."""

from enum import StrEnum
from functools import lru_cache

from flask import Flask, Response, g, request
from flask_babel import lazy_gettext as _l
from werkzeug.http import dump_cookie
from werkzeug.wrappers import Response as BaseResponse

from voteweb.current import settings

COOKIE = "notice"
#: Seconds for which a page may be on its way that says it.
SECONDS = 60


class Notice(StrEnum):
    """What there is to say."""

    COUNTED = "counted"
    TAKEN_BACK = "taken-back"


_WORDS = {
    Notice.COUNTED: _l("Your vote is counted."),
    Notice.TAKEN_BACK: _l("Your vote is taken back."),
}


def init_app(app: Flask) -> None:
    """Let every answer of *app* that has said a notice see to it that the next does not."""

    @app.after_request
    def forget(response: Response) -> Response:
        if "notice" in g:
            leave(response, None)
        return response


def leave(response: BaseResponse, notice: Notice | None) -> BaseResponse:
    """Return *response*, which from now on tells the browser to have this *notice* said, or none."""
    response.headers.add("Set-Cookie", _cookie(notice or "", SECONDS if notice else 0, settings().secure))
    return response


def take() -> str | None:
    """Return the words of the notice that this request brings, or None; they are said once."""
    try:
        words = str(_WORDS[Notice(request.cookies.get(COOKIE, ""))])
    except ValueError:
        return None
    g.notice = words
    return words


@lru_cache
def _cookie(value: str, seconds: int, secure: bool) -> str:
    # A date of its own would be that of the first time.
    return dump_cookie(COOKIE, value, max_age=seconds, sync_expires=False, secure=secure, httponly=True, samesite="Lax")
