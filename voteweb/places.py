"""Where a request comes from and where its answer may lead: to paths of this site and nowhere else."""

import re

from flask import request


def pressed_at() -> str:
    """Return the place of this site where the form of this request was sent from, at its article.

    The form's ``next`` says it; without one, or with a foreign one, it is the article's own page.
    """
    id = (request.view_args or {}).get("id")
    place = here(request.form.get("next", ""), default=f"/a/{id}" if id is not None else "/")
    return f"{place.partition('#')[0]}#a{id}" if id is not None else place


def here(target: str, default: str = "/") -> str:
    """Return *target* if it is a path of this site, else *default*.

    Browsers read two slashes, or one with a backslash behind it, as another site, and drop tabs and line ends
    before they look.
    """
    if len(target) <= 2_000 and re.fullmatch(r"/(?![/\\])[^\x00-\x20\x7f\\]*", target):
        return target
    return default


def wants_json() -> bool:
    """Tell whether the request comes from script and wants JSON."""
    accepted = request.accept_mimetypes
    return accepted["application/json"] > accepted["text/html"]
