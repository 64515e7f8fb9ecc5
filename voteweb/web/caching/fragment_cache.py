"""The fragment cache: parts of pages that are rendered once, namely rows of lists and what is on every page.

A cached fragment depends on nothing but the language and the values passed to its template, so that it is right for
everybody; what is personal stays outside of it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Flask
from markupsafe import Markup

from voteweb.core import config, permissions
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Article, VotingState
from voteweb.core.names import name_key
from voteweb.web.auth.login import viewer
from voteweb.web.base.context import now, request_app, settings
from voteweb.web.caching.posters import named
from voteweb.web.i18n import formatting, locale

#: The app, the code of a language, and the votes of a good article.
_Version = tuple[Flask, str, int]


def render(fragment: str, _version: Hashable, /, **values: Any) -> Markup:
    """Return the macro *fragment*, such as "_frame.html#pages", rendered with *values* alone.

    The language and all else that it depends on is in *_version*, for the keys of caches. Without a macro the whole
    template is rendered.
    """
    return _macro(request_app(), fragment)(**values)


# Without this, a row of a list takes a tenth longer: Jinja asks its loader and a lock for the template.
@lru_cache(maxsize=config.FRAGMENT_CACHE_SIZE)
def _macro(app: Flask, fragment: str) -> Callable[..., Markup]:
    file, _, macro = fragment.partition("#")
    template = app.jinja_env.get_template(file)
    return getattr(template.module, macro) if macro else lambda **values: template.make_module(values).__html__()


# By all values, until others take their room: a page renders nothing of what is on every page.
_render_cached = lru_cache(maxsize=config.FRAGMENT_CACHE_SIZE)(render)
# The same for articles: these may hold a whole text, and few articles are read by many people at a time.
_render_cached_article = lru_cache(maxsize=config.ARTICLE_FRAGMENT_CACHE_SIZE)(render)


def cached(template: str, **values: Hashable) -> Markup:
    """Return *template* rendered with *values* alone, in the language of this answer, with the face of the site.

    Fragments with a value named ``article`` have a cache of their own. Those with a long text, such as the path of a
    page that does not exist, are not cached.
    """
    version = request_app(), locale.current().code, settings().face
    if sum(len(value) for value in values.values() if isinstance(value, str)) > config.MAX_CACHED_LENGTH:
        return render(template, version, **values)
    return (_render_cached_article if "article" in values else _render_cached)(template, version, **values)


def article_rows(articles: Iterable[Article], in_group: str = "") -> list[Markup]:
    """Return *articles* as rows of a list, as the viewer sees them now; the list of *in_group* does not name it."""
    return _rows("articles/_parts.html#list_row", articles, in_group)


def articles_with_rows(articles: Sequence[Article], in_group: str = "") -> Iterable[tuple[Article, Markup]]:
    """Return *articles*, each with the content of its row."""
    return zip(articles, _rows("articles/_parts.html#row_content", articles, in_group), strict=True)


# By all values, until others take their room: a page renders only the rows that have changed.
@lru_cache(maxsize=config.RENDERED_ROW_CACHE_SIZE)
def _render_row(
    template: str, version: _Version, article: Article, state: VotingState, age: int, is_member: bool, group: str
) -> Markup:
    """Return the row of an *article*, whose *age* is in seconds; *group* is that whose list it is, "" for none."""
    values: dict[str, Hashable] = {"article": article, "voting_state": state, "age": age, "in_group": group}
    return render(template, version, **values, is_member=is_member)


class _Row(NamedTuple):
    """The row of an article as everybody but its poster sees it, from the time ``since`` to ``until``."""

    article: Article
    poster: str
    since: float
    until: float
    html: Markup


#: Until the article, or what time changes, is another: a page that is read afresh takes a tenth less, which it takes to
#: work out the values of 25 rows, and to hash them.
_kept_rows: BoundedCache[tuple[str, _Version, bool, int, str], _Row] = BoundedCache(config.RENDERED_ROW_CACHE_SIZE)


def _rows(template: str, articles: Iterable[Article], group: str) -> list[Markup]:
    """Return *articles* as rows of the list of *group*, "" for none, made of *template*, as the viewer sees them."""
    site, user, time = settings(), viewer(), now()
    version = request_app(), locale.current().code, site.good_votes
    name = name_key(user.name) if user else ""
    # Those of the poster and of an account that waits differ: see permissions.voting_state().
    rows, is_plain = [], not (user and user.held)
    for article in named(articles):
        key = (template, version, user is not None, article.id, group)
        row = _kept_rows.get(key) if is_plain else None
        if row and row.article is article and row.poster != name and row.since <= time < row.until:
            rows.append(row.html)
            continue
        state, age = permissions.voting_state(user, article, time, site), time - article.time
        html = _render_row(template, version, article, state, formatting.round_age(age), user is not None, group)
        rows.append(html)
        poster, is_marked = name_key(article.poster), article.voted or article.new or article.saved
        if is_plain and poster != name and not is_marked:
            # It will say something else then, though the article stays the same.
            until = min(permissions.usual_voting_state(article, time, site)[1], article.time + formatting.next_age(age))
            _kept_rows.put(key, _Row(article, poster, time, until, html))
    return rows
