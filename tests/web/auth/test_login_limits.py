"""Rate limits of log-ins, which count failed attempts under a name and from an address; of joining and resets."""

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp
from tests.web.limits import assert_too_fast, use_up
from voteweb.core import passwords
from voteweb.core.config import ADDRESS_HEADER
from voteweb.core.errors import Busy
from voteweb.core.rate_limits import (
    LOGIN_BY_ADDRESS,
    LOGIN_BY_NAME,
    PASSWORD_RESET,
    SIGNUP,
    SIGNUP_BY_NETWORK,
    SIGNUP_BY_WIDE_NETWORK,
    WIDE_LIMITS,
    Limit,
    network,
)
from voteweb.store import Store

pytestmark = [pytest.mark.site(limits=1), pytest.mark.usefixtures("_stopped_limits")]

WRONG = "not this one"


def from_address(browser: Browser, address: str) -> Browser:
    """Return *browser*, which requests from this address from now on."""
    browser.client.environ_base["REMOTE_ADDR"] = address
    return browser


@pytest.fixture
def new_browser(app: Flask) -> Browser:
    """A browser in which nobody has logged in, in another network."""
    return from_address(Browser(app), "203.0.113.1")


@pytest.fixture
def known_browser(app: Flask, bob: Browser) -> Browser:
    """A browser in which bob has logged in before."""
    return Browser(app).log_in("bob").log_out()


# by name


@pytest.mark.parametrize("name", ["BOB", "nobody", "x" * 5_000])
def test_failed_logins_under_a_name_are_limited(name: str, bob: Browser, reader: Browser, new_browser: Browser) -> None:
    for _ in range(LOGIN_BY_NAME.burst):
        assert reader.log_in(name, WRONG).status == 422
    for password in (WRONG, PASSWORD):
        new_browser.log_in(name, password)
        assert_too_fast(new_browser, LOGIN_BY_NAME)
        assert new_browser.value("username") == name
    assert new_browser.log_in("another", WRONG).status == 422


def test_member_can_log_in_where_they_have_logged_in_before(
    ann: Browser, known_browser: Browser, new_browser: Browser, store: Store
) -> None:
    use_up(store, LOGIN_BY_NAME, "bob")
    assert known_browser.log_in("bob").location == "/"
    assert_too_fast(new_browser.log_in("bob"), LOGIN_BY_NAME)
    known_browser.log_out().log_in("ann").log_out()
    from_address(known_browser, "203.0.113.1")
    assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)
    for forged in ("", "x", "WyJib2IiLCJ4Il0", "WyJib2IiLCJ4Il0.c2lnbmF0dXJl", "é" * 500):
        known_browser.client.set_cookie("known", forged, path="/login")
        assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)


def test_known_browser_has_its_own_limit(known_browser: Browser, new_browser: Browser) -> None:
    for _ in range(LOGIN_BY_NAME.burst):
        assert known_browser.log_in("bob", WRONG).status == 422
    assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)
    assert new_browser.log_in("bob").status == 303, "other browsers are not affected"


def test_login_while_passwords_are_hashed_says_when_to_retry(
    bob: Browser, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: str) -> bool:
        raise Busy

    with monkeypatch.context() as patch:
        patch.setattr(passwords, "find_form", refuse)
        for _ in range(LOGIN_BY_NAME.burst + 1):
            reader.log_in("bob")
            assert (reader.status, reader.headers["Retry-After"]) == (503, "5")
            assert "Many people are logging in" in reader.intro
    assert reader.log_in("bob").status == 303, "refused log-ins are not counted"


def test_strangers_do_not_lock_out_a_network_the_member_knows(app: Flask, bob: Browser) -> None:
    home, abroad = "198.51.100.7", "203.0.113.9"
    assert from_address(Browser(app), home).log_in("bob").status == 303
    stranger = from_address(Browser(app), abroad)
    for _ in range(LOGIN_BY_NAME.burst + 1):
        stranger.log_in("bob", WRONG)
    assert_too_fast(stranger, LOGIN_BY_NAME)
    assert_too_fast(from_address(Browser(app), "203.0.113.10").log_in("bob"), LOGIN_BY_NAME)
    assert from_address(Browser(app), home).log_in("bob").status == 303
    for _ in range(LOGIN_BY_NAME.burst):
        from_address(Browser(app), home).log_in("bob", WRONG)
    assert_too_fast(from_address(Browser(app), home).log_in("bob"), LOGIN_BY_NAME)


# by address


