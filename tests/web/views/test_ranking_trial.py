"""Trials of weights on the site: admins see both pages, and what was typed wrongly."""

import time

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import EVIL, assert_harmless
from voteweb.core.models import Role
from voteweb.store import Store


@pytest.fixture
def admin(make_member: MakeMember) -> Browser:
    """An admin."""
    return make_member("root", Role.ADMIN)


def test_admin_sees_both_pages_and_what_suits(admin: Browser, store: Store) -> None:
    for days in range(2, 24):
        factories.imported(store, title=f"Title {days} {EVIL}", time=time.time() - days * 86_400, votes=days * 201)
    page = admin.open("/admin/ranking?good_votes=400").page
    today, tried = ([item.text for item in part.all("li")] for part in page.all("ol", class_="trial"))
    assert (len(today), len(tried)) == (22, 22)
    assert today[0].startswith("Title 23 ")
    assert tried[0].startswith("Title 2 ")
    assert "one in twenty articles is a good one" in page.one("main").text
    assert "So 4,623 votes suit them." in page.one("main").text
    assert "VOTEWEB_GOOD_VOTES=400" in page.one("pre").text
    assert_harmless(page)


def test_a_wrong_weight_is_explained_and_kept(admin: Browser) -> None:
    answer = admin.open("/admin/ranking?good_votes=0&lift_days=two%3Cb%3E&comment_good_votes=٣")
    assert answer.status == 422
    form = answer.page.one("main").one("form", class_="fields")
    assert [field["value"] for field in form.all("input")] == ["0", "two<b>", "٣"]
    errors = [error.text for error in form.all("p", class_="error")]
    assert errors[1] == "Please type a whole number from 0 to 36,500."
    assert len(errors) == 3
    assert "There are too few articles" in admin.open("/admin/ranking").page.one("main").text
