"""The files that browsers and phones ask for by themselves: icons at fixed addresses, and the web manifest."""

import json

from flask import Blueprint, Response

from voteweb.core import config
from voteweb.web.context import settings
from voteweb.web.responses import public
from voteweb.web.static_files import files
from voteweb.web.urls import static

blueprint = Blueprint("site_files", __name__)

#: The colours of the stylesheet: its paper, and the accent that the icon has.
PAPER, ACCENT = "#fdfcf9", "#8c2f1b"
#: The icons of the manifest by size; phones cut the maskable one to a shape of their own.
_ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-maskable-512.png", "512x512", "maskable"),
)


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon for browsers that do not look for a link to one."""
    return _icon("favicon.ico")


@blueprint.get("/apple-touch-icon.png")
def touch_icon() -> Response:
    """Return the icon for the home screens of Apple's devices."""
    return _icon("apple-touch-icon.png")


def _icon(name: str) -> Response:
    return public(files()[name].body, files()[name].mimetype, config.ICON_SECONDS)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return how a phone installs the site, and that pages can be shared to the form that posts an article."""
    body = {
        "id": "/",
        "name": settings().site_name,
        "short_name": settings().site_name,
        "start_url": "/",
        "scope": "/",
        "display": "minimal-ui",  # links lead to other sites, so there must be a way back
        "background_color": PAPER,
        "theme_color": ACCENT,
        "icons": [
            {"src": static(name), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in _ICONS
        ],
        "share_target": {
            "action": "/submit",
            "method": "GET",
            "enctype": "application/x-www-form-urlencoded",
            "params": {"title": "title", "text": "text", "url": "link"},
        },
    }
    return public(json.dumps(body, ensure_ascii=False), "application/manifest+json", config.ICON_SECONDS)
