"""The brand of a site: the files in the folder VOTEWEB_BRAND_DIR, which are read at the start.

A file that is not there leaves what the site has. One that is faulty does too, and is named in ``faults``.
"""

import re
import struct
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.errors import N_, ConfigError
from voteweb.core.operator_pages import folder_faults, read_file, read_text

#: The height of a logo in the header, and its greatest width, in pixels of CSS: as much as the name takes on a phone.
LOGO_HEIGHT, MAX_LOGO_WIDTH = 28, 128
_PNG = b"\x89PNG\r\n\x1a\n"
_VIEW_BOX = re.compile(r"\bviewBox\s*=\s*[\"']([^\"']*)[\"']")
#: Pixels of a side of icon.png: phones ask for 180 and more, and nothing for more than the most.
_MIN_ICON, _MAX_SIDE = 180, 2_048
#: Units of a side of an SVG: far more than any program writes, and a number that can be worked with.
_MAX_SVG_SIDE = 1e6


class BrandImage(NamedTuple):
    """A picture: its name among the static files, its width and height, of an SVG in units of its own, and its content.

    One of the program's own has no content here.
    """

    name: str
    width: float
    height: float
    content: bytes = b""

    @property
    def mimetype(self) -> str:
        return "image/png" if self.name.endswith(".png") else "image/svg+xml"

    @property
    def sizes(self) -> str:
        """The sizes for which it is right, as the web manifest spells them."""
        return f"{int(self.width)}x{int(self.height)}" if self.name.endswith(".png") else "any"

    @property
    def shown_width(self) -> int:
        """The width in pixels of CSS at which it is LOGO_HEIGHT high, or less high if it is very wide."""
        return max(1, min(round(LOGO_HEIGHT * self.width / self.height), MAX_LOGO_WIDTH))


def read_image(path: Path) -> BrandImage:
    """Return the picture in the file at *path*; raise ConfigError unless it is one that can be used."""
    content = read_file(path, config.MAX_BRAND_IMAGE_BYTES)
    width, height = (_png_size if path.suffix == ".png" else _svg_size)(path, content)
    is_icon = path.stem == "icon"
    if is_icon and width != height:
        raise ConfigError("%(path)s is not square.", path=path)
    least = _MIN_ICON if is_icon else 1
    if path.suffix == ".png" and not least <= min(width, height) <= max(width, height) <= _MAX_SIDE:
        message = "%(path)s must have %(min)s to %(max)s pixels a side."
        raise ConfigError(message, path=path, min=least, max=f"{_MAX_SIDE:,}")
    return BrandImage(f"brand-{path.name}", width, height, content)


def _png_size(path: Path, content: bytes) -> tuple[float, float]:
    if not content.startswith(_PNG) or content[12:16] != b"IHDR" or len(content) < 24:
        raise ConfigError("%(path)s is no PNG.", path=path)
    width, height = struct.unpack(">2I", content[16:24])
    return width, height


def _svg_size(path: Path, content: bytes) -> tuple[float, float]:
    text = content.decode("utf-8", "replace")
    start = text.find("<svg")
    match = _VIEW_BOX.search(text[start : text.find(">", start)]) if start >= 0 else None
    try:
        _, _, width, height = map(float, match[1].replace(",", " ").split() if match else ())
    except ValueError:
        width = height = 0.0
    if not all(0 < side <= _MAX_SVG_SIDE for side in (width, height)):
        raise ConfigError('%(path)s is no SVG with a viewBox, such as viewBox="0 0 64 64".', path=path)
    return width, height


_SETTINGS_FILE = "brand.toml"
_IMAGES = ("logo.svg", "logo.png", "icon.svg", "icon.png")
#: The text in Markdown at the end of every page, with the code of a language, if it has one.
_FOOTER = re.compile(r"footer(?:\.([a-z]{2}))?\.md")
_LINK = re.compile(r"https://[!-~]+")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
#: Least contrast of text, by WCAG 2.1 AA, and what the accent stands on or under on light pages, as in site.css.
MIN_CONTRAST = 4.5
BESIDE_ACCENT = {"paper": "#fdfcf9", "panel": "#f4f1ea", "on-fill": "#ffffff"}
#: The share of white in the accent on dark pages: any is light enough then for them.
_WHITE_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Brand:
    """The looks of a site that are its own; ``links`` are pairs of name and address, ``footers`` by language.

    ``accent`` is the colour of the site's name and buttons, as "#rrggbb"; "" for that of the program.
    """

    accent: str = ""
    images: Mapping[str, BrandImage] = field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()
    footers: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @property
    def logo(self) -> BrandImage | None:
        """The picture in the header in place of icon and name."""
        return self.images.get("logo.svg") or self.images.get("logo.png")

    @property
    def icons(self) -> tuple[BrandImage, ...]:
        """The icons, the best for browsers first."""
        return tuple(self.images[file] for file in ("icon.svg", "icon.png") if file in self.images)

    @property
    def dark_accent(self) -> str:
        channels = (int(self.accent[at : at + 2], 16) for at in (1, 3, 5))
        return "#" + "".join(f"{round(255 - (255 - c) * (1 - _WHITE_SHARE)):02x}" for c in channels)

    def footer(self, language: str) -> str:
        """Return the Markdown at the end of every page for readers in *language*, a code; "" if there is none."""
        return self.footers.get(language) or self.footers.get("", "")


