"""Robots.txt and the sitemap, in parts that cost the same on a large site."""

from flask import Blueprint, Response

from voteweb.core import config
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Order
from voteweb.web.context import store
from voteweb.web.responses import public, render_public, xml

blueprint = Blueprint("sitemap", __name__)
#: The pages of the site about itself.
_PAGES = ("/about", "/rules", "/privacy", "/log")


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Return the addresses that search engines need not visit."""
    return public(render_public("sitemap/robots.txt"), "text/plain", config.SITEMAP_SECONDS)


@blueprint.get("/sitemap.xml")
def index() -> Response:
    """Return the parts of the sitemap: part 0 holds the lists, each other one SITEMAP_SIZE articles."""
    total = store().read(store().listings.queue_total, store().rankings.site(Order.TIME))
    parts = min(-(-total // config.SITEMAP_SIZE), config.MAX_SITEMAPS - 1)
    return xml("sitemap/index.xml", "application/xml", config.SITEMAP_SECONDS, parts=parts)


@blueprint.get("/sitemap-0.xml")
def lists() -> Response:
    """Return the lists of the whole site and of its groups."""
    names = store().read(store().groups.queue_names)
    paths = ["/", "/new", "/good", "/groups", *(f"/g/{name}" for name in names), *_PAGES]
    return xml("sitemap/part.xml", "application/xml", config.SITEMAP_SECONDS, paths=paths)


@blueprint.get(f"/sitemap-<int(min=1, max={config.MAX_SITEMAPS - 1}):number>.xml")
def articles(number: int) -> Response:
    """Return one part of the articles, the oldest in part 1: a full part changes only by removals."""
    pipeline = store().pipeline()
    first = (number - 1) * config.SITEMAP_SIZE
    ids = store().listings.queue_ids(pipeline, store().rankings.site(Order.TIME), first, config.SITEMAP_SIZE)
    pipeline.execute()
    if not ids.result:
        raise NoSuchPage()
    paths = [f"/a/{id}" for id in ids.result]
    return xml("sitemap/part.xml", "application/xml", config.SITEMAP_SECONDS, paths=paths)
