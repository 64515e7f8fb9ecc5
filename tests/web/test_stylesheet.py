"""The one stylesheet."""

from pathlib import Path

CSS = Path(__file__).parents[2] / "static" / "site.css"


def test_looks_of_hovering_are_for_devices_that_can_hover() -> None:
    """A phone keeps the look of ``:hover`` after a tap, until something else is tapped."""
    rest, _, block = CSS.read_text("utf-8").partition("@media (hover: hover) {\n")
    block, _, after = block.partition("\n}\n")
    assert ":hover" in block
    assert ":hover" not in rest + after
