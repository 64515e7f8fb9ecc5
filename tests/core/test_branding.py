"""The files of a brand: what is read from them, and what is refused in words."""

from pathlib import Path

import pytest

from tests.brand import FOOTER, HEADER, ICON, png, write_brand
from voteweb.core import colours
from voteweb.core.branding import Brand, load_brand
from voteweb.web.branding import stylesheet

CSS = stylesheet()


def faults(folder: Path) -> tuple[str, ...]:
    return load_brand(str(folder), CSS).faults


def test_a_brand_has_what_is_in_its_folder(tmp_path: Path) -> None:
    brand = load_brand(str(write_brand(tmp_path)), CSS)
    assert brand.faults == ()
    assert brand.logo is not None
    assert (brand.logo.static_name, brand.logo.shown_width) == ("brand-logo.svg", 101)
    assert [icon.sizes for icon in brand.icons] == ["any", "192x192"]
    assert [brand.text("header", code) for code in ("en", "zh")] == [HEADER, "渡口新闻"]
    assert [brand.text("footer", code) for code in ("en", "zh")] == [FOOTER, FOOTER]
    assert brand.links[0] == ("Timetable", "https://ferry.example/times")
    assert (brand.palettes["light"]["accent"], brand.palettes["light"]["ink"]) == ("#0b4f8a", "#1d1b18")


def test_without_a_folder_the_site_is_as_it_was() -> None:
    assert load_brand("", CSS) == Brand(colours.palettes(CSS))
    assert "VOTEWEB_BRAND_DIR is not a folder" in load_brand("/nowhere", CSS).faults[0]


def test_colours_of_the_stylesheet_can_be_read() -> None:
    defaults = colours.palettes(CSS)
    assert colours.check(defaults, {}) == defaults
    assert len(defaults["light"]) == len(defaults["dark"]) == 13
    assert colours.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert colours.contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            '[colours.light]\nfaint = "#999999"',
            "faint #999999 on paper #fdfcf9 has a contrast of 2.77 : 1, and needs 4.5",
        ),
        ('[colours.dark]\non-accent = "#ffffff"', "[colours.dark] on-accent #ffffff on accent #f0957f has a contrast"),
        ('[colours.light]\ninc = "#000000"', "[colours.light] has no colour inc; its colours are: paper, panel, ink,"),
        ('[colours.light]\nink = "black"', "[colours.light] ink must be six hexadecimal digits"),
        ("[colours.light]\nink = 1", "[colours.light] ink must be six hexadecimal digits"),
        ('[colours.night]\nink = "#000000"', "[colours.night] is none of"),
        ("colours = 1", "is none of [colours.light]"),
        ('[links]\n"Us" = "http://us.example"', "[links] the address of 'Us' must begin with https://"),
        ('[links]\n"Us" = "javascript:alert(1)"', "[links] the address of 'Us' must begin with https://"),
        ("links = [1]", "[links] must have 10 names with an address at most."),
        (f'[links]\n"{"x" * 41}" = "https://us.example"', "[links] a name must have 1 to 40 characters"),
        ("[colors]", "[colors] is none of"),
        ("[", "is not TOML: "),
        ("a = " + "[" * 9_000, "is not TOML: "),
    ],
)
def test_wrong_settings_are_named_and_change_nothing(settings: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "brand.toml").write_text(settings)
    brand = load_brand(str(tmp_path), CSS)
    (fault,) = brand.faults
    assert fault.startswith(str(tmp_path / "brand.toml"))
    assert problem in fault
    assert (brand.palettes, brand.links) == (colours.palettes(CSS), ())


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("logo.png", b"GIF89a", "is no PNG."),
        ("logo.svg", b"<html></html>", "is no SVG with a viewBox"),
        ("logo.svg", b'<svg viewBox="0 0 1.2.3 4">', "is no SVG with a viewBox"),
        ("logo.svg", b'<svg viewBox="0 0 %s 4">' % (b"9" * 400), "is no SVG with a viewBox"),
        ("logo.svg", b"<svg " * 20_000, "is no SVG with a viewBox"),
        ("logo.svg", b" " * 100_001, "has more than 100,000 bytes. Make it smaller."),
        ("icon.png", png(200, 180), "is not square."),
        ("icon.png", png(64, 64), "must have 180 to 2,048 pixels a side."),
        ("icon.svg", ICON.replace("64 64", "64 32", 1).encode(), "is not square."),
        ("header.md", b"# Heading", "must be one line, without a heading or a list."),
        ("header.md", b"one\n\ntwo", "must be one line, without a heading or a list."),
        ("header.md", b"x" * 201, "has more than 200 characters. Shorten it."),
        ("footer.md", b"\xff", "is not UTF-8 text"),
        ("colors.toml", b"", "is no file of a brand: rename or remove it."),
        ("logo.svg", None, "is not a file."),
    ],
)
def test_a_faulty_file_is_named_and_left_out(file: str, content: bytes | None, problem: str, tmp_path: Path) -> None:
    if content is None:
        (tmp_path / file).mkdir()
    else:
        (tmp_path / file).write_bytes(content)
    brand = load_brand(str(tmp_path), CSS)
    (fault,) = brand.faults
    assert fault.startswith(f"{tmp_path / file} {problem}")
    assert (dict(brand.images), brand.text("header", "en"), brand.text("footer", "en")) == ({}, "", "")
