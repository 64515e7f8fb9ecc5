"""URLs: which targets of redirects are this site's own."""

import pytest
from flask import Flask

from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
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


#: Addresses with a slash at the end, and where they lead.
WITH_SLASH = [
    ("/new/", "/new"),
    ("/new%2f", "/new"),
    ("/new/?page=2&q=%2F%2Fevil.example%0d%0aX:y&x=é", "/new?page=2&q=%2F%2Fevil.example%0d%0aX:y&x=%C3%A9"),
    ("/g/c++/new/", "/g/c++/new"),
    ("/g/编程/", "/g/%E7%BC%96%E7%A8%8B"),
    ("/g/\\evil.example/", "/g/%5Cevil.example"),
    ("/a/1/", "/a/1"),
]
#: Other addresses with one, which have no page; %2f reaches the site as a slash.
NOWHERE = [
    *("/%2fevil.example/", "/\\evil.example/", "/%5cevil.example/", "/%2e%2e/", "/new//"),
    *("/g/%2e%2e/", "/g/%2e/", "/u/", "/static/", "/static/site.css/", "/a/1/vote/", "/nowhere/", "/.//evil.example/"),
]


@pytest.mark.parametrize(("address", "target"), WITH_SLASH)
@pytest.mark.parametrize("site_url", ["", "https://news.example/"])
def test_slash_at_the_end_leads_to_the_page(
    address: str, target: str, site_url: str, make_browser: MakeBrowser
) -> None:
    reader = make_browser(site_url=site_url)
    for method in ("GET", "HEAD"):
        reader.open(address, method=method)
        assert (reader.status, reader.location) == (308, target)


@pytest.mark.parametrize("address", NOWHERE)
def test_slash_after_no_address_is_404(address: str, reader: Browser) -> None:
    assert reader.open(address).status == 404


def test_form_to_an_address_with_a_slash_is_404(reader: Browser) -> None:
    assert reader.send("/submit/").status == 404
