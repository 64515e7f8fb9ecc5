"""The brand of a site in its pages: which pictures and which accent are served in place of those of the program."""

from typing import NamedTuple

from voteweb.core.branding import Brand
from voteweb.core.resources import resource_folder
from voteweb.web.urls import absolute, static

_STYLESHEET = "site.css"


class Icon(NamedTuple):
    """An icon among the static files: its name, its type and its sizes, as the web manifest spells them."""

    name: str
    mimetype: str
    sizes: str


_ICON = Icon("icon.svg", "image/svg+xml", "any")


def static_files(brand: Brand) -> tuple[tuple[str, bytes], ...]:
    """Return the static files of *brand* by name: its pictures, and the stylesheet with its accent."""
    files = [(image.static_name, image.content) for image in brand.images.values()]
    if brand.accent:
        text = (resource_folder("static") / _STYLESHEET).read_text("utf-8")
        text += f"\n:root {{ --accent: light-dark({brand.accent}, {brand.dark_accent}); }}\n"
        files.append((_STYLESHEET, text.encode()))
    return tuple(files)


def share_address(brand: Brand) -> str:
    """Return the full URL of the picture that is shown where links to the site are shared, "" for none."""
    if not brand.images:
        return absolute(static("share.png"))
    icon = png_icon(brand)
    return absolute(static(icon.name)) if icon else ""


def icons(brand: Brand) -> tuple[Icon, ...]:
    """Return the icons of *brand*, the best for browsers first; none if it has none of its own."""
    return tuple(Icon(image.static_name, image.mimetype, image.sizes) for image in brand.icons)


def main_icon(brand: Brand) -> Icon:
    """Return the icon that browsers and feed readers show."""
    return next(iter(icons(brand)), _ICON)


def png_icon(brand: Brand) -> Icon | None:
    """Return the icon of *brand* that phones can show, None if it has none."""
    return next((icon for icon in icons(brand) if icon.mimetype == "image/png"), None)
