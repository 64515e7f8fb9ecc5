"""What search engines ask for: where they may go, and all there is, in parts that cost the same on a large site."""

from flask import Blueprint, Response

from voteweb import config, headers
from voteweb.errors import NoSuchPage
from voteweb.feed import render, xml
from voteweb.login import store
from voteweb.models import Order
from voteweb.store.listings import whole_site

blueprint = Blueprint("found", __name__)


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Say where search engines need not go."""
    return headers.for_everybody(render("found/robots.txt"), "text/plain", config.SITEMAP_SECONDS)


@blueprint.get("/sitemap.xml")
def index() -> Response:
    """Return the parts of the list of all pages: part 0 holds the lists, each other one SITEMAP_SIZE articles."""
    trip = store().trip(reader=True)
    total = store().listings.ask_total(trip, whole_site(Order.TIME))
    trip.go()
    parts = min(-(-total.value // config.SITEMAP_SIZE), config.SITEMAPS_MOST - 1)
    return xml("found/index.xml", "application/xml", config.SITEMAP_SECONDS, parts=parts)


@blueprint.get("/sitemap-0.xml")
def lists() -> Response:
    """Return the lists of the whole site and of its groups."""
    trip = store().trip(reader=True)
    names = store().groups.ask_names(trip)
    trip.go()
    paths = ["/", "/new", "/good", "/groups", *(f"/g/{name}" for name in names.value), "/about", "/log"]
    return xml("found/part.xml", "application/xml", config.SITEMAP_SECONDS, paths=paths)


@blueprint.get(f"/sitemap-<int(min=1, max={config.SITEMAPS_MOST - 1}):number>.xml")
def articles(number: int) -> Response:
    """Return one part of the articles, the oldest in part 1: a part that is full changes only by removals."""
    trip = store().trip(reader=True)
    first = (number - 1) * config.SITEMAP_SIZE
    ids = store().listings.ask_ids(trip, whole_site(Order.TIME), first, config.SITEMAP_SIZE)
    trip.go()
    if not ids.value:
        raise NoSuchPage()
    return xml("found/part.xml", "application/xml", config.SITEMAP_SECONDS, paths=[f"/a/{id}" for id in ids.value])
