"""The list of the articles of all groups that the viewer follows, which may be the viewer's front page."""

from flask import render_template

from voteweb.core import config, permissions
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Group, Order, Page, User
from voteweb.core.my_site import MY_GROUPS
from voteweb.store.articles.listings import queue_merged
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web import my_site
from voteweb.web.auth.login import named_voter, queue_viewer, require_member, session_member_name, session_user_id
from voteweb.web.context import settings, store
from voteweb.web.own_marks import ViewerMarks, queue_marks
from voteweb.web.pagination import page_number


def is_front_page() -> bool:
    """Tell whether the front page shows the viewer the groups they follow, as far as this process knows."""
    known = store().my_sites.known(session_user_id())
    return known is not None and known[1] == MY_GROUPS


class ChosenOtherwise(Exception):
    """The front page shows the viewer something else than this process knew."""


def render(order: Order, *, as_front_page: bool = False) -> str:
    """Return the page of the viewer's groups that the address asks for, in two round trips, or three.

    The third is needed by a process that does not know yet which groups these are. Raises ChosenOtherwise for a front
    page that is to show all articles.
    """
    number = page_number()
    if number > config.MAX_MY_PAGES:
        raise NoSuchPage()
    pipeline = store().pipeline()
    loaded = queue_viewer(pipeline)
    name = session_member_name()
    known = store().my_sites.known(session_user_id())
    follows = known[2].follows if known else ()
    merged, groups = _queue_groups(pipeline, follows, order, number)
    read = store().my_sites.queue_choice(pipeline, name)
    pipeline.execute()
    if loaded.result is None and as_front_page:
        raise ChosenOtherwise
    member = require_member(loaded.result)
    store().my_sites.remember(member, read.result)
    if as_front_page and member.front != MY_GROUPS:
        raise ChosenOtherwise
    if read.result.follows != follows:
        pipeline = store().pipeline()
        merged, groups = _queue_groups(pipeline, read.result.follows, order, number)
        pipeline.execute()
    ids, is_exact = merged.result
    if number > 1 and not ids.rows:
        raise NoSuchPage()
    page, names = _read(ids, member)
    return render_template(
        "my_groups/show.html",
        page=my_site.without_hidden(page),
        all_groups=names,
        groups=dict(zip(read.result.follows, groups.result, strict=True)),
        order=order,
        is_exact=is_exact,
    )


def _queue_groups(
    pipeline: Pipeline, names: tuple[str, ...], order: Order, number: int
) -> tuple[Future[tuple[Page[int], bool]], Future[tuple[Group | None, ...]]]:
    rankings = [store().rankings.groups([name], order) for name in names]
    merged = queue_merged(pipeline, rankings, number, settings().page_size, config.MAX_MY_PAGES)
    return merged, store().groups.queue_get(pipeline, names)


def _read(ids: Page[int], member: User) -> tuple[Page[Article], tuple[str, ...]]:
    """Return the page of the articles *ids*, with what the viewer did, and the groups for a moderator."""
    pipeline = store().pipeline()
    articles = store().listings.queue_articles(pipeline, ids.rows)
    marks = queue_marks(pipeline, ids.rows, named_voter())
    group_names = store().groups.queue_names(pipeline) if permissions.may_moderate(member) else None
    pipeline.execute()
    rows = ViewerMarks(marks.read.result).on(articles.result)
    page = Page(rows, ids.number, ids.total, ids.first_rank, ids.more)
    return page, group_names.result if group_names else ()
