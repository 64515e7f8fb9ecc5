"""A site with mail, and the server that gets its mails."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from tests.smtp_server import SmtpServer
from tests.web.conftest import MakeApp
from voteweb.core.mail import PendingEmail, is_email
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.web.mail.sending import send_due_mails

Send = Callable[[], None]
Confirm = Callable[[User, str], None]
SITE = "https://news.example"


@pytest.fixture(scope="session")
def running_server() -> Iterator[SmtpServer]:
    """A server for all tests of this folder, so that they share an app."""
    server = SmtpServer()
    yield server
    server.close()


@pytest.fixture
def server(running_server: SmtpServer) -> SmtpServer:
    """The server that gets the mails; it has none yet."""
    running_server.reset()
    return running_server


@pytest.fixture
def app(make_app: MakeApp, server: SmtpServer) -> Flask:
    """A site that sends mail."""
    return make_app(
        mail_url=f"smtp://localhost:{server.port}", mail_from="news@news.example", site_url=SITE, site_name="News"
    )


@pytest.fixture
def send(app: Flask) -> Send:
    """A function that runs the job once."""

    def run() -> None:
        for _ in send_due_mails(app):
            pass

    return run


@pytest.fixture
def confirmed(store: Store) -> Confirm:
    """A function that gives a member a confirmed address."""

    def confirm(member: User, address: str) -> None:
        assert is_email(address)
        store.mail.request(member, address, "en")
        pending = store.read(store.mail.queue_account, member.name).pending
        assert isinstance(pending, PendingEmail)
        store.mail.confirm(member, pending)
        store.connection.run([("DEL", store.keys.outbox(), store.keys.mails())])

    return confirm
