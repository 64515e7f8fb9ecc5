"""The one stylesheet."""

import re
from pathlib import Path

CSS = Path(__file__).parents[2] / "static" / "site.css"


def test_looks_of_hovering_are_for_devices_that_can_hover() -> None:
    """A phone keeps the look of ``:hover`` after a tap, until something else is tapped."""
    rest, _, block = CSS.read_text("utf-8").partition("@media (hover: hover) {\n")
    block, _, after = block.partition("\n}\n")
    assert ":hover" in block
    assert ":hover" not in rest + after


def test_serif_faces_of_latin_come_before_the_chinese_one() -> None:
    """Else a machine without the first of them draws Latin quotation marks from the Chinese face, with a hole."""
    (faces,) = re.findall(r"--serif: (.*);", CSS.read_text("utf-8"))
    latin, _, chinese = faces.partition("CJK")
    assert '"Liberation Serif", "DejaVu Serif Condensed", "DejaVu Serif"' in latin
    assert chinese
