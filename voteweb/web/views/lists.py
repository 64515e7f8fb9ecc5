"""Lists of articles: of the whole site, of groups, of a domain, the best of a period, and of the groups one follows.

Domains are named in ASCII, in lower case and without "www.", as links.domain() in the core returns them.
"""

from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import config, links, permissions, validation
from voteweb.core.errors import NoSuchDomain, NoSuchPage
from voteweb.core.models import Article, Group, Order, Page, Period, User
from voteweb.core.my_site import MY_GROUPS, Hidden, HiddenKind
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.web.auth.login import (
    login_required,
    named_voter,
    queue_viewer,
    require_member,
    session_member_name,
    session_user_id,
    viewer,
)
from voteweb.web.base.context import settings, store
from voteweb.web.base.responses import RenderedPage
from voteweb.web.base.urls import page_number
from voteweb.web.caching import own_marks, shared_pages
from voteweb.web.caching.own_marks import ViewerMarks, queue_marks, read_marks
from voteweb.web.i18n.formatting import PERIOD_TITLES, format_number, vote_count
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.pagination import ListPage, Reads, Results, Rows
from voteweb.web.views.groups import check_known, in_groups, parse_names, parse_one

blueprint = Blueprint("lists", __name__)


class _FrontPage(ListPage):
    """All articles by score, and beside them the newest good ones that the page does not list."""

    template = "lists/front.html"

    def __init__(self) -> None:
        super().__init__(store().rankings.site(Order.SCORE), title=_("Hot articles"), feed="/feed")

    def queue(self, pipeline: Pipeline) -> Reads:
        # Twice as many, since the newest good articles are often on the page.
        return {"good": store().listings.queue_good(pipeline, 2 * config.GOOD_ON_FRONT)}

    def queue_for_viewer(self, pipeline: Pipeline) -> None:
        own_marks.queue_unknown_choice(pipeline)  # at once, since it may lead to the page of their groups

    def instead(self, viewer: User | None) -> RenderedPage | None:
        is_other = viewer is not None and viewer.front == MY_GROUPS and not _asks_for_all()
        return _my_groups(Order.SCORE, as_front_page=True) if is_other else None

    def finish(self, results: Results, rows: Rows) -> None:
        listed = {row.id for row in rows}
        good = own_marks.not_hidden(results["good"])
        results["good"] = tuple(article for article in good if article.id not in listed)[: config.GOOD_ON_FRONT]


def _asks_for_all() -> bool:
    return request.args.get("of") == "all"


@blueprint.get("/")
def front() -> RenderedPage:
    """Show the front page: all articles, or the groups that a member follows, if they chose that.

    ``?of=all`` shows them all articles still.
    """
    known = store().my_sites.known(session_user_id())  # the choice may have changed, or be unknown
    if known is not None and known[1] == MY_GROUPS and not _asks_for_all():
        return _my_groups(Order.SCORE, as_front_page=True)
    return _FrontPage().render()


@blueprint.get("/new")
def new() -> RenderedPage:
    """Show all articles by time."""
    description = _("Everything that members of %(site)s posted, the newest first.", site=settings().site_name)
    ranking, title = store().rankings.site(Order.TIME), _("New articles")
    return ListPage(ranking, title=title, description=description, feed="/new").render()


@blueprint.get("/good")
def good() -> RenderedPage:
    asked, pipeline = shared_pages.clock(), store().pipeline()
    viewer = queue_viewer(pipeline)
    articles = store().listings.queue_good(pipeline, config.GOOD_LISTED)
    pipeline.execute()
    rows, template = articles.result, "lists/list.html"
    page: Page[Article] = Page((), number=1, total=len(rows), first_rank=1, more=False)
    site, votes = settings().site_name, vote_count(settings().good_votes)
    context: dict[str, Any] = {
        "title": _("Good articles"),
        "description": _("The newest articles on %(site)s with %(votes)s or more.", site=site, votes=votes),
        "intro": _(
            "The newest %(max)s articles with %(votes)s or more.",
            max=format_number(config.GOOD_LISTED),
            votes=votes,
        ),
        "feed": "/good",
        "summary": None,
        "repeats": "good",
    }
    marks = read_marks(rows, viewer.result)
    if shared_pages.may_keep(viewer.result):
        return shared_pages.render_list(asked, template, rows, marks.by_id, page=page, **context)
    page = replace(page, rows=own_marks.not_hidden(marks.on(rows)))
    return render_template(template, page=page, all_groups=marks.group_names, **context)


@blueprint.get("/top")
def top() -> RenderedPage:
    """Show the articles of a period with the most votes."""
    period = parse_period()
    return ListPage(
        store().rankings.best(period),
        title=str(PERIOD_TITLES[period]),
        description=_("The articles on %(site)s with the most votes.", site=settings().site_name),
        feed="/top",
        period=period,
    ).render()


def parse_period(default: Period = Period.DAY) -> Period:
    """Return the period in the address, *default* if the address names none; end the request if it names no period."""
    of = request.args.get("of", default)
    if of not in set(Period):
        abort(404, _("There is no such period. The top articles are listed for a day, a week, a month or a year."))
    return Period(of)