def test_only_failed_logins_from_an_address_are_counted(bob: Browser, new_browser: Browser, store: Store) -> None:
    for name, wrong in (("one", WRONG), ("two", "größer, tried in two forms")):
        assert new_browser.log_in(name, wrong).status == 422
        assert new_browser.log_in("bob").status == 303
        new_browser.log_out()
    assert use_up(store, LOGIN_BY_ADDRESS, "203.0.113.1") == LOGIN_BY_ADDRESS.burst - 2
    assert_too_fast(new_browser.log_in("bob"), LOGIN_BY_ADDRESS)


def test_failed_logins_from_an_ipv6_network_are_counted_once_each(
    bob: Browser, new_browser: Browser, store: Store
) -> None:
    for number in range(1, 4):
        from_address(new_browser, f"2001:db8:1:{number}::1")
        assert new_browser.log_in(f"another{number}", WRONG).status == 422
        assert new_browser.log_in("bob").status == 303
        new_browser.log_out()
    limit = WIDE_LIMITS[LOGIN_BY_ADDRESS.kind]
    assert use_up(store, limit, "2001:db8:1::/48") == limit.burst - 3
    assert_too_fast(new_browser.log_in("bob"), limit)
    assert from_address(new_browser, "2001:db8:2::1").log_in("bob").status == 303


def sign_up(app: Flask, name: str, address: str) -> Browser:
    """Sign up with an *address* in the header of the proxy."""
    browser = Browser(app).open("/signup")
    return browser.send("/signup", headers={ADDRESS_HEADER: address}, username=name, password=PASSWORD)


@pytest.mark.parametrize(
    ("address", "neighbour", "limit"),
    [
        ("198.51.100.1", "198.51.100.1", SIGNUP),
        ("198.51.100.1", "198.51.100.2", SIGNUP_BY_NETWORK),
        ("2001:db8:1:101::1", "2001:db8:1:102::1", SIGNUP_BY_NETWORK),
        ("2001:db8:1:100::1", "2001:db8:1:200::1", SIGNUP_BY_WIDE_NETWORK),
    ],
)
def test_signups_from_an_address_and_its_networks_are_limited(
    address: str, neighbour: str, limit: Limit, make_app: MakeApp, store: Store
) -> None:
    app = make_app(trusted_proxies=1)
    assert sign_up(app, "first", address).status == 303
    assert use_up(store, limit, network(address, limit.scope) or "") == limit.burst - 1
    late = sign_up(app, "late", neighbour)
    assert_too_fast(late, limit)
    assert late.value("username") == "late"
    assert store.users.find("late") is None


def test_refused_signup_is_not_counted(reader: Browser, store: Store) -> None:
    factories.user(store, "ann")
    for name, status in (("ann", 422), ("!", 422), ("bob", 303)):
        assert reader.fill_in("/signup", username=name, password=PASSWORD).status == status
    assert use_up(store, SIGNUP, "127.0.0.1") == SIGNUP.burst - 1


def test_password_reset_is_limited_and_lets_locked_out_members_in(reader: Browser, bob: Browser, store: Store) -> None:
    use_up(store, LOGIN_BY_NAME, "bob")
    link = f"/reset/{store.passwords.make_link('bob')}"
    reader.fill_in(link, new="another password")
    assert reader.log_in("bob", "another password").status == 303
    use_up(store, PASSWORD_RESET, "127.0.0.1")
    link = f"/reset/{store.passwords.make_link('bob')}"
    reader.log_out()
    assert_too_fast(reader.fill_in(link, new="a third password"), PASSWORD_RESET)


# the address behind a proxy


@pytest.mark.parametrize(
    ("proxies", "address", "clients"),
    [
        (0, "198.51.100.{}", 1),  # no proxy: the header is ignored
        (2, "198.51.100.7", 1),  # the last of the proxies names the visitor
        (1, "2001:db8:1:2::{}", 1),
        (1, "2001:db8:1:{}::1", 2),
        (1, "198.51.100.7,198.51.100.7", 0),
    ],
)
def test_address_is_taken_from_a_trusted_proxy_only(
    proxies: int, address: str, clients: int, make_app: MakeApp, store: Store
) -> None:
    reader = Browser(make_app(trusted_proxies=proxies))
    for number in (1, 2):
        reader.send("/login", headers={ADDRESS_HEADER: address.format(number)}, username="nobody", password=WRONG)
        assert reader.status == 422
    assert len(run(store, "KEYS", f"limit:{LOGIN_BY_ADDRESS.kind}-*")) == clients
