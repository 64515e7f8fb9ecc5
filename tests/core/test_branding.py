"""The files of a brand: what is read from them, and what is refused in words."""

import re
from pathlib import Path

import pytest

from tests.brand import FOOTER, png, write_brand
from voteweb.core import branding
from voteweb.core.branding import MIN_CONTRAST, Brand, contrast, load_brand
from voteweb.core.resources import resource_folder


def test_a_brand_has_what_is_in_its_folder(tmp_path: Path) -> None:
    brand = load_brand(str(write_brand(tmp_path)))
    assert brand.faults == ()
    assert brand.logo is not None
    assert (brand.logo.name, brand.logo.shown_width) == ("brand-logo.svg", 101)
    assert [icon.sizes for icon in brand.icons] == ["any", "192x192"]
    assert [brand.footer(code) for code in ("en", "zh")] == [FOOTER, "渡口新闻"]
    assert brand.links[0] == ("Timetable", "https://ferry.example/times")
    assert (brand.accent, brand.dark_accent) == ("#0b4f8a", "#9db9d0")


def test_without_a_folder_the_site_is_as_it_was() -> None:
    assert load_brand("") == Brand()
    assert "VOTEWEB_BRAND_DIR is not a folder" in load_brand("/nowhere").faults[0]
    assert load_brand("/etc/passwd").faults[0].startswith("VOTEWEB_BRAND_DIR is a file, /etc/passwd, and must be")


def test_any_accent_can_be_read_on_dark_pages() -> None:
    css = (resource_folder("static") / "site.css").read_text("utf-8")
    pairs = re.findall(r"--([a-z-]+): (?:light-dark\((#[0-9a-f]{6}), )?(#[0-9a-f]{6})\)?;", css)
    light, dark = ({name: colours[at] or colours[1] for name, *colours in pairs} for at in (0, 1))
    assert {name: light[name] for name in branding.BESIDE_ACCENT} == branding.BESIDE_ACCENT
    for accent in ("#000000", "#0000ff", light["accent"]):
        shown = Brand(accent).dark_accent
        assert all(contrast(shown, dark[name]) >= MIN_CONTRAST for name in ("paper", "panel")), shown
    assert all(contrast(theme["fill"], theme["on-fill"]) >= MIN_CONTRAST for theme in (light, dark))
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


#: Files of a brand, what they have (None: they are folders), and what is said of them.
FAULTS: list[tuple[str, bytes | None, str]] = [
    ("logo.png", b"GIF89a", " is no PNG."),
    ("logo.svg", b'<svg viewBox="0 0 1.2.3 4">', " is no SVG with a viewBox"),
    ("logo.svg", b"<svg " * 20_000, " is no SVG with a viewBox"),
    ("logo.svg", b" " * 100_001, " has more than 100,000 bytes. Make it smaller."),
    ("logo.svg", None, " is not a file."),
    ("icon.png", png(200, 180), " is not square."),
    ("icon.png", png(64, 64), " must have 180 to 2,048 pixels a side."),
    ("footer.md", b"x" * 601, " has more than 600 characters. Shorten it."),
    ("footer.md", b"\xff", " is not UTF-8 text"),
    ("colors.toml", b"", " is no file of a brand: rename or remove it."),
    ("brand.toml", b"[", " is not TOML: "),
    ("brand.toml", b'accent = "black"', ": accent must be six hexadecimal digits"),
    (
        "brand.toml",
        b'accent = "#999999"',
        ": accent #999999 has a contrast of 2.77 : 1 with paper #fdfcf9, and needs 4.5 : 1.",
    ),
    ("brand.toml", b"[colours.light]", ": colours is neither accent nor [links]."),
    ("brand.toml", b"links = [1]", ": [links] must have 10 names with an address at most."),
    ("brand.toml", b'[links]\n"Us" = "http://us.example"', ": [links] the address of 'Us' must begin with https://"),
    ("brand.toml", b'[links]\n"' + b"x" * 41 + b'" = "https://us.example"', ": [links] a name must have 1 to 40"),
]


@pytest.mark.parametrize(("file", "content", "problem"), FAULTS)
def test_a_faulty_file_is_named_and_changes_nothing(
    file: str, content: bytes | None, problem: str, tmp_path: Path
) -> None:
    if content is None:
        (tmp_path / file).mkdir()
    else:
        (tmp_path / file).write_bytes(content)
    brand = load_brand(str(tmp_path))
    (fault,) = brand.faults
    assert fault.startswith(f"{tmp_path / file}{problem}")
    assert (brand.accent, brand.links, dict(brand.images), brand.footer("en")) == ("", (), {}, "")
