"""URLs of the site: absolute, canonical and static ones, and safe targets of redirects. Routes are in web/views/."""

import re
from typing import Any
from urllib.parse import quote

from flask import request, url_for
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from voteweb.core import config, links
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article
from voteweb.web.base import static_files
from voteweb.web.base.context import settings

#: Endpoints that search engines may index. The form to post is not useful to them: it redirects readers to log-in.
_INDEXED = {"lists.good", "submission.submit", "groups.index", "status.about", "status.privacy", "status.rules"}
#: Indexed endpoints with several pages. The pages of single comments are not indexed: each is on its article's page.
_PAGED = {
    "lists.front", "lists.new", "articles.show", "lists.group", "lists.group_new", "users.show",
    "moderation_log.index", "lists.top", "lists.group_top",
}  # fmt: skip
#: Those with a list for each period.
_PERIODS = {"lists.top", "lists.group_top"}
#: Query parameters that turn such a page into another list, which search engines need not know.
_FILTERS = {"articles.show": ("order",), "moderation_log.index": ("who", "kind")}
_SEARCHABLE = _INDEXED | _PAGED
#: Browsers read "//" and "/\\" as the start of another site, and drop tabs and line ends before they look.
_LOCAL_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")
_TIME = re.compile(config.TIME_PATTERN)
#: Parts of a path that browsers take as another path, and the characters of a query that stay as they are.
_DOTS = re.compile(r"/\.\.?/")
_IN_QUERY = "!$%&'()*+,/:;=?@[]~"


def absolute(path: str = "/") -> str:
    """Return the full URL of *path*, under VOTEWEB_SITE_URL or the host of this request."""
    return (settings().site_url.rstrip("/") or f"{request.scheme}://{_requested_host()}") + path


def _requested_host() -> str:
    """Return the host that the request names, in lower case, and its port unless that is the scheme's.

    ``request.host`` is empty for a name with "_". The WSGI layer of request_bounds.py has checked the name.
    """
    host: str = request.environ.get("HTTP_HOST") or request.host
    return host.lower().removesuffix(":443" if request.scheme == "https" else ":80")


def canonical(**spelling: str) -> str:
    """Return the one full URL of this page; "" for a page that search engines should not index.

    *spelling* holds the stored spelling of parts of the path. Of the query the page number and the period are kept.
    """
    endpoint = request.endpoint or ""
    if endpoint not in _SEARCHABLE or any(request.args.get(name) for name in _FILTERS.get(endpoint, ())):
        return ""
    values: dict[str, Any] = {**(request.view_args or {}), **spelling}
    is_paged = endpoint in _PAGED and (endpoint != "articles.show" or settings().comments)
    page = request.args.get("page", "1") if is_paged else "1"
    path = url_for(endpoint, **values) if values else request.path
    query = [f"of={request.args['of']}"] if endpoint in _PERIODS and request.args.get("of") else []
    query += [f"page={page}"] if page != "1" else []
    return absolute(path + (f"?{'&'.join(query)}" if query else ""))


def without_slash() -> str:
    """Return the path and query of the page at this address without the slash at its end; "" if there is none."""
    path, adapter = request.path, request_ctx.url_adapter
    is_read = request.method in ("GET", "HEAD") and request.routing_exception is not None
    if not is_read or adapter is None or not path.endswith("/") or _DOTS.search(path):
        return ""
    try:
        endpoint, values = adapter.match(path[:-1], "GET")
    except HTTPException:
        return ""
    query = quote(request.query_string, safe=_IN_QUERY)
    return url_for(endpoint, **values) + (f"?{query}" if query else "")


def static(name: str) -> str:
    """Return the URL of a static file; it changes with the content, so that browsers can cache it forever."""
    return static_files.files()[name].address


def article_target(article: Article) -> str:
    """Return where the title of *article* leads: to its link, or to its own page."""
    return links.web_address(article.link) or f"/a/{article.id}"


def current_path() -> str:
    """Return the path and query of this page; for the answer to a form, the page of the thing that it changed."""
    if request.url_rule is not None and "GET" not in (request.url_rule.methods or ()):
        return _own_page()[0]
    return request.full_path.rstrip("?")


def return_url() -> str:
    """Return the page of this site from which this form was sent, at its article or comment.

    The form's field ``next`` names it, and may name another place on it; without one, or with a foreign one, it is the
    page of the article or comment.
    """
    return return_url_of(request.form.get("next", ""), *_own_page())


def return_url_of(target: str, own_path: str, anchor: str) -> str:
    """Return *target*, at *anchor* ("" for none) unless it has one, if it is a path of this site, else *own_path*."""
    path = safe_path(target, default=own_path)
    return f"{path}#{anchor}" if anchor and "#" not in path else path


def _own_page() -> tuple[str, str]:
    """Return the page of the comment or article that the arguments of the route name, and its anchor on lists."""
    parts = request.view_args or {}
    return page_of(parts["id"], parts.get("number")) if "id" in parts else ("/", "")


def page_of(id: int, number: int | None = None) -> tuple[str, str]:
    """Return the page of an article or of its comment *number*, and its anchor on lists."""
    return (f"/a/{id}", f"a{id}") if number is None else (comment_path(id, number), f"c{number}")


def comment_path(id: int, number: int) -> str:
    return f"/a/{id}/c/{number}"


def next_of_form(default: str = "/") -> str:
    """Return the path of this site that the form's field ``next`` names, else *default*."""
    return safe_path(request.form.get("next", ""), default)


def page_number(parameter: str = "page") -> int:
    """Return the page number in the address, 1 if there is none; raise NoSuchPage if it is not a positive number."""
    # Most addresses have no query; parsing it takes 3 % of an article's page.
    number = request.args.get(parameter, "1") if request.query_string else "1"
    if not (number.isascii() and number.isdigit() and len(number) <= config.MAX_PAGE_DIGITS and number[0] != "0"):
        raise NoSuchPage()
    return int(number)


def unix_time(parameter: str) -> str:
    """Return the unix time in the address, "" if there is none, as Redis spells it; raise NoSuchPage if it is none."""
    time = request.args.get(parameter, "") if request.query_string else ""
    if time and not _TIME.fullmatch(time):
        raise NoSuchPage()
    return time


def safe_path(target: str, default: str = "/") -> str:
    """Return *target* if it is a path of this site, else *default*."""
    return target if len(target) <= config.MAX_RETURN_LENGTH and _LOCAL_PATH.fullmatch(target) else default
