"""The files that browsers and phones ask for by themselves: icons at fixed addresses, and the web manifest."""

import json

from flask import Blueprint, Response, abort

from voteweb.core import config
from voteweb.web.branding import Icon, icons, png_icon
from voteweb.web.context import brand, settings
from voteweb.web.responses import public
from voteweb.web.static_files import files
from voteweb.web.urls import static

blueprint = Blueprint("site_files", __name__)

#: The icons of the manifest; phones cut the maskable one to a shape of their own.
_ICONS = (Icon("icon-192.png", "image/png", "192x192"), Icon("icon-512.png", "image/png", "512x512"))
_MASKABLE_ICON = Icon("icon-maskable-512.png", "image/png", "512x512")


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon for browsers that do not look for a link to one."""
    return _icon("favicon.ico")


@blueprint.get("/apple-touch-icon.png")
def touch_icon() -> Response:
    """Return the icon for the home screens of Apple's devices."""
    return _icon("apple-touch-icon.png")


def _icon(name: str) -> Response:
    if brand().icons:
        icon = png_icon(brand())
        if icon is None:
            abort(404)
        name = icon.name
    return public(files()[name].body, files()[name].mimetype, config.ICON_SECONDS)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return how a phone installs the site, and that pages can be shared to the form that posts an article."""
    own, colours = icons(brand()), brand().palettes["light"]
    shown = [(icon, "any") for icon in own or _ICONS] + ([] if own else [(_MASKABLE_ICON, "maskable")])
    body = {
        "id": "/",
        "name": settings().site_name,
        "short_name": settings().site_name,
        "start_url": "/",
        "scope": "/",
        "display": "minimal-ui",  # links lead to other sites, so there must be a way back
        "background_color": colours["paper"],
        "theme_color": colours["accent"],
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
