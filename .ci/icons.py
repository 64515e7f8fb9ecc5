"""Draw the icons of static/ in Chromium from icon.svg. Run it after a change of that file: `make icons` does."""

import shutil
import struct
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

STATIC = Path(__file__).parent.parent / "static"
#: The rounded corners of the icon: systems that cut icons to a shape of their own need the whole square.
ROUNDED = 'rx="7"'
#: Width, height, and the share of the width that the icon takes up, by name. Squares have no transparent corners.
ROUND_ICONS = {"icon-192.png": 192, "icon-512.png": 512}
SQUARE_ICONS = {"apple-touch-icon.png": 180, "icon-maskable-512.png": 512}
FAVICON_SIZES = (16, 32, 48)
#: The picture that is shown where links to the site are shared: the icon on the paper of the site.
SHARE_IMAGE, SHARE_SIZE, SHARE_ICON_SIZE, PAPER = "share.png", (1200, 630), 360, "#fdfcf9"


def draw(browser: Browser, svg: str, width: int, height: int, size: int, background: str = "transparent") -> bytes:
    """Return a PNG of *width* × *height* with *svg* of *size* pixels in the middle."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_content(
        f"<body style='margin:0;height:100vh;display:grid;place-items:center;background:{background}'>"
        f"<div style='width:{size}px;height:{size}px;display:grid'>{svg}</div>"
    )
    png = page.screenshot(omit_background=True)
    page.close()
    return png


def ico(images: dict[int, bytes]) -> bytes:
    """Return an ICO file with these square PNG images, by size."""
    header, offset = struct.pack("<3H", 0, 1, len(images)), 6 + 16 * len(images)
    for size, png in images.items():
        header += struct.pack("<4B2H2I", size, size, 0, 0, 1, 32, len(png), offset)
        offset += len(png)
    return header + b"".join(images.values())


def main() -> None:
    """Write every icon."""
    svg = (STATIC / "icon.svg").read_text()
    if ROUNDED not in svg:
        sys.exit(f"static/icon.svg has no {ROUNDED}: change ROUNDED in .ci/icons.py with it.")
    square = svg.replace(ROUNDED, "")
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, size in ROUND_ICONS.items():
            (STATIC / name).write_bytes(draw(browser, svg, size, size, size))
        for name, size in SQUARE_ICONS.items():
            (STATIC / name).write_bytes(draw(browser, square, size, size, size))
        favicons = {size: draw(browser, svg, size, size, size) for size in FAVICON_SIZES}
        (STATIC / "favicon.ico").write_bytes(ico(favicons))
        (STATIC / SHARE_IMAGE).write_bytes(draw(browser, svg, *SHARE_SIZE, SHARE_ICON_SIZE, PAPER))
        browser.close()


if __name__ == "__main__":
    main()
