"""URLs: which targets of redirects are this site's own."""

import pytest

from tests.web.targets import FOREIGN_TARGETS, OWN_TARGETS
from voteweb.web.base import urls


@pytest.mark.parametrize("target", FOREIGN_TARGETS)
def test_foreign_target_is_replaced_by_the_default(target: str) -> None:
    assert urls.safe_path(target) == "/"
    assert urls.safe_path(target, "/log") == "/log"


@pytest.mark.parametrize("target", OWN_TARGETS)
def test_own_target_is_kept(target: str) -> None:
    assert urls.safe_path(target) == target
