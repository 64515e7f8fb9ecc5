"""``voteweb jobs`` on a site with mail: it sends what waits, and a password only to a server that it can trust.

``voteweb mail`` tells those who run the site of a failure.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import factories
from tests.certificates import Authority
from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.site_process import SECRET, run_voteweb
from tests.smtp_server import SmtpServer
from tests.store.examination import run
from voteweb.core.mail import MailOutcome
from voteweb.store import Store


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def server(authority: Authority) -> Iterator[SmtpServer]:
    """A server that offers STARTTLS."""
    server = SmtpServer(authority.issue("mail", "DNS:localhost"))
    yield server
    server.close()


@pytest.mark.heavy
@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_job_sends_over_tls_to_a_trusted_server(
    store: Store, server_url: str, server: SmtpServer, authority: Authority, is_trusted: bool
) -> None:
    factories.user(store, "bob")
    run(store, "HSET", "user:bob", "email", "bob@mail.example")
    store.mail.queue_reset("bob")
    result = run_voteweb(
        "jobs",
        "--once",
        VOTEWEB_REDIS_URL=server_url,
        VOTEWEB_SITE_URL="https://news.example",
        VOTEWEB_MAIL_URL=f"smtp://news%40x:pass%3Aword@localhost:{server.port}",
        VOTEWEB_MAIL_FROM="news@news.example",
        **SECRET,
        **({"SSL_CERT_FILE": str(authority.file)} if is_trusted else {}),
    )
    assert result[0] == 0
    assert "pass" not in result[1] + result[2]
    assert len(server.mails) == len(server.logins) == is_trusted
    assert store.mail.status().ended[MailOutcome.SENT if is_trusted else MailOutcome.FAILED] == 1


def test_a_failure_is_mailed_to_the_contact(
    invoke_alone: Invoke, server: SmtpServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
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
