"""The table of addresses is complete, and no address takes another method."""

from flask import Flask

from tests.web.addresses.address import MODERATOR, READER
from tests.web.addresses.conftest import MakePerson
from tests.web.addresses.table import FORMS, PAGES, ROUTES

_PAGE_PATHS = {page.path for page in PAGES}
#: Addresses that take forms only.
FORM_URLS = [form.url() for form in FORMS if not form.case and form.path not in _PAGE_PATHS]


def test_table_has_one_row_for_every_route(app: Flask) -> None:
    """The operations of the API are a table of their own."""
    routes = [
        (rule.endpoint, method)
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith("api.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    ]
    assert sorted((address.endpoint, address.method) for address in ROUTES) == sorted(routes)


def test_form_address_cannot_be_opened(make_person: MakePerson) -> None:
    for browser in (make_person(READER), make_person(MODERATOR)):
        for url in FORM_URLS:
            browser.open(url)
            assert (browser.status, browser.heading) == (405, "Method not allowed"), url
            assert set(browser.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}, url
