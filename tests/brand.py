"""A made-up brand: the Ferry Gazette, in blue, with a wide logo."""

import struct
import zlib
from pathlib import Path

FOOTER = "Published by the *Ferry Society*, [Quay 4](https://ferry.example/quay)."
SETTINGS = """\
accent = "#0b4f8a"

[links]
"Timetable" = "https://ferry.example/times"
"The society" = "https://ferry.example/"
"""
_SHIP = '<path fill="{}" d="M8 40h48l-8 14H16zM28 10h6v28H14z"/>'
LOGO = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 230 64">{_SHIP.format("#2b7fc4")}
<text x="68" y="44" font-family="serif" font-weight="700" font-size="36" fill="#2b7fc4">Gazette</text>
<script>parent.document.title = "changed"</script></svg>"""
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">{_SHIP.format("#2b7fc4")}</svg>'


def png(width: int, height: int) -> bytes:
    """Return a blue picture."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = (b"\0" + b"\x2b\x7f\xc4" * width) * height
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_brand(folder: Path) -> Path:
    """Write the files of the brand into *folder*, and return it."""
    (folder / "logo.svg").write_text(LOGO)
    (folder / "icon.svg").write_text(ICON)
    (folder / "icon.png").write_bytes(png(192, 192))
    (folder / "brand.toml").write_text(SETTINGS)
    (folder / "footer.md").write_text(FOOTER + "\n")
    (folder / "footer.zh.md").write_text("渡口新闻\n", "utf-8")
    return folder
