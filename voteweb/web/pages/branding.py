"""The brand of a site in its pages: which pictures and which accent are served in place of those of the program."""

from dataclasses import replace

from voteweb.core.branding import Brand, BrandImage
from voteweb.core.resources import resource_folder
from voteweb.web.base.urls import absolute, static

_STYLESHEET = "site.css"


#: The icon of a site that has none of its own.
_ICON = BrandImage("icon.svg", 32, 32)


def static_files(brand: Brand, accent: str) -> tuple[tuple[str, bytes], ...]:
    """Return the static files of *brand* by name: its pictures, and the stylesheet with its accent, else *accent*."""
    brand = replace(brand, accent=brand.accent or accent)
    files = [(image.name, image.content) for image in brand.images.values()]
    if brand.accent:
        text = (resource_folder("static") / _STYLESHEET).read_text("utf-8")
        text += f"\n:root {{ --accent: light-dark({brand.accent}, {brand.dark_accent}); --fill: {brand.accent}; }}\n"
        files.append((_STYLESHEET, text.encode()))
    return tuple(files)


def share_address(brand: Brand) -> str:
    """Return the full URL of the picture that is shown where links to the site are shared, "" for none."""
    if not brand.images:
        return absolute(static("share.png"))
    icon = png_icon(brand)
    return absolute(static(icon.name)) if icon else ""


def main_icon(brand: Brand) -> BrandImage:
    """Return the icon that browsers and feed readers show."""
    return next(iter(brand.icons), _ICON)


def png_icon(brand: Brand) -> BrandImage | None:
    """Return the icon of *brand* that phones can show, None if it has none."""
    return next((icon for icon in brand.icons if icon.mimetype == "image/png"), None)