class _GroupPage(ListPage):
    """The articles that are in all of one or several groups."""

    template = "lists/group.html"

    def __init__(self, groups: tuple[str, ...], ranking: Ranking, **context: Any) -> None:
        shown = f"g{groups[0]}" if len(groups) == 1 else ""
        super().__init__(ranking, shown=shown, names="+".join(groups), **context)
        self._groups = groups

    def queue(self, pipeline: Pipeline) -> Reads:
        return {"groups": store().groups.queue_get(pipeline, self._groups)}

    def check(self, results: Results) -> None:
        results["groups"] = check_known(self._groups, results["groups"])


@blueprint.get("/g/<names>", endpoint="group")
@blueprint.get("/g/<names>/new", endpoint="group_new")
@in_groups(parse_names)
def group(names: tuple[str, ...]) -> RenderedPage:
    """Show the articles that are in all groups *names*, by score or by time."""
    order = Order.SCORE if request.endpoint == "lists.group" else Order.TIME
    return _GroupPage(names, store().rankings.groups(names, order), order=order).render()


@blueprint.get("/g/<names>/top")
@in_groups(parse_one)
def group_top(names: tuple[str, ...]) -> RenderedPage:
    """Show the articles of a group and a period with the most votes."""
    period = parse_period(Period.WEEK)
    ranking = store().rankings.best(period, names[0])
    return _GroupPage(names, ranking, order="best", period=period).render()


class _DomainPage(ListPage):
    """The articles with a link to a domain, and for moderators the rule about it."""

    template = "lists/domain.html"

    def __init__(self, host: str, typed: str) -> None:
        readable, site = links.readable_domain(host), settings().site_name
        super().__init__(
            store().rankings.domain(host),
            shown=Hidden(HiddenKind.DOMAIN, host).entry,
            title=_("Articles from %(domain)s", domain=readable),
            description=_(
                "Articles on %(site)s with a link to %(domain)s, the newest first.", site=site, domain=readable
            ),
            feed=f"/d/{host}",
            domain=host,
            readable=readable,
            may_have_rule=validation.is_rule_domain(host),
        )
        self._host, self._typed = host, typed

    def queue(self, pipeline: Pipeline) -> Reads:
        return {"total": store().listings.queue_total(pipeline, self.ranking)}

    def queue_for_moderator(self, pipeline: Pipeline) -> Reads:
        rules = store().domain_rules
        return {"rule": rules.queue_of(pipeline, self._host), "recent": rules.queue_recent(pipeline, self._host)}

    def check(self, results: Results) -> None:
        # A domain that is refused has a page for those who made the rule.
        if not results.pop("total") and not (self._host and permissions.may_moderate(viewer())):
            raise NoSuchDomain(domain=self._typed)


@blueprint.get("/d/<domain>")
def domain(domain: str) -> ResponseReturnValue:
    """Show the articles with a link to a domain, newest first."""
    host = links.domain_of_address(domain)
    if host != domain and host:
        return redirect(url_for("lists.domain", domain=host, page=request.args.get("page")), 301)
    return _DomainPage(host, domain).render()


@blueprint.get("/my", endpoint="my_groups")
@blueprint.get("/my/new", endpoint="my_groups_new")
@blueprint.get("/my/top", endpoint="my_groups_top")
@login_required
def my_groups() -> RenderedPage:
    """Show the articles of the groups that the viewer follows, by score, by time, or by the votes of a period."""
    if request.endpoint == "lists.my_groups_top":
        return _my_groups(Order.VOTES, parse_period(Period.WEEK))
    return _my_groups(Order.SCORE if request.endpoint == "lists.my_groups" else Order.TIME)


def _my_groups(order: Order, period: Period | None = None, *, as_front_page: bool = False) -> RenderedPage:
    """Return the page of the viewer's groups that the address asks for, in two round trips, or three.

    The third is needed by a process that does not know yet which groups these are; rankings of a *period* that are not
    kept may need more. A front page shows all articles to who has not chosen their groups.
    """
    number = page_number()
    if number > config.MAX_MY_PAGES:
        raise NoSuchPage()
    pipeline = store().pipeline()
    loaded = queue_viewer(pipeline)
    known = store().my_sites.known(session_user_id())
    follows = known[2].follows if known else ()
    merged, groups = _queue_groups(pipeline, follows, order, period, number)
    read = store().my_sites.queue_choice(pipeline, session_member_name())
    pipeline.execute()
    if loaded.result is None and as_front_page:
        return _FrontPage().render()
    member = require_member(loaded.result)
    store().my_sites.remember(member, read.result)
    if as_front_page and member.front != MY_GROUPS:
        return _FrontPage().render()
    if read.result.follows != follows:
        pipeline = store().pipeline()
        merged, groups = _queue_groups(pipeline, read.result.follows, order, period, number)
        pipeline.execute()
    ids, is_exact = merged.result
    if number > 1 and not ids.rows:
        raise NoSuchPage()
    page, names = _read(ids, member)
    return render_template(
        "lists/my_groups.html",
        page=own_marks.without_hidden(page),
        all_groups=names,
        groups=dict(zip(read.result.follows, groups.result, strict=True)),
        of=period,
        is_exact=is_exact,
    )


def _queue_groups(
    pipeline: Pipeline, names: tuple[str, ...], order: Order, period: Period | None, number: int
) -> tuple[Future[tuple[Page[int], bool]], Future[tuple[Group | None, ...]]]:
    spell = store().rankings
    rankings = [spell.best(period, name) if period else spell.groups([name], order) for name in names]
    merged = store().listings.queue_merged(pipeline, rankings, number)
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
