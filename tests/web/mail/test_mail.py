"""Mail: addresses are confirmed and passwords reset, as a member with a mail program sees it."""

import re
from email.message import EmailMessage

import pytest
from flask import Flask

from tests import factories
from tests.smtp_server import SmtpServer
from tests.store.examination import broken, run
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp, MakeBrowser, MakeMember
from tests.web.mail.conftest import Confirm, Send
from voteweb.core import passwords
from voteweb.store import Store

ADDRESS = "bob@mail.example"
OWN_PASSWORD = {"own-password": PASSWORD}


def give(member: Browser, address: str) -> Browser:
    """Have *address* sent a link, with the password of PASSWORD."""
    return member.fill_in("/account/mail", email=address, **OWN_PASSWORD)


def path_in(mail: EmailMessage, beginning: str) -> str:
    """Return the path of the link in *mail* that begins so."""
    found = re.search(rf"https://news\.example({beginning}\S+)", mail.get_content())
    assert found
    return found[1]


def test_an_address_is_confirmed_by_its_link_once(store: Store, bob: Browser, server: SmtpServer, send: Send) -> None:
    give(bob, ADDRESS)
    send()
    (mail,) = server.mails
    assert (mail["To"], mail["From"]) == (ADDRESS, "News <news@news.example>")
    assert mail.get_content_type() == "text/plain"
    path = path_in(mail, "/account/mail/confirm/")
    assert bob.client.head(path, base_url=bob.site).status_code == 200
    assert store.read(store.mail.queue_account, "bob").email == ""
    bob.fill_in(path)
    assert store.read(store.mail.queue_account, "bob").email == ADDRESS
    assert bob.open(path).status == 410
    send()
    assert len(server.mails) == 1


