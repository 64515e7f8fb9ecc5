"""Domains: the articles with a link to one, by time, and their feed.

Domains are named in ASCII, in lower case and without "www.", as links.domain() in the core returns them.
"""

from typing import Any

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import links
from voteweb.core.errors import NoSuchDomain
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.web.context import store
from voteweb.web.feeds import Feed, article_item, feed_language, feed_response
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import render_list

blueprint = Blueprint("domain", __name__)


@blueprint.get("/d/<domain>")
def show(domain: str) -> ResponseReturnValue:
    """Show the articles with a link to a domain, newest first."""
    host = links.domain_of_address(domain)
    if host != domain and host:
        return redirect(url_for("domain.show", domain=host, page=request.args.get("page")), 301)

    def check(results: dict[str, Any]) -> None:
        if not results.pop("total"):
            raise NoSuchDomain(domain=domain)

    ranking = store().rankings.domain(host)
    return render_list(
        "domain/show.html",
        ranking,
        check=check,
        shown=Hidden(HiddenKind.DOMAIN, host).entry,
        queries={"total": lambda pipeline: store().listings.queue_total(pipeline, ranking)},
        domain=host,
        readable=links.readable_domain(host),
    )


@blueprint.get("/d/<domain>.<any(atom, json):format>")
@feed_language
def feed(domain: str, format: str) -> ResponseReturnValue:
    """Return the newest articles with a link to a domain."""
    host = links.domain_of_address(domain)
    if host != domain and host:
        return redirect(url_for("domain.feed", domain=host, format=format), 301)
    listing = store().read(store().listings.queue_page, store().rankings.domain(host), 1, with_text=True)
    if not listing.total:
        raise NoSuchDomain(domain=domain)
    items = tuple(article_item(row) for row in listing.rows)
    return feed_response(Feed(_("Articles from %(domain)s", domain=host), f"/d/{host}", items), format)
