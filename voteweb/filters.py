"""What templates may call: the site's words for articles, times and addresses."""

import time
from collections.abc import MutableMapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from flask import Flask, current_app, g, get_flashed_messages, request, session
from flask.templating import Environment

from voteweb import config, fields, i18n, notices, ranking, rules, text
from voteweb.config import Settings
from voteweb.forms import ReportForm
from voteweb.login import token, viewer
from voteweb.models import Article, Role


class Templates(Environment):
    """The site's templates; what all of them may call is complete before the first is loaded.

    Jinja looks it up in two places for as long as it may grow, and copies it for each page: a tenth of a page's time.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what a template may call: what all may, and *d*."""
        return {**self.globals, **(d or {})}


def init_app(app: Flask, settings: Settings) -> None:
    """Give the templates of *app* their filters and functions."""
    app.jinja_env.filters.update(
        lapse=i18n.age,
        clock=i18n.clock,
        domain=text.domain,
        duration=i18n.duration,
        iso=i18n.iso,
        listed=i18n.listed,
        moment=i18n.moment,
        number=i18n.number,
        person=i18n.person,
        markdown=text.render,
        path=lambda name: quote(name, safe="/+"),
    )
    app.jinja_env.globals.update(
        settings=settings,
        rules=rules,
        Role=Role,
        role_words=i18n.ROLES,
        act_words=i18n.ACTS,
        acts=i18n.acts,
        articles=i18n.articles,
        votes=i18n.votes,
        combined_from=config.COMBINED_FROM,
        here=here,
        now=now,
        ballot=lambda article: rules.ballot(viewer(), article, now(), settings),
        is_good=lambda article: rules.is_good(article, settings),
        standing=lambda article: ranking.explain(article, settings.vote_score, settings.voting_seconds),
        target=target,
        flashes=flashes,
        is_name=fields.is_member_name,
        since=lambda time: i18n.rounded(now() - time),
        report_form=lambda: ReportForm(formdata=None, meta={"csrf": False}),
        static=static,
    )
    app.context_processor(_viewer)


def now() -> float:
    """Return the unix time of this request: one answer never shows two different presents."""
    if "now" not in g:
        g.now = time.time()
    return float(g.now)


def here() -> str:
    """Return the address of this page, to come back to; an answer to a button is no page, but its article's is."""
    if request.url_rule is not None and "GET" not in (request.url_rule.methods or ()):
        id = (request.view_args or {}).get("id")
        return "/" if id is None else f"/a/{id}"
    return request.full_path.rstrip("?")


def target(article: Article) -> str:
    """Return where the title of *article* leads: to its link, or to its own page."""
    return text.web_address(article.link) or f"/a/{article.id}"


def flashes() -> list[tuple[str, str]]:
    """Return what the last request had to say; a reader without a session is not asked for one."""
    if not session:
        return []
    found = cast("list[tuple[str, str]]", get_flashed_messages(with_categories=True))
    notice = notices.take()
    return [*found, ("message", notice)] if notice else found


def _viewer() -> dict[str, Any]:
    return {"viewer": viewer(), "open_reports": g.get("open_reports", 0), "token": token()}


def static(name: str) -> str:
    """Return the address of a static file, which browsers may keep for ever."""
    return _versioned(current_app.static_folder or "", name)


@cache
def _versioned(folder: str, name: str) -> str:
    """Return the address of a static file with a digest of its content, so that browsers can keep it for ever."""
    return f"/static/{name}?v={sha256(Path(folder, name).read_bytes()).hexdigest()[:10]}"