def test_links_confirm_no_other_members_address_and_none_too_late(
    make_member: MakeMember, bob: Browser, server: SmtpServer, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(bob, ADDRESS)
    send()
    eve = make_member("eve")
    give(eve, "eve@mail.example")
    path = path_in(server.mails[0], "/account/mail/confirm/")
    assert (eve.open(path).status, bob.open(path).status) == (410, 200)
    monkeypatch.setattr("voteweb.web.views.account.now", lambda: float("inf"))
    assert bob.open(path).status == 410


def test_no_address_can_add_a_header(bob: Browser, store: Store) -> None:
    injected = "bob@mail.example\r\nBcc: eve@x.example"
    for typed in ("bob", "bob@mail", "a b@mail.example", injected, "é@mail.example", "x" * 9999):
        bob.fill_in("/account/mail", email=typed)
        assert bob.status == 422, typed
        assert bob.page.by_id("email")["value"].split() == typed.split(), "what was typed is kept"
        assert store.read(store.mail.queue_account, "bob").pending is None, typed


def test_a_new_password_is_set_by_a_mailed_link(
    store: Store, make_member: MakeMember, app: Flask, server: SmtpServer, send: Send, confirmed: Confirm
) -> None:
    make_member("bob")
    confirmed(store.users.get("bob"), ADDRESS)
    reader = Browser(app)
    reader.fill_in("/recover/mail", username="Bob")
    send()
    path = path_in(server.mails[0], "/reset/")
    reader.fill_in(path, new="another horse battery")
    assert reader.log_in("bob", "another horse battery").location == "/"


def test_asking_for_a_password_tells_nothing_of_addresses(
    store: Store, make_member: MakeMember, app: Flask, server: SmtpServer, send: Send, confirmed: Confirm
) -> None:
    make_member("bob")
    confirmed(factories.user(store, "eve"), "eve@mail.example")
    pages, commands = set(), []
    Browser(app).open("/")  # reads the switches
    for name in ("eve", "bob", "nobody"):
        before = int(store.connection.client.info("commandstats")["cmdstat_evalsha"]["calls"])
        page = Browser(app).fill_in("/recover/mail", username=name)
        pages.add((page.status, page.intro))
        commands.append(int(store.connection.client.info("commandstats")["cmdstat_evalsha"]["calls"]) - before)
    assert len(pages) == 1
    assert len(set(commands)) == 1
    send()
    assert [mail["To"] for mail in server.mails] == ["eve@mail.example"]
    assert run(store, "ZCARD", "outbox:") == 0


def test_no_other_page_nor_site_without_mail_shows_an_address(
    store: Store, bob: Browser, ann: Browser, make_browser: MakeBrowser, confirmed: Confirm
) -> None:
    confirmed(bob.user, ADDRESS)
    assert ADDRESS in bob.open("/account/mail").text
    assert ADDRESS in bob.open("/account/data").text
    for path in ("/u/bob", "/account/mail", "/account/data"):
        assert ADDRESS not in ann.open(path).text
    plain = make_browser().start_session(bob.user)
    assert [plain.open(path).status for path in ("/account/mail", "/recover/mail")] == [404, 404]
    assert "mail" not in plain.open("/account").text.lower()


def test_an_address_is_removed_with_its_mails_and_the_account(store: Store, bob: Browser, confirmed: Confirm) -> None:
    confirmed(bob.user, ADDRESS)
    store.mail.queue_reset("bob")
    bob.open("/account/mail").submit("/account/mail/remove", **{"own-password": PASSWORD})
    assert not any("email" in field for field in run(store, "HKEYS", "user:bob"))
    assert run(store, "ZRANGE", "outbox:", 0, -1) == [f"changed bob en {ADDRESS}"]
    confirmed(bob.user, ADDRESS)
    store.mail.queue_reset("bob")
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    assert not any("email" in field for field in run(store, "HKEYS", "user:bob"))
    assert run(store, "EXISTS", "outbox:", "mails:") == 0


def test_an_address_is_removed_and_changed_only_after_the_password(
    store: Store, bob: Browser, confirmed: Confirm
) -> None:
    confirmed(bob.user, ADDRESS)
    assert bob.fill_in("/account/mail", email="eve@mail.example").status == 403
    assert bob.open("/account/mail").submit("/account/mail/remove").status == 403
    account = store.read(store.mail.queue_account, "bob")
    assert (account.email, account.pending) == (ADDRESS, None)
    bob.submit("/account/mail/remove", **{"own-password": PASSWORD})
    assert store.read(store.mail.queue_account, "bob").email == ""


@pytest.mark.parametrize(("is_removed", "said"), [(False, "another address"), (True, "was removed from your account")])
def test_the_address_that_was_the_members_is_told(
    store: Store, bob: Browser, server: SmtpServer, send: Send, confirmed: Confirm, is_removed: bool, said: str
) -> None:
    confirmed(bob.user, ADDRESS)
    if is_removed:
        bob.open("/account/mail").submit("/account/mail/remove", **{"own-password": PASSWORD})
    else:
        give(bob, "eve@mail.example")
        send()
        path = path_in(server.mails.pop(), "/account/mail/confirm/")
        bob.fill_in(path)
    server.reset()
    assert broken(store) == []
    send()
    (mail,) = server.mails
    assert mail["To"] == ADDRESS
    assert said in mail.get_content()
    assert "eve" not in mail.get_content()
    send()
    assert len(server.mails) == 1


def test_links_for_passwords_and_mails_to_one_address_are_limited(make_app: MakeApp, app: Flask, store: Store) -> None:
    settings = app.extensions["voteweb.store"].context.settings
    mail = {name: getattr(settings, name) for name in ("mail_url", "mail_from", "site_url", "site_name")}
    limited = make_app(**mail, limits=1)
    reader, answers = Browser(limited), []
    for name in ("bob", "bob", "bob", "Bob", "eve"):
        answers.append(reader.fill_in("/recover/mail", username=name).status)
    assert answers == [200, 200, 200, 429, 200]
    assert run(store, "ZRANGE", "outbox:", 0, -1) == ["reset bob", "reset eve"]
    answers.clear()
    password_hash = passwords.hash_password(PASSWORD)
    for at in range(6):
        eve = factories.user(store, f"eve{at}", password_hash=password_hash)
        browser = Browser(limited).start_session(eve).open("/account/mail")
        typed = ADDRESS if at % 2 else ADDRESS.upper()
        answers.append(browser.submit("/account/mail", email=typed, **OWN_PASSWORD).status)
    assert answers == [303] * 5 + [429]
    assert run(store, "ZCARD", "outbox:") == 2 + 5


def test_stranger_without_account_has_an_address_forgotten(
    store: Store, bob: Browser, app: Flask, server: SmtpServer, send: Send
) -> None:
    give(bob, "stranger@mail.example")
    send()
    path, stranger = path_in(server.mails[0], "/mail/stop/"), Browser(app)
    assert "for the account bob" in stranger.open(path).intro
    assert store.read(store.mail.queue_account, "bob").pending, "programs that read mail open links"
    assert stranger.submit(path).location == "/"
    assert store.read(store.mail.queue_account, "bob").pending is None
    assert bob.open(path_in(server.mails[0], "/account/mail/confirm/")).status == 410
    assert [stranger.open(path).status, stranger.open(f"{path[:-1]}x").status] == [410, 410]
