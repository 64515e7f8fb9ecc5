"""Form tokens: no GET and no form without the token of its session changes anything, at any address."""

from itertools import product

import pytest

from tests.web.addresses.address import ADMIN, MEMBER, READER
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS, PAGES, ROUTES
from tests.web.browser import JSON

#: A form of each route that must have a token, with fields that would be accepted with it; the language is the sender's
#: own cookie.
PROTECTED = [address for address in ROUTES if address.method == "POST" and address.endpoint != "language.choose"]


def test_request_without_form_changes_nothing(everybody: Everybody) -> None:
    query = {name: value for form in FORMS for name, value in form.fields.items()}
    query["csrf_token"] = everybody.tokens[ADMIN]
    for address in PAGES:
        for method in ("GET", "HEAD", "OPTIONS"):
            admin = everybody.browser(ADMIN)
            answer = admin.client.open(address.url(more_query=query), method=method, buffered=True)
            assert everybody.is_unchanged(), (address, method)
            assert method != "HEAD" or answer.status_code == address.status(ADMIN), address
        assert admin.is_logged_in(), address


def test_form_without_its_token_only_keeps_what_was_typed(everybody: Everybody, subtests: pytest.Subtests) -> None:
    """Nor does a token in the query count."""
    for address in PROTECTED:
        other_token = everybody.tokens[MEMBER if address.sender != MEMBER else ADMIN]
        in_query = address.url(more_query={"csrf_token": everybody.tokens[address.sender]})
        tokens = ({}, {"csrf_token": ""}, {"csrf_token": "0"}, {"csrf_token": other_token})
        for url, headers, token in (
            (in_query, {}, {}),
            (address.url(), JSON, {}),
            *product([address.url()], [{}], tokens),
        ):
            with subtests.test(str(address), headers=headers, token=token, in_query=url is in_query):
                sender = everybody.browser(address.sender)
                sender.post(url, {**address.fields, **token}, headers=headers)
                assert everybody.is_unchanged()
                assert sender.status in (303, 400, 422)
                assert headers or all(typed in sender.text for typed in address.kept)
        assert sender.is_logged_in() is (address.sender != READER), address


FOREIGN_ORIGINS = [
    {"Referer": "https://evil.example/"},
    {"Referer": "http://localhost.evil.example/"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:8080"},
    {"Origin": "http://[evil"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
OWN_ORIGINS = [
    {"Origin": "http://localhost"},
    {"Origin": "https://localhost", "Referer": ""},  # behind a proxy that the site has not been told of
    {"Referer": "http://localhost/new?page=2"},
    {"Referer": "https://elsewhere.example/", "Sec-Fetch-Site": "same-origin"},  # the proxy has changed the host
    {"Referer": ""},
]


def test_form_of_another_site_changes_nothing(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in (address for address in FORMS if not address.case):
        # One function judges all headers: the lane asks it about votes, and login.py about the forms of all views.
        is_tried_with_all = address.endpoint in ("votes.vote", "submission.submit")
        for headers in FOREIGN_ORIGINS if is_tried_with_all else FOREIGN_ORIGINS[:1]:
            with subtests.test(str(address), headers=headers):
                sender = everybody.post(address, address.fields, headers=headers)
                assert (sender.status, everybody.is_unchanged()) == (403, True)
                assert sender.intro.startswith("This form was not sent from a page of this site, so nothing was done.")
                assert "Set-Cookie" not in sender.headers


def test_form_of_this_site_is_accepted(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for headers in OWN_ORIGINS:
        with subtests.test(headers=headers):
            member = everybody.browser(MEMBER)
            assert member.post("/a/1/vote", {"csrf_token": everybody.tokens[MEMBER]}, headers=headers).status == 303
