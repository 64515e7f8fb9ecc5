"""``voteweb mail``: a failure is told to those who run the site."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.smtp_server import SmtpServer


@pytest.fixture
def server() -> Iterator[SmtpServer]:
    server = SmtpServer()
    yield server
    server.close()


def test_a_failure_is_mailed_to_the_contact(invoke_alone: Invoke, server: SmtpServer) -> None:
    settings = {
        "VOTEWEB_MAIL_URL": f"smtp://localhost:{server.port}",
        "VOTEWEB_MAIL_FROM": "news@news.example",
        "VOTEWEB_SITE_URL": "https://news.example",
        "VOTEWEB_CONTACT": "mailto:root%40news.example?subject=News",
    }
    text = "The backup has failed: 原因\nBcc: eve@news.example"
    assert invoke_alone("mail", text, **settings).output == "Sent to root@news.example.\n"
    (sent,) = server.mails
    assert (sent["To"], sent["From"].addresses[0].addr_spec) == ("root@news.example", "news@news.example")
    assert (sent["Subject"], sent["Bcc"]) == (" ".join(text.split()), None)
    assert "https://news.example" in sent.get_content()
    for answer, reason in (("451 later", "the server answered 451"), ("550 nobody", "the server refuses the address")):
        server.answers = {"RCPT": answer}
        assert error_line(invoke_alone("mail", text, **settings)).endswith(f"was not sent: {reason}.")
    for contact in ("https://news.example/contact", "mailto:root", ""):
        refusal = error_line(invoke_alone("mail", text, **{**settings, "VOTEWEB_CONTACT": contact}))
        assert refusal.startswith("A mail needs VOTEWEB_MAIL_URL, and a VOTEWEB_CONTACT such as mailto:")
