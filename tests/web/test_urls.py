"""URLs: which targets of redirects are this site's own."""

import pytest
from flask import Flask

from tests.web.targets import FOREIGN_TARGETS, OWN_TARGETS
from voteweb.core.config import RESERVED_NAMES
from voteweb.web.base import urls


@pytest.mark.parametrize("target", FOREIGN_TARGETS)
def test_foreign_target_is_replaced_by_the_default(target: str) -> None:
    assert urls.safe_path(target) == "/"
    assert urls.safe_path(target, "/log") == "/log"


@pytest.mark.parametrize("target", OWN_TARGETS)
def test_own_target_is_kept(target: str) -> None:
    assert urls.safe_path(target) == target


def test_no_member_can_have_the_name_of_a_page(app: Flask) -> None:
    first_parts = {rule.rule.split("/")[1] for rule in app.url_map.iter_rules()}
    names = {part for part in first_parts if len(part) > 1 and not {*part} & {*".<"}}
    assert names <= RESERVED_NAMES
