"""Former addresses: each gets a link that takes the next one away, and counts again only after a proof."""

import pytest
from flask import Flask

from tests.smtp_server import SmtpServer
from tests.store.examination import broken, run
from tests.web.browser import PASSWORD, Browser
from tests.web.limits import assert_too_fast
from tests.web.mail.conftest import Confirm, Send
from tests.web.mail.test_mail import ADDRESS, path_in
from voteweb.core import config
from voteweb.core.rate_limits import FORMER_ADDRESS
from voteweb.core.second_factor import new_nonce
from voteweb.store import Store

THIEF = "thief@evil.example"


def change(store: Store, address: str) -> None:
    """Make *address* that of bob, and leave the mails."""
    store.mail.request(store.users.get("bob"), address, "en")
    pending = store.read(store.mail.queue_account, "bob").pending
    assert pending
    store.mail.confirm(store.users.get("bob"), pending)


def address(store: Store) -> str:
    return store.read(store.mail.queue_account, "bob").email


@pytest.fixture
def link(store: Store, bob: Browser, server: SmtpServer, send: Send, confirmed: Confirm) -> str:
    """The path of the link that bob's address got when a thief put another one in its place."""
    confirmed(bob.user, ADDRESS)
    change(store, THIEF)
    send()
    (mail,) = server.mails
    server.reset()
    assert mail["To"] == ADDRESS
    return path_in(mail, "/mail/stop/")


def test_link_takes_the_new_address_away_and_nothing_else(
    link: str, app: Flask, store: Store, server: SmtpServer, send: Send
) -> None:
    reader = Browser(app).open(link)
    assert (reader.heading, address(store)) == (ADDRESS, THIEF)
    assert THIEF not in reader.text
    reader.send(link)
    assert (reader.location, address(store)) == (link, "")
    assert reader.follow().flashes == ["The account has no e-mail address any more."]
    assert "Take the new address away" not in reader.main
    send()
    assert [mail["To"] for mail in server.mails] == [THIEF]
    assert "/mail/stop/" not in server.mails[0].get_content(), "else the thief could take it away once more"
    assert broken(store) == []


@pytest.mark.site(limits=1)
def test_proofs_are_limited_apart_from_codes(link: str, app: Flask, store: Store) -> None:
    """Else whoever reads the former address could keep the member from logging in."""
    reader = Browser(app).open(link)
    for _ in range(FORMER_ADDRESS.burst):
        assert reader.send(link, proof="not this one").status == 422
    assert_too_fast(reader.send(link, proof=PASSWORD), FORMER_ADDRESS)


@pytest.mark.parametrize("proof", ["the password", "a recovery code", "a code of the app"])
def test_former_address_counts_again_after_a_proof(proof: str, link: str, app: Flask, store: Store) -> None:
    reader, nonce, bob = Browser(app).open(link), new_nonce(), store.users.get("bob")
    typed = {"the password": PASSWORD, "a recovery code": store.passwords.renew_codes(bob)[0]}.get(proof)
    if typed is None:
        run(store, "HSET", "user:bob", "second-factor", f"{nonce} 0")
        typed = store.second_factors.authenticator(bob, nonce).now()
    for wrong in ("", "not this one"):
        reader.send(link, proof=wrong)
        assert (reader.status, address(store)) == (422, THIEF)
    assert reader.send(link, proof=typed).location == "/recover/mail"
    assert address(store) == ADDRESS
    assert store.read(store.mail.queue_account, "bob").former == ()
    assert reader.open(link).status == 410
    assert store.read(store.passwords.queue_codes_left, "bob").number == (9 if proof == "a recovery code" else 10)


def test_no_further_change_gets_rid_of_the_link(link: str, app: Flask, store: Store) -> None:
    bob = store.users.get("bob")
    store.mail.remove(bob)
    for number in range(2 * config.MAX_FORMER_EMAILS):
        change(store, f"thief{number}@evil.example")
    store.users.set_password("bob", "the thief's hash")
    reader = Browser(app).open(link)
    reader.send(link)
    assert (reader.status, address(store)) == (303, "")
    assert run(store, "TTL", "former-mail:bob") <= config.FORMER_EMAIL_SECONDS


def test_link_ends_after_seven_days_and_with_the_account(
    link: str, bob: Browser, app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("voteweb.web.views.account.now", lambda: float("inf"))
        assert Browser(app).open(link).status == 410
    assert f'"former e-mail": [\n   "{ADDRESS}"' in bob.open("/account/data").text
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    assert (Browser(app).open(link).status, run(store, "EXISTS", "former-mail:bob")) == (410, 0)
