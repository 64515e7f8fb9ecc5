"""The brand of a site: the files in the folder VOTEWEB_BRAND_DIR, which are read at the start.

A file that is not there leaves what the site has. One that is faulty does too, and is named in ``faults``.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voteweb.core import colours, config, markup
from voteweb.core.brand_images import BrandImage, read_image
from voteweb.core.colours import Palette
from voteweb.core.errors import ConfigError
from voteweb.core.operator_pages import folder_faults, read_text

_SETTINGS_FILE = "brand.toml"
_IMAGES = ("logo.svg", "logo.png", "icon.svg", "icon.png")
#: A fragment of Markdown, by its name and the code of a language, if it has one.
_FRAGMENT = re.compile(r"(header|footer)(?:\.([a-z]{2}))?\.md")
_MAX_CHARACTERS = {"header": config.MAX_BRAND_HEADER_LENGTH, "footer": config.MAX_BRAND_FOOTER_LENGTH}
_LINK = re.compile(r"https://[!-~]+")


@dataclass(frozen=True, slots=True)
class Brand:
    """The looks of a site that are its own; ``palettes`` are whole, ``links`` pairs of name and address."""

    palettes: Mapping[str, Palette]
    images: Mapping[str, BrandImage] = field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()
    fragments: Mapping[tuple[str, str], str] = field(default_factory=dict)
    has_own_colours: bool = False
    faults: tuple[str, ...] = ()

    @property
    def logo(self) -> BrandImage | None:
        """The picture in the header in place of icon and name."""
        return self.images.get("logo.svg") or self.images.get("logo.png")

    @property
    def icons(self) -> tuple[BrandImage, ...]:
        """The icons, the best for browsers first."""
        return tuple(self.images[file] for file in ("icon.svg", "icon.png") if file in self.images)

    def text(self, name: str, language: str) -> str:
        """Return the Markdown of the fragment *name* for readers in *language*, a code; "" if there is none."""
        return self.fragments.get((name, language)) or self.fragments.get((name, ""), "")


def load_brand(folder: str, stylesheet: str) -> Brand:
    """Return the brand in *folder*, "" for none, of a site with this *stylesheet*."""
    defaults = colours.palettes(stylesheet)
    faults = folder_faults("VOTEWEB_BRAND_DIR", folder)
    if not folder or faults:
        return Brand(defaults, faults=tuple(faults))

    def read(path: Path, parse: Callable[[Path], Any]) -> Any:
        """Return what *parse* makes of the file at *path*, None for a faulty one."""
        try:
            if not path.is_file():
                raise ConfigError("%(path)s is not a file.", path=path)
            return parse(path)
        except ConfigError as error:
            faults.append(str(error))
        except OSError as error:
            faults.append(f"Cannot read {path}: {error.strerror}")
        return None

    images, fragments, own = {}, {}, _OwnSettings(defaults, (), has_own_colours=False)
    for path in sorted(Path(folder).iterdir()):
        fragment = _FRAGMENT.fullmatch(path.name)
        if path.name in _IMAGES:
            images[path.name] = read(path, read_image)
        elif path.name == _SETTINGS_FILE:
            own = read(path, lambda path: _read_settings(path, defaults)) or own
        elif fragment:
            fragments[fragment[1], fragment[2] or ""] = read(path, _read_fragment) or ""
        elif not path.name.startswith("."):
            faults.append(f"{path} is no file of a brand: rename or remove it. See docs/branding.md.")
    if "logo.svg" in images and "logo.png" in images:
        faults.append(f"{folder} has logo.svg and logo.png: keep one of them.")
    return Brand(
        palettes=own.palettes,
        images={file: image for file, image in images.items() if image},
        links=own.links,
        fragments=fragments,
        has_own_colours=own.has_own_colours,
        faults=tuple(faults),
    )


@dataclass(frozen=True, slots=True)
class _OwnSettings:
    """The content of the file brand.toml."""

    palettes: Mapping[str, Palette]
    links: tuple[tuple[str, str], ...]
    has_own_colours: bool


def _read_settings(path: Path, defaults: Mapping[str, Palette]) -> _OwnSettings:
    try:
        tables = tomllib.loads(read_text(path, config.MAX_BRAND_SETTINGS_BYTES))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError("%(path)s is not TOML: %(reason)s", path=path, reason=error) from None
    try:
        if unknown := set(tables) - {"colours", "links"}:
            raise ConfigError("[%(table)s] is none of [colours.light], [colours.dark], [links].", table=min(unknown))
        own = tables.get("colours", {})
        palettes = colours.check(defaults, own if isinstance(own, dict) else {"": own})
        return _OwnSettings(palettes, _check_links(tables.get("links", {})), has_own_colours=bool(own))
    except ConfigError as error:
        raise ConfigError("%(path)s: %(problem)s", path=path, problem=error) from None


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


def _read_fragment(path: Path) -> str:
    text = read_text(path, config.MAX_OPERATOR_PAGE_BYTES)
    name = path.name.partition(".")[0]
    if len(text) > _MAX_CHARACTERS[name]:
        raise ConfigError(
            "%(path)s has more than %(max)s characters. Shorten it.", path=path, max=_MAX_CHARACTERS[name]
        )
    if name == "header" and text:
        html = markup.render_operator_page(text).strip()
        if "\n" in text or not html.startswith("<p>"):
            raise ConfigError("%(path)s must be one line, without a heading or a list.", path=path)
    return text
