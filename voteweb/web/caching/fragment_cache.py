"""The fragment cache: parts of pages that are rendered once, namely rows of lists and what is on every page.

A cached fragment depends on nothing but the language and the values passed to its template, so that it is right for
everybody; what is personal stays outside of it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Flask, current_app
from markupsafe import Markup

from voteweb.core import config, markup, permissions
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Article, User, VotingState
from voteweb.core.names import name_key
from voteweb.web.auth.login import viewer
from voteweb.web.caching.text_cache import page_texts
from voteweb.web.context import now, request_app, settings
from voteweb.web.i18n import formatting, locale

#: The code of a language, and the votes of a good article.
_Version = tuple[str, int]
#: Renders the row of an article: template, version, article, voting state, age in seconds, whether the viewer is
#: a member, its rank, 0 if it follows from the place in the list, and the group whose list it is, "" for none.
RenderRow = Callable[[str, _Version, Article, VotingState, int, bool, int, str], Markup]

_EXTENSION = "voteweb.fragments"


class Fragments(NamedTuple):
    """The functions that render fragments of an app, as templates call them; ``article_rows`` returns a list."""

    cached: Callable[..., Markup]
    article_rows: Callable[..., list[Markup]]


def fragments() -> Fragments:
    rendered: Fragments = request_app().extensions[_EXTENSION]
    return rendered


def init_app(app: Flask) -> None:
    """Add ``cached(template, name=value…)``, ``article_rows(articles)``, ``articles_with_rows(articles)`` and more.

    ``page_texts()`` renders the texts of a list.
    """
    rows = _Rows(_cached_row_renderer())

    def article_rows(articles: Iterable[Article], ranks: Sequence[int] = (), in_group: str = "") -> list[Markup]:
        """Return *articles* as rows of a list, as the viewer sees them now; with *ranks* if some were left out.

        In the list of a group, *in_group*, no row names it.
        """
        return rows.render("articles/_parts.html#list_row", articles, ranks, in_group)

    def articles_with_rows(articles: Sequence[Article], in_group: str = "") -> Iterable[tuple[Article, Markup]]:
        """Return *articles*, each with the content of its row."""
        return zip(articles, rows.render("articles/_parts.html#row_content", articles, (), in_group), strict=True)

    cached = _cached_renderer()
    app.jinja_env.globals.update(
        cached=cached,
        article_rows=lambda *arguments: markup.join(article_rows(*arguments)),
        row_text=_row_text,
        articles_with_rows=articles_with_rows,
        page_texts=page_texts,
    )
    app.extensions[_EXTENSION] = Fragments(cached, article_rows)


def render(fragment: str, _language_code: Hashable, /, **values: Any) -> Markup:
    """Return the macro *fragment*, such as "_frame.html#pages", rendered with *values* alone.

    The code of the language is there for the keys of caches. Without a macro the whole template is rendered.
    """
    file, _, macro = fragment.partition("#")
    template = current_app.jinja_env.get_template(file)
    rendered: Markup = getattr(template.module, macro)(**values) if macro else template.make_module(values).__html__()
    return rendered


def _cached_renderer() -> Callable[..., Markup]:
    """Return the function ``cached`` of templates."""
    # By all values, until others take their room: a page renders nothing of what is on every page.
    render_fragment = lru_cache(maxsize=config.FRAGMENT_CACHE_SIZE)(render)
    # The same for articles: these may hold a whole text, and few articles are read by many people at a time.
    render_article_fragment = lru_cache(maxsize=config.ARTICLE_FRAGMENT_CACHE_SIZE)(render)

    def cached(template: str, **values: Hashable) -> Markup:
        """Return *template* rendered with *values* alone, in the language of this answer.

        Fragments with a value named ``article`` have a cache of their own. Those with a long text, such as the path
        of a page that does not exist, are not cached.
        """
        if sum(len(value) for value in values.values() if isinstance(value, str)) > config.MAX_CACHED_LENGTH:
            return render(template, locale.current().code, **values)
        render_cached = render_article_fragment if "article" in values else render_fragment
        return render_cached(template, locale.current().code, **values)

    return cached


def _row_text(article: Article, state: VotingState, age: int, is_member: bool, in_group: str) -> Markup:
    """Return what a row says of *article* besides its votes."""
    good, text = permissions.is_good(article, settings()), replace(article, votes=0, voted=False)
    return _render_row_text(locale.current().code, text, good, state, age, is_member, in_group)


# By all that it says but votes, until others take their room.
# After a vote a row takes 35 µs instead of 96; the page that the voter gets next, a twentieth less.
@lru_cache(maxsize=config.RENDERED_ROW_CACHE_SIZE)
def _render_row_text(
    code: str, article: Article, good: bool, state: VotingState, age: int, is_member: bool, in_group: str
) -> Markup:
    values: dict[str, Hashable] = {"article": article, "good": good, "voting_state": state}
    return render("articles/_parts.html#row_words", code, **values, age=age, is_member=is_member, in_group=in_group)


def _cached_row_renderer() -> RenderRow:
    # By all values, until others take their room: a page renders only the rows that have changed.
    @lru_cache(maxsize=config.RENDERED_ROW_CACHE_SIZE)
    def render_row(
        template: str, version: _Version, article: Article, state: VotingState, age: int, is_member: bool, rank: int,
        group: str,
    ) -> Markup:  # fmt: skip
        values: dict[str, Hashable] = {"article": article, "voting_state": state, "age": age, "in_group": group}
        return render(template, version, **values, is_member=is_member, rank=rank)

    return render_row


class _Row(NamedTuple):
    """The row of an article as everybody but its poster sees it, from the time ``since`` to ``until``."""

    article: Article
    poster: str
    since: float
    until: float
    html: Markup


class _Rows:
    """The rows of lists: rendered once for equal values, and found without them as long as an article is the same one.

    To work out the values of 25 rows, and to hash them, takes a tenth of a page that is read afresh.
    """

    def __init__(self, render_row: RenderRow) -> None:
        self._render_row = render_row
        #: Until the article, or what time changes, is another: a page that is read afresh takes a tenth less.
        self._cached: BoundedCache[tuple[str, _Version, bool, int, str], _Row] = BoundedCache(
            config.RENDERED_ROW_CACHE_SIZE
        )

    def render(self, template: str, articles: Iterable[Article], ranks: Sequence[int], group: str) -> list[Markup]:
        """Return *articles* as rows made of *template*, as the viewer sees them now.

        *ranks* are theirs, if some rows were left out; *group* is that whose list it is, "" for none.
        """
        version, user, time = _version(), viewer(), now()
        name = name_key(user.name) if user else ""
        # Those of the poster and of an account that waits differ: see permissions.voting_state().
        rows, is_plain = [], not ranks and not (user and user.held)
        for at, article in enumerate(articles):
            key = (template, version, user is not None, article.id, group)
            row = self._cached.get(key) if is_plain else None
            if row and row.article is article and row.poster != name and row.since <= time < row.until:
                rows.append(row.html)
                continue
            html = self._render(template, article, ranks[at] if ranks else 0, group, user, time)
            rows.append(html)
            poster, is_marked = name_key(article.poster), article.voted or article.new or article.saved
            if is_plain and poster != name and not is_marked:
                self._cached.put(key, _Row(article, poster, time, _until(article, time), html))
        return rows

    def _render(self, template: str, article: Article, rank: int, group: str, user: User | None, time: float) -> Markup:
        state = permissions.voting_state(user, article, time, settings())
        age = formatting.round_age(time - article.time)
        return self._render_row(template, _version(), article, state, age, user is not None, rank, group)


def _version() -> _Version:
    """Return what rows depend on besides what they are made of."""
    return locale.current().code, settings().good_votes


def _until(article: Article, time: float) -> float:
    """Return when the row of *article* will say something else than at *time*, though the article stays the same."""
    _state, until = permissions.usual_voting_state(article, time, settings())
    return min(until, article.time + formatting.next_age(time - article.time))