def load_brand(folder: str) -> Brand:
    """Return the brand in *folder*, "" for none."""
    faults = folder_faults("VOTEWEB_BRAND_DIR", folder)
    if not folder or faults:
        return Brand(faults=tuple(faults))

    def read(path: Path, parse: Callable[[Path], Any]) -> Any:
        """Return what *parse* makes of the file at *path*, None for a faulty one."""
        try:
            return parse(path)
        except ConfigError as error:
            faults.append(str(error))
            return None

    images, footers, accent, links = {}, {}, "", ()
    for path in sorted(Path(folder).iterdir()):
        if path.name in _IMAGES:
            images[path.name] = read(path, read_image)
        elif path.name == _SETTINGS_FILE:
            accent, links = read(path, _read_settings) or ("", ())
        elif footer := _FOOTER.fullmatch(path.name):
            footers[footer[1] or ""] = read(path, _read_footer) or ""
        elif not path.name.startswith("."):
            faults.append(f"{path} is no file of a brand: rename or remove it. See docs/branding.md.")
    if "logo.svg" in images and "logo.png" in images:
        faults.append(f"{folder} has logo.svg and logo.png: keep one of them.")
    return Brand(accent, {file: image for file, image in images.items() if image}, links, footers, tuple(faults))


def _read_settings(path: Path) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the accent and the links in the file brand.toml."""
    try:
        settings = tomllib.loads(read_text(path, config.MAX_BRAND_SETTINGS_BYTES))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError("%(path)s is not TOML: %(reason)s", path=path, reason=error) from None
    try:
        if unknown := set(settings) - {"accent", "links"}:
            raise ConfigError("%(name)s is neither accent nor [links].", name=min(unknown))
        return check_accent(settings.get("accent", "")), _check_links(settings.get("links", {}))
    except ConfigError as error:
        raise ConfigError("%(path)s: %(problem)s", path=path, problem=error) from None


def check_accent(accent: object) -> str:
    """Return the colour *accent* as it is stored, "" for none; raise ConfigError unless light pages can have it."""
    if accent == "":
        return ""
    if not isinstance(accent, str) or not _COLOUR.fullmatch(accent.lower()):
        raise ConfigError(N_('accent must be six hexadecimal digits, such as "#8c2f1b".'))
    for name, colour in BESIDE_ACCENT.items():
        ratio = contrast(accent, colour)
        if ratio < MIN_CONTRAST:
            raise ConfigError(
                N_(
                    "accent %(accent)s has a contrast of %(ratio)s : 1 with %(name)s %(colour)s, and needs "
                    "%(least)s : 1. Make it darker."
                ),
                accent=accent,
                ratio=f"{int(ratio * 100) / 100:.2f}",  # not rounded up to what it needs
                name=name,
                colour=colour,
                least=MIN_CONTRAST,
            )
    return accent.lower()


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.1 defines it, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _check_links(links: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(links, dict) or len(links) > config.MAX_BRAND_LINKS:
        raise ConfigError("[links] must have %(max)s names with an address at most.", max=config.MAX_BRAND_LINKS)
    for name, address in links.items():
        if not 1 <= len(name.strip()) <= config.MAX_BRAND_LINK_NAME_LENGTH:
            raise ConfigError(
                "[links] a name must have 1 to %(max)s characters: %(name)r.",
                max=config.MAX_BRAND_LINK_NAME_LENGTH,
                name=name[: config.MAX_BRAND_LINK_NAME_LENGTH],
            )
        if not isinstance(address, str) or len(address) > config.MAX_LINK_LENGTH or not _LINK.fullmatch(address):
            raise ConfigError("[links] the address of %(name)r must begin with https:// and have no blanks.", name=name)
    return tuple(links.items())


def _read_footer(path: Path) -> str:
    text = read_text(path, config.MAX_OPERATOR_PAGE_BYTES)
    if len(text) > config.MAX_BRAND_FOOTER_LENGTH:
        raise ConfigError(
            "%(path)s has more than %(max)s characters. Shorten it.", path=path, max=config.MAX_BRAND_FOOTER_LENGTH
        )
    return text
