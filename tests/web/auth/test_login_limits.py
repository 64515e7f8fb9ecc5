"""Rate limits of log-ins, which count failed attempts under a name and from an address; of joining and resets."""

import pytest
from flask import Flask

from tests import factories
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
    Limit,
)
from voteweb.store import Store

pytestmark = pytest.mark.site(limits=1)

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


@pytest.mark.parametrize("name", ["bob", "BOB", " bob ", "nobody", "no name at all", "x" * 5_000, ""])
def test_failed_logins_under_a_name_are_limited(name: str, bob: Browser, reader: Browser, new_browser: Browser) -> None:
    for _ in range(LOGIN_BY_NAME.burst):
        assert reader.log_in(name, WRONG).status == 422
    for password in (WRONG, PASSWORD):
        new_browser.log_in(name, password)
        assert_too_fast(new_browser, LOGIN_BY_NAME)
        assert new_browser.page.one("input", name="username")["value"] == name
    assert new_browser.log_in("another", WRONG).status == 422


def test_member_can_log_in_where_they_have_logged_in_before(
    known_browser: Browser, new_browser: Browser, store: Store
) -> None:
    use_up(store, LOGIN_BY_NAME, "bob")
    assert known_browser.log_in("bob").location == "/"
    assert_too_fast(new_browser.log_in("bob"), LOGIN_BY_NAME)


def test_known_browser_has_its_own_limit(known_browser: Browser, new_browser: Browser) -> None:
    for _ in range(LOGIN_BY_NAME.burst):
        assert known_browser.log_in("bob", WRONG).status == 422
    assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)
    assert new_browser.log_in("bob").status == 303, "other browsers are not affected"


def test_browser_is_known_only_to_its_own_member(ann: Browser, known_browser: Browser, store: Store) -> None:
    known_browser.log_in("ann").log_out()
    use_up(store, LOGIN_BY_NAME, "bob")
    from_address(known_browser, "203.0.113.1")
    assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)
    for forged in ("", "x", "WyJib2IiLCJ4Il0", "WyJib2IiLCJ4Il0.c2lnbmF0dXJl", "é" * 500):
        known_browser.client.set_cookie("known", forged, path="/login")
        assert_too_fast(known_browser.log_in("bob"), LOGIN_BY_NAME)


def test_password_reset_lets_a_locked_out_member_in(bob: Browser, reader: Browser, store: Store) -> None:
    use_up(store, LOGIN_BY_NAME, "bob")
    link = f"/reset/{store.passwords.make_link('bob')}"
    reader.open(link).submit(link, new="another password")
    assert reader.log_in("bob", "another password").status == 303


def test_login_while_passwords_are_hashed_says_when_to_retry(
    bob: Browser, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: str) -> bool:
        raise Busy

    with monkeypatch.context() as patch:
        patch.setattr(passwords, "verify", refuse)
        for _ in range(LOGIN_BY_NAME.burst + 1):
            reader.log_in("bob")
            assert (reader.status, reader.response.headers["Retry-After"]) == (503, "5")
            assert "Many people are logging in" in reader.intro
    assert reader.log_in("bob").status == 303, "refused log-ins are not counted"


def test_form_of_another_site_is_not_counted(bob: Browser, store: Store) -> None:
    fields = {"csrf_token": bob.csrf_token(), "old": WRONG, "new": WRONG}
    for _ in range(10):
        assert bob.post("/account", fields, headers={"Origin": "https://evil.example"}).status == 403
    assert bob.post("/account", fields).status == 422


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


def test_failed_logins_from_an_address_are_limited(bob: Browser, reader: Browser, new_browser: Browser) -> None:
    for number in range(LOGIN_BY_ADDRESS.burst):
        assert reader.log_in(f"name{number}", WRONG).status == 422
    assert_too_fast(from_address(new_browser, "127.0.0.1").log_in("bob"), LOGIN_BY_ADDRESS)


def test_successful_login_is_not_counted_and_resets_nothing(
    bob: Browser, reader: Browser, new_browser: Browser
) -> None:
    for _ in range(LOGIN_BY_ADDRESS.burst + 5):
        assert reader.log_in("bob").status == 303
        reader.log_out()
    for number in range(LOGIN_BY_ADDRESS.burst):
        assert new_browser.log_in(f"name{number}", WRONG).status == 422
        if reader.log_in("bob").status == 303:
            reader.log_out()
    assert_too_fast(new_browser.log_in("one-more", WRONG), LOGIN_BY_ADDRESS)


