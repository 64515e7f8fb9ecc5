"""Every form has a rate limit, or is exempt; what was done too often is refused and changes nothing."""

import pytest
from flask import Flask

from tests.web.addresses.address import READER, Address
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS, ROUTES
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeApp
from tests.web.limits import assert_too_fast, use_up
from tests.web.state import content
from voteweb.core.config import ADDRESS_HEADER
from voteweb.core.rate_limits import EXEMPT, LIMITS, SIGNUP, Limit, LimitScope, network
from voteweb.store import Store

pytestmark = [pytest.mark.site(limits=1), pytest.mark.usefixtures("_stopped_limits")]

LIMIT_OF = {
    (view, limit.method): limit for limit in LIMITS if limit.scope is not LimitScope.NEWCOMER for view in limit.views
}
#: A row for each view that counts its members.
COUNTING_MEMBERS = [
    address
    for address in ROUTES
    if (limit := LIMIT_OF.get((address.endpoint, address.method))) and limit.scope is LimitScope.MEMBER
]
BY_ADDRESS = [limit for limit in LIMITS if limit.scope.name in ("ADDRESS", "NETWORK", "WIDE_NETWORK")]


def limits_by_address(address: Address) -> list[Limit]:
    """Return the limits that count requests to *address* by where they come from."""
    return [limit for limit in BY_ADDRESS if address.endpoint in limit.views and address.method == limit.method]


def test_every_form_is_limited_or_exempt(app: Flask) -> None:
    assert {address.endpoint for address in FORMS if (address.endpoint, "POST") not in LIMIT_OF} == set(EXEMPT)
    assert {view for limit in LIMITS for view in limit.views} <= set(app.view_functions)


def test_request_over_the_limit_is_refused_and_changes_nothing(
    everybody: Everybody, store: Store, subtests: pytest.Subtests
) -> None:
    for address in COUNTING_MEMBERS:
        with subtests.test(str(address)):
            limit, sender = LIMIT_OF[address.endpoint, address.method], everybody.browser(address.sender)
            use_up(store, limit, address.sender)
            before = content(store)
            for headers in ({}, JSON):
                everybody.send(address, address.sender, sender, headers=headers)
                if headers and not address.keeps_typed:
                    assert (sender.status, sender.json["error"]["code"]) == (429, "too-fast")
                    assert int(sender.headers["Retry-After"]) > 0
                else:
                    assert_too_fast(sender, limit)
                if address.keeps_typed:
                    path = "/submit" if address.endpoint.startswith("submission.") else address.url()
                    assert f'action="{path}"' in sender.text
                    assert all(typed in sender.text for typed in address.kept)
            assert content(store) == before


def test_households_of_one_ipv6_network_are_counted_together(
    everybody: Everybody, make_app: MakeApp, store: Store, subtests: pytest.Subtests
) -> None:
    """Ten times as much from a /48 as from one of its 65,536 /64s, but for those who sign up."""
    app = make_app(trusted_proxies=1)
    for address in filter(limits_by_address, ROUTES):
        with subtests.test(str(address)):
            narrow, *_, wide = sorted(limits_by_address(address), key=lambda limit: limit.burst)
            factor = 2 if narrow is SIGNUP else 10
            assert (wide.burst, wide.times) == (factor * narrow.burst, factor * narrow.times)
            everybody.browser(READER)  # on the site as it was
            reader, headers = Browser(app), {ADDRESS_HEADER: "2001:db8:7:42::1"}
            token = reader.csrf_token()
            use_up(store, wide, "2001:db8:7::/48")
            if address.method == "GET":
                reader.open(address.url(names="python+redis", more_query={"q": "words"}), headers=headers)
            else:
                reader.post(address.url(), {**address.fields, "csrf_token": token}, headers=headers)
            assert_too_fast(reader, wide)


def test_nobody_without_an_address_is_locked_out(
    everybody: Everybody, make_app: MakeApp, store: Store, subtests: pytest.Subtests
) -> None:
    """The proxy of a site that was upgraded does not name its visitors until its file is installed again."""
    app = make_app(trusted_proxies=1)
    for address in filter(limits_by_address, ROUTES):
        with subtests.test(str(address)):
            everybody.browser(READER)  # on the site as it was
            for limit in limits_by_address(address):
                for shared in ("", network("127.0.0.1", limit.scope) or ""):
                    use_up(store, limit, shared)
            reader = Browser(app)
            if address.method == "GET":
                reader.open(address.url())
            else:
                reader.send(address.url(), **address.fields)
            assert reader.status == address.status(READER)
