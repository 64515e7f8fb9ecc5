"""The files that programs ask for by themselves: icons at fixed addresses, manifest, robots.txt and the sitemap."""

import json
from collections.abc import Iterable

from flask import Blueprint, Response, abort, request

from voteweb.core import config
from voteweb.core.branding import BrandImage
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Order
from voteweb.core.site_switches import SwitchName
from voteweb.web.base.context import brand, settings, store
from voteweb.web.base.responses import public, render_public, xml
from voteweb.web.base.static_files import files
from voteweb.web.base.urls import static
from voteweb.web.pages.branding import png_icon
from voteweb.web.requests import site_switches

#: The colours of pages and of what stands out, as in site.css.
_PAPER, _ACCENT = "#fdfcf9", "#8c2f1b"
blueprint = Blueprint("site_files", __name__)

#: The icons of the manifest; phones cut the maskable one to a shape of their own.
_ICONS = (BrandImage("icon-192.png", 192, 192), BrandImage("icon-512.png", 512, 512))
_MASKABLE_ICON = BrandImage("icon-maskable-512.png", 512, 512)
#: The pages of the site about itself.
_PAGES = ("/about", "/rules", "/privacy", "/log")


@blueprint.get("/favicon.ico", endpoint="favicon")
@blueprint.get("/apple-touch-icon.png", endpoint="touch_icon")
def icon_at_fixed_address() -> Response:
    """Return the icon for browsers that do not look for a link to one, and for the home screens of Apple's devices."""
    name = request.path.removeprefix("/")
    if brand().icons:
        icon = png_icon(brand())
        if icon is None:
            abort(404)
        name = icon.name
    return public(files()[name].body, files()[name].mimetype, config.ICON_SECONDS)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return how a phone installs the site, and that pages can be shared to the form that posts an article."""
    own = brand().icons
    shown = [(icon, "any") for icon in own or _ICONS] + ([] if own else [(_MASKABLE_ICON, "maskable")])
    body = {
        "id": "/",
        "name": settings().site_name,
        "short_name": settings().site_name,
        "start_url": "/",
        "scope": "/",
        "display": "minimal-ui",  # links lead to other sites, so there must be a way back
        "background_color": _PAPER,
        "theme_color": brand().accent or settings().accent or _ACCENT,
        "icons": [
            {"src": static(icon.name), "sizes": icon.sizes, "type": icon.mimetype, "purpose": purpose}
            for icon, purpose in shown
        ],
        "share_target": {
            "action": "/submit",
            "method": "GET",
            "enctype": "application/x-www-form-urlencoded",
            "params": {"title": "title", "text": "text", "url": "link"},
        },
    }
    return public(json.dumps(body, ensure_ascii=False), "application/manifest+json", config.ICON_SECONDS)


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Return the addresses that search engines need not visit, and who is not welcome at all."""
    welcomes_ai = SwitchName.AI_CRAWLERS not in site_switches.current()
    body = render_public("site_files/robots.txt", welcomes_ai=welcomes_ai)
    return public(body, "text/plain", config.SITEMAP_SECONDS)


@blueprint.get("/sitemap.xml")
def sitemap() -> Response:
    """Return the parts of the sitemap: part 0 holds the lists, each other one SITEMAP_SIZE articles."""
    total = store().read(store().listings.queue_total, store().rankings.site(Order.TIME))
    parts = min(-(-total // config.SITEMAP_SIZE), config.MAX_SITEMAPS - 1)
    return _sitemap((f"/sitemap-{number}.xml" for number in range(parts + 1)), is_index=True)


@blueprint.get("/sitemap-0.xml")
def sitemap_lists() -> Response:
    """Return the lists of the whole site and of its groups."""
    names = store().read(store().groups.queue_names)
    return _sitemap(["/", "/new", "/good", "/groups", *(f"/g/{name}" for name in names), *_PAGES])


@blueprint.get(f"/sitemap-<int(min=1, max={config.MAX_SITEMAPS - 1}):number>.xml")
def sitemap_articles(number: int) -> Response:
    """Return one part of the articles, the oldest in part 1: a full part changes only by removals."""
    first, ranking = (number - 1) * config.SITEMAP_SIZE, store().rankings.site(Order.TIME)
    ids = store().read(store().listings.queue_ids, ranking, first, config.SITEMAP_SIZE)
    if not ids:
        raise NoSuchPage()
    return _sitemap(f"/a/{id}" for id in ids)


def _sitemap(paths: Iterable[str], *, is_index: bool = False) -> Response:
    mimetype, seconds = "application/xml", config.SITEMAP_SECONDS
    return xml("site_files/sitemap.xml", mimetype, seconds, paths=paths, is_index=is_index)
