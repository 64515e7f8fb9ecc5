"""Sending: a mail is sent once, whatever fails and however many send; all failures are retried, bounded and seen."""

import threading
import time
from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.smtp_server import SmtpServer
from tests.store.examination import run
from tests.store.test_site_switches import set_switch
from tests.web.browser import Browser
from tests.web.conftest import MakeApp
from tests.web.mail.conftest import SITE, Confirm, Send
from voteweb.core import config
from voteweb.core.mail import MailOutcome
from voteweb.core.models import Role
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.web.mail.sending import send_due_mails
from voteweb.web.monitoring import metrics
from voteweb.web.monitoring.metrics import Facts


class KilledError(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def reset_asked(store: Store, confirmed: Confirm) -> None:
    """Bob, who has an address, has asked for a new password."""
    confirmed(factories.user(store, "bob"), "bob@mail.example")
    store.mail.queue_reset("bob")


def make_due(store: Store) -> None:
    """End the pause or the claim of the mail."""
    run(store, "ZADD", "outbox:", 1, "reset bob")


def test_a_failed_mail_is_tried_again_and_seen_meanwhile(
    store: Store, app: Flask, server: SmtpServer, send: Send
) -> None:
    server.answers = {"MAIL": "451 try later"}
    send()
    send()
    status = store.mail.status()
    assert (status.ended[MailOutcome.FAILED], status.failure) == (1, "SMTPSenderRefused, the server answered 451")
    run(store, "HSET", "mail-status:", "failing", time.time() - config.MAIL_FAILING_SECONDS)
    health = Browser(app).open("/healthz").json or {}
    assert health["status"] == "degraded"
    assert any("451" in reason for reason in health["reasons"])
    text = metrics.render(Facts(mail=store.mail.status())).decode()
    assert 'voteweb_mails_total{outcome="failed"} 1.0' in text
    server.answers = {}
    make_due(store)
    send()
    assert len(server.mails) == 1
    assert store.mail.warnings() == []


def test_a_mail_is_dropped_after_the_last_attempt(store: Store, server: SmtpServer, send: Send) -> None:
    server.answers = {"EHLO": "", "HELO": ""}
    for _ in range(config.MAIL_TRIES):
        make_due(store)
        send()
    assert run(store, "EXISTS", "outbox:", "mails:") == 0
    assert store.mail.status().ended[MailOutcome.DROPPED] == 1


def test_an_address_that_is_refused_is_not_tried_again(
    store: Store, server: SmtpServer, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MAX_OUTBOX", 1)
    store.mail.queue_reset("eve")
    assert run(store, "ZRANGE", "outbox:", 0, -1) == ["reset bob"], "a full outbox takes no more"
    server.answers = {"RCPT": "550 no such user"}
    send()
    assert run(store, "EXISTS", "outbox:") == 0
    assert (store.mail.status().ended[MailOutcome.REFUSED], store.mail.status().failing) == (1, 0)


def test_a_kill_after_the_server_accepted_sends_a_copy(
    store: Store, server: SmtpServer, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(type(store.mail), "finish", kill)
        with pytest.raises(KilledError):
            send()
    send()
    assert len(server.mails) == 1, "another process waits for the end of the claim"
    make_due(store)
    send()
    assert len({mail["Message-ID"] for mail in server.mails}) == 1
    assert len(server.mails) == 2


def test_two_processes_send_each_mail_once(store: Store, app: Flask, server: SmtpServer, confirmed: Confirm) -> None:
    names = [f"member{number}" for number in range(20)]
    for name in names:
        confirmed(factories.user(store, name), f"{name}@mail.example")
    for name in names:
        store.mail.queue_reset(name)
    senders = [threading.Thread(target=list, args=[send_due_mails(app)]) for _ in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert sorted(mail["To"] for mail in server.mails) == sorted(f"{name}@mail.example" for name in names)


def test_a_password_is_sent_only_over_tls(store: Store, app: Flask, server: SmtpServer, send: Send) -> None:
    context, url = app.extensions["voteweb.store"].context, f"smtp://user:secret@localhost:{server.port}"
    context.put_in_force(replace(context.settings, mail_url=url))
    send()
    assert (server.logins, server.mails) == ([], [])
    assert store.mail.status().failure == "SMTPNotSupportedError"


def test_mails_come_from_the_name_that_admins_gave(store: Store, make_app: MakeApp, server: SmtpServer) -> None:
    app = make_app(mail_url=f"smtp://localhost:{server.port}", mail_from="news@news.example", site_url=SITE)
    set_switch(store, factories.user(store, "root", Role.ADMIN), SwitchName.NAME, "Ferry, Gazette")
    for _ in send_due_mails(app):
        pass
    (mail,) = server.mails
    assert (mail["From"], mail["Subject"]) == ('"Ferry, Gazette" <news@news.example>', "Ferry, Gazette: a new password")
