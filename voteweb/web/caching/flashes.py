"""Messages that the next page shows once: Flask's in the session, and those about votes in a cookie of their own.

With a message in the session, each vote would have to sign the session cookie again.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import cast

from flask import g, get_flashed_messages, request, session
from werkzeug.http import dump_cookie
from werkzeug.wrappers import Response as BaseResponse

from voteweb.core import config
from voteweb.core.errors import N_
from voteweb.web.base.context import settings
from voteweb.web.base.flask_app import FLASHES
from voteweb.web.i18n.locale import gettext

COOKIE = "notice"


class VoteFlash(StrEnum):
    COUNTED = "counted"
    TAKEN_BACK = "taken-back"


_MESSAGES = {
    VoteFlash.COUNTED: N_("Your vote has been counted."),
    VoteFlash.TAKEN_BACK: N_("Your vote has been taken back."),
}


def set_vote_flash(response: BaseResponse, flash: VoteFlash | None) -> BaseResponse:
    """Return *response* with the cookie that makes the next page show *flash*, or that deletes the cookie."""
    response.headers.add("Set-Cookie", vote_flash_cookie(flash, secure=settings().secure))
    return response


def vote_flash_cookie(flash: VoteFlash | None, *, secure: bool) -> str:
    """Return the header of that cookie."""
    value, max_age = flash or "", config.FLASH_COOKIE_SECONDS if flash else 0
    return dump_cookie(COOKIE, value, max_age=max_age, sync_expires=False, secure=secure, httponly=True, samesite="Lax")


def row_category(id: int) -> str:
    """Return the category of a message that belongs to the row of the article *id*."""
    return f"row-{id}"


def pop_all(rows: Iterable[object] = ()) -> list[tuple[str, str]]:
    """Return the category and text of each message to show; a reader without a session has none.

    Those that belong to one of the *rows* of the page are left to :func:`pop_row_flash`.
    """
    if not session or (FLASHES not in session and COOKIE not in request.cookies):
        return []
    messages = cast("list[tuple[str, str]]", get_flashed_messages(with_categories=True))
    if any(category.startswith("row-") for category, _ in messages):
        shown = {row_category(getattr(row, "id", 0)) for row in rows}
        g.row_flashes = {category: message for category, message in messages if category in shown}
        messages = [(category, message) for category, message in messages if category not in shown]
    if voted := vote_flash_of(request.cookies):
        g.vote_flash = voted  # it is shown once
        messages = [*messages, ("message", vote_message(voted))]
    return messages


def pop_row_flash(id: int) -> str:
    """Return the message that belongs to the row of the article *id*, "" if there is none."""
    return str(g.get("row_flashes", {}).get(row_category(id), ""))


def vote_flash_of(cookies: Mapping[str, str]) -> VoteFlash | None:
    """Return what *cookies* say about a vote, None if nothing."""
    try:
        return VoteFlash(cookies[COOKIE]) if COOKIE in cookies else None
    except ValueError:
        return None


def vote_message(flash: VoteFlash) -> str:
    """Return the message of *flash* in the language of this answer."""
    return gettext(_MESSAGES[flash])
