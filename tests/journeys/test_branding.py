"""A made-up brand in a real browser: its logo keeps the header as high as it was and runs no script."""

from dataclasses import replace

import pytest

from tests import factories
from tests.brand import write_brand
from tests.journeys.conftest import Visit
from voteweb.core.settings import Settings
from voteweb.store import Store


@pytest.fixture
def settings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A site with a brand."""
    return replace(settings, brand_dir=str(write_brand(tmp_path_factory.mktemp("brand"))), site_name="Ferry Gazette")


@pytest.mark.heavy
def test_a_brand_keeps_the_header(visit: Visit, store: Store) -> None:
    factories.article(store)
    visitor = visit()
    for width, header in ((320, 2 * 44 + 8), (1280, 52)):
        visitor.page.set_viewport_size({"width": width, "height": 740})
        visitor.open("/")
        heights = [visitor.page.locator(part).bounding_box() for part in ("header", ".logo")]
        assert all(box and box["height"] <= most for box, most in zip(heights, (header, 28), strict=True)), heights
        assert visitor.overflow() == 0
    assert visitor.page.evaluate("document.querySelector('.logo').naturalWidth") > 0
    assert visitor.page.title() == "Hot articles · Ferry Gazette"
