"""The pictures of a brand, checked by what they say about themselves."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from voteweb.core import config
from voteweb.core.errors import ConfigError

#: The height of a logo in the header, and its greatest width, in pixels of CSS: as much as the name takes on a phone.
LOGO_HEIGHT, MAX_LOGO_WIDTH = 28, 128
_PNG = b"\x89PNG\r\n\x1a\n"
_VIEW_BOX = re.compile(r"\bviewBox\s*=\s*[\"']([^\"']*)[\"']")
#: Pixels of a side of icon.png: phones ask for 180 and more, and nothing for more than the most.
_MIN_ICON, _MAX_SIDE = 180, 2_048
#: Units of a side of an SVG: far more than any program writes, and a number that can be worked with.
_MAX_SVG_SIDE = 1e6


@dataclass(frozen=True, slots=True)
class BrandImage:
    """A picture: the name of its file, its content, and its width and height, of an SVG in units of its own."""

    file: str
    content: bytes
    width: float
    height: float

    @property
    def static_name(self) -> str:
        """The name under which it is served among the static files."""
        return f"brand-{self.file}"

    @property
    def mimetype(self) -> str:
        return "image/png" if self.file.endswith(".png") else "image/svg+xml"

    @property
    def sizes(self) -> str:
        """The sizes for which it is right, as the web manifest spells them."""
        return f"{int(self.width)}x{int(self.height)}" if self.file.endswith(".png") else "any"

    @property
    def shown_width(self) -> int:
        """The width in pixels of CSS at which it is LOGO_HEIGHT high, or less high if it is very wide."""
        return max(1, min(round(LOGO_HEIGHT * self.width / self.height), MAX_LOGO_WIDTH))


def read_image(path: Path) -> BrandImage:
    """Return the picture in the file at *path*; raise ConfigError unless it is one that can be used."""
    with path.open("rb") as file:
        content = file.read(config.MAX_BRAND_IMAGE_BYTES + 1)
    if len(content) > config.MAX_BRAND_IMAGE_BYTES:
        raise ConfigError(
            "%(path)s has more than %(max)s bytes. Make it smaller.", path=path, max=f"{config.MAX_BRAND_IMAGE_BYTES:,}"
        )
    width, height = (_png_size if path.suffix == ".png" else _svg_size)(path, content)
    is_icon = path.stem == "icon"
    if is_icon and width != height:
        raise ConfigError("%(path)s is not square.", path=path)
    if path.suffix == ".png" and not (
        (_MIN_ICON if is_icon else 1) <= min(width, height) <= max(width, height) <= _MAX_SIDE
    ):
        raise ConfigError(
            "%(path)s must have %(min)s to %(max)s pixels a side.",
            path=path,
            min=_MIN_ICON if is_icon else 1,
            max=f"{_MAX_SIDE:,}",
        )
    return BrandImage(path.name, content, width, height)


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