def test_signups_from_an_address_are_limited(app: Flask, store: Store) -> None:
    for number in range(SIGNUP.burst):
        browser = Browser(app).open("/signup").submit("/signup", username=f"name{number}", password=PASSWORD)
        assert browser.status == 303
    late = Browser(app).open("/signup").submit("/signup", username="late", password=PASSWORD)
    assert_too_fast(late, SIGNUP)
    assert late.page.one("input", name="username")["value"] == "late"
    assert store.users.find("late") is None


@pytest.mark.parametrize(
    ("address", "limit"),
    [
        ("198.51.100.{}", SIGNUP_BY_NETWORK),
        ("2001:db8:1:1{:02x}::1", SIGNUP_BY_NETWORK),
        ("2001:db8:1:{:x}00::1", SIGNUP_BY_WIDE_NETWORK),
    ],
)
def test_signups_from_a_network_are_limited(address: str, limit: Limit, make_app: MakeApp) -> None:
    app = make_app(trusted_proxies=1)
    for number in range(limit.burst + 1):
        browser = Browser(app).open("/signup")
        fields = {"username": f"name{number}", "password": PASSWORD, "csrf_token": browser.csrf_token()}
        browser.post("/signup", fields, headers={ADDRESS_HEADER: address.format(number + 1)})
        assert browser.status == (303 if number < limit.burst else 429), number
    assert_too_fast(browser, limit)


def test_refused_signup_is_not_counted(reader: Browser, store: Store) -> None:
    factories.user(store, "ann")
    for _ in range(SIGNUP.burst + 1):
        for name in ("ann", "!"):
            assert reader.open("/signup").submit("/signup", username=name, password=PASSWORD).status == 422
    assert reader.submit("/signup", username="bob", password=PASSWORD).status == 303


def test_password_resets_from_an_address_are_limited(reader: Browser, bob: Browser, store: Store) -> None:
    use_up(store, PASSWORD_RESET, "127.0.0.1")
    link = f"/reset/{store.passwords.make_link('bob')}"
    assert_too_fast(reader.open(link).submit(link, new="another password"), PASSWORD_RESET)
    assert reader.log_in("bob", PASSWORD).status == 303


# the address behind a proxy


def login_statuses(app: Flask, *addresses: str) -> list[int]:
    """Return the status of one failed log-in with each of *addresses* in the header of the proxy."""
    reader = Browser(app).open("/login")
    token = reader.page.one("input", name="csrf_token")["value"]
    statuses = []
    for number, address in enumerate(addresses):
        fields = {"username": f"name{number}", "password": "x", "csrf_token": token}
        statuses.append(reader.post("/login", fields, headers={ADDRESS_HEADER: address}).status)
    return statuses


@pytest.mark.parametrize(
    ("proxies", "address", "is_one_client"),
    [
        (0, "198.51.100.{}", True),  # no proxy: the header is ignored
        (1, "198.51.100.{}", False),
        (1, "198.51.100.7", True),
        (2, "198.51.100.7", True),  # the last of the proxies names the visitor
        (1, "2001:db8:1:2::{}", True),
        (1, "2001:db8:1:{}::1", False),
        (1, "", False),  # of a proxy that names nobody, no address is counted
        (1, "unknown", False),
        (1, "198.51.100.7,198.51.100.7", False),
    ],
)
def test_address_is_taken_from_a_trusted_proxy_only(
    proxies: int, address: str, is_one_client: bool, make_app: MakeApp
) -> None:
    app = make_app(trusted_proxies=proxies)
    statuses = login_statuses(app, *(address.format(number) for number in range(1, LOGIN_BY_ADDRESS.burst + 2)))
    assert statuses == [422] * LOGIN_BY_ADDRESS.burst + [429 if is_one_client else 422]


def test_nothing_is_refused_without_limits(make_app: MakeApp) -> None:
    count = LOGIN_BY_ADDRESS.burst + 5
    assert login_statuses(make_app(limits=0), *["x"] * count) == [422] * count
