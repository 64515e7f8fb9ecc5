"""A stolen session gives no way back after a new password; one page lists and ends all that lets a member in."""

import pyotp
import pytest

from tests.store.examination import run
from tests.store.test_programs import give_token, programs
from tests.web.auth.test_open_sessions import copy_of
from tests.web.auth.test_recovery import codes_on
from tests.web.auth.test_second_factor import set_up
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp
from tests.web.dom import fields_of
from voteweb.core.comments import AccountChange
from voteweb.core.mail import PendingEmail
from voteweb.core.second_factor import new_nonce
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed

PAGE, NEW = "/account/access", "another long password"
OWN_PASSWORD = {"own-password": PASSWORD}
MAIL = {"mail_url": "smtp://localhost:9", "mail_from": "news@news.example", "site_url": "http://localhost"}


def sections(browser: Browser) -> dict[str, str]:
    """Return the text of each section of the page, by its heading."""
    return {part.one("h2").text: part.text for part in browser.open(PAGE).page.one("main").all("section")}


@pytest.fixture
def bob(make_app: MakeApp, bob: Browser) -> Browser:
    """A member of a site with mail."""
    return Browser(make_app(**MAIL)).log_in("bob")


@pytest.mark.parametrize("has_factor", [False, True])
def test_a_stolen_session_gives_no_way_back(has_factor: bool, bob: Browser, reader: Browser, store: Store) -> None:
    nonce = new_nonce()
    if has_factor:
        run(store, "HSET", "user:bob", "second-factor", f"{nonce} 0")
    thief, before = copy_of(bob), store.users.get("bob")
    shown = thief.open("/account/second-factor").page.all("code")
    for path, fields in (
        ("/account/recovery-codes", {}),
        ("/account/mail", {"email": "thief@evil.example"}),
        ("/account/second-factor", {"code": pyotp.TOTP(shown[0].text.replace(" ", "")).now() if shown else "123456"}),
        ("/account/second-factor/off", {"code": "123456"}),
        ("/inbox/feed", {"act": "renew"}),
        ("/saved/feed", {"act": "renew"}),
        ("/account/programs", {"name": "bot", "rights": "read", "days": "7"}),
        ("/account", {"new": NEW}),
    ):
        for guess in ({}, {"own-password": "guess", "password": "guess", "old": "guess"}):
            assert thief.send(path, **fields, **guess).status in (303, 403, 422), path
    assert (store.users.get("bob"), programs(store)) == (before, [])
    bob.fill_in("/account", old=PASSWORD, new=NEW)
    assert not thief.is_logged_in()
    assert reader.log_in("bob").status == 422
    assert reader.log_in("bob", NEW).location == ("/login/second-factor?next=/" if has_factor else "/")


def test_a_new_password_leads_to_all_that_still_lets_in(bob: Browser, reader: Browser, store: Store) -> None:
    app, former = set_up(bob, store, "bob"), PendingEmail(4_000_000_000, "nonce", "bob@former.example")
    run(store, "HSET", "user:bob", "email", "bob@mail.example")
    run(store, "SET", "former-mail:bob", str(former))
    store.passwords.renew_codes(store.users.get("bob"))
    for feed in SecretFeed:
        store.feeds.renew(feed, store.users.get("bob"))
    give_token(store, store.users.get("bob"), name="a bot")
    reader.log_in("bob").follow().submit("/login/second-factor", code=app.now())
    parts = sections(bob)
    assert parts["Where you are logged in"].count("Log out :") == 3
    assert "Withdraw the address" in parts["Secret addresses of feeds"]
    assert "a bot, until " in parts["Programs"]
    assert bob.fill_in("/account", old=PASSWORD, new=NEW).location == PAGE
    assert bob.follow().flashes == ["Your password has been changed. Here is all that lets you in now."]
    parts = sections(bob)
    assert list(parts) == [
        "Where you are logged in",
        "Recovery codes",
        "Second factor",
        "Mail",
        "Programs",
        "Secret addresses of feeds",
    ]
    assert "Withdraw" not in parts["Secret addresses of feeds"] + parts["Programs"]
    assert parts["Where you are logged in"].count("Log out :") == 1
    assert "Left: 0 recovery codes." in parts["Recovery codes"]
    assert "Your second factor is on" in parts["Second factor"]
    assert "go to bob@mail.example." in parts["Mail"]
    assert "your former address bob@former.example" in parts["Mail"]
    assert len(codes_on(bob.submit("/account/recovery-codes", **{"own-password": NEW}))) == 10
    assert PAGE in bob.page.values("href", "a", class_="button")


def test_everything_on_the_page_ends_by_its_button(bob: Browser, store: Store) -> None:
    user = store.users.get("bob")
    store.passwords.renew_codes(user)
    feeds = {feed: store.feeds.renew(feed, user) for feed in SecretFeed}
    give_token(store, user)
    pending, former = (PendingEmail(4_000_000_000, nonce, "b@old.example") for nonce in ("pending", "former"))
    run(store, "HSET", "user:bob", "email", "bob@mail.example", "email-pending", str(pending))
    run(store, "SET", "former-mail:bob", str(former))
    for labels in ("End these codes", "End the link", "End the link", *["Withdraw"] * 3, "Remove my address"):
        forms = bob.open(PAGE).page.one("main").all("form")
        form = next(form for form in forms if form.all("button")[0].text.startswith(labels))
        bob.post(form["action"], fields_of(form) | OWN_PASSWORD)
        assert bob.location.partition("#")[0] == PAGE
    assert programs(store) == []
    assert not any(store.feeds.name_of(feed, token) for feed, token in feeds.items())
    account = store.read(store.mail.queue_account, "bob")
    assert (account.email, account.pending, [link.address for link in account.former]) == (
        "",
        None,
        ["bob@mail.example"],
    )
    assert store.read(store.passwords.queue_codes_left, "bob").number == 0


def test_the_inbox_tells_each_change_of_the_account(bob: Browser, store: Store) -> None:
    set_up(bob, store, "bob")
    run(store, "HSET", "user:bob", "email", "bob@mail.example")
    codes = codes_on(bob.fill_in("/account/recovery-codes", **OWN_PASSWORD))
    bob.open("/account/second-factor").submit("/account/second-factor/off", password=PASSWORD, code=codes[0])
    bob.open(PAGE).submit("/inbox/feed", act="renew", **OWN_PASSWORD)
    bob.fill_in("/account/programs", name="bot", rights=["read"], days="7", **OWN_PASSWORD)
    bob.open(PAGE).submit(f"/account/programs/{programs(store)[0].digest}/withdraw")
    store.mail.request(store.users.get("bob"), "new@mail.example", "en")
    pending = store.read(store.mail.queue_account, "bob").pending
    assert pending
    store.mail.confirm(store.users.get("bob"), pending)
    bob.open("/account/mail").submit("/account/mail/remove", **OWN_PASSWORD)
    bob.fill_in("/account", old=PASSWORD, new=NEW)
    notices = store.read(store.inbox.queue_page, "bob", 1).rows
    told = [notice.change for notice in notices]
    assert set(told) == set(AccountChange)
    assert told[0] is AccountChange.PASSWORD
    heads = bob.open("/inbox").page.texts("h2", class_="notice-head")
    assert len(heads) == len(AccountChange)
    assert heads[0].startswith("Unread: Your password was changed, ")
    assert "If that was not you, change your password. What lets you in" in heads[0]
