"""``voteweb jobs`` on a site with mail: it sends what waits, and a password only to a server that it can trust."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import factories
from tests.helpers import needs
from tests.site_process import SECRET, run_voteweb
from tests.smtp_server import SmtpServer
from tests.store.examination import run
from voteweb.core.mail import MailOutcome
from voteweb.store import Store


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A new certificate of this machine, and its key, in one file."""
    needs(shutil.which("openssl"), "openssl")
    file, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    options = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *options, "-keyout", key, "-out", file]
    subprocess.run(command, check=True, capture_output=True)
    file.write_text(file.read_text() + key.read_text())
    return file


@pytest.fixture
def server(certificate: Path) -> Iterator[SmtpServer]:
    """A server that offers STARTTLS."""
    server = SmtpServer(str(certificate))
    yield server
    server.close()


@pytest.mark.heavy
@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_job_sends_over_tls_to_a_trusted_server(
    store: Store, server_url: str, server: SmtpServer, certificate: Path, is_trusted: bool
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
        **({"SSL_CERT_FILE": str(certificate)} if is_trusted else {}),
    )
    assert result[0] == 0
    assert "pass" not in result[1] + result[2]
    assert len(server.mails) == len(server.logins) == is_trusted
    assert store.mail.status().ended[MailOutcome.SENT if is_trusted else MailOutcome.FAILED] == 1
