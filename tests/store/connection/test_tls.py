"""TLS to one server: who is trusted, and what is said of files and servers that are not."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.certificates import LOCAL, Authority, Certificate
from tests.helpers import free_ports, needs, until
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.settings import Settings
from voteweb.store import open_store
from voteweb.store.connection import connection
from voteweb.store.connection.factory import open_connection

pytestmark = pytest.mark.heavy


@contextmanager
def server(folder: Path, *options: str) -> Iterator[int]:
    """Yield the port, for TLS only, of a server with *options*."""
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    (port,) = free_ports(1)
    ports = ("--tls-port", str(port), "--port", "0", "--bind", "127.0.0.1")
    process = subprocess.Popen(["redis-server", *ports, "--save", "", *options], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        until(lambda: _is_listening(port))
        yield port
    finally:
        process.kill()
        process.wait()


def _is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Site:
    """A server that demands certificates, of the authority that made its own, and what clients may have."""

    def __init__(self, folder: Path) -> None:
        self.authority, self.stranger = Authority(folder), Authority(folder, "stranger")
        self.certificate = self.authority.issue("server", *LOCAL)
        self.ours = self.authority.issue("ours")
        self.theirs = self.stranger.issue("theirs")
        self.other_host = self.authority.issue("other", "DNS:other.example")
        self.port = 0

    def files(self, certificate: Certificate | None) -> dict[str, Any]:
        """Return the settings of a client that trusts the server and has *certificate*."""
        return files(str(self.authority.file), *(map(str, certificate) if certificate else ()))


def files(authorities: str = "", certificate: str = "", key: str = "") -> dict[str, Any]:
    return {"redis_ca_file": authorities, "redis_certificate_file": certificate, "redis_key_file": key}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("tls")
    made = Site(folder)
    with server(folder, *made.certificate.server_options(made.authority)) as made.port:
        yield made


def failure(url: str, files: dict[str, Any]) -> str:
    """Return why the first attempt made no connection to *url*."""
    opened = open_connection(Settings(redis_url=url, redis_deadline=30.0, **files))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "RETRY_PAUSE_SECONDS", 60.0)
        with pytest.raises(Unavailable) as unavailable:
            opened.ping()
    opened.close()
    return str(unavailable.value.__cause__)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_server_with_a_valid_certificate_is_used(site: Site, host: str) -> None:
    store = open_store(Settings(redis_url=f"rediss://{host}:{site.port}", **site.files(site.ours)))
    assert store.health.is_empty()
    store.connection.close()


def test_a_server_of_an_unknown_authority_is_refused(site: Site) -> None:
    url = f"rediss://localhost:{site.port}"
    for authorities in ("", str(site.stranger.file)):
        assert "certificate verify failed" in failure(url, files(authorities))


def test_a_server_with_the_certificate_of_another_host_is_refused(site: Site, tmp_path: Path) -> None:
    options = [*site.other_host.server_options(site.authority)]
    with server(tmp_path, *options, "--tls-auth-clients", "no") as port:
        assert "certificate is not valid for" in failure(f"rediss://localhost:{port}", site.files(None))


def test_files_that_cannot_be_used_are_refused_at_the_opening(site: Site, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate")
    locked = tmp_path / "locked.key"
    encrypt = ["openssl", "ec", "-in", str(site.ours.key), "-out", str(locked), "-aes256", "-passout", "pass:secret"]
    subprocess.run(encrypt, check=True, capture_output=True)
    ours, theirs = (tuple(map(str, pair)) for pair in (site.ours, site.theirs))
    for given, message in (
        (("/nowhere", "", ""), "VOTEWEB_REDIS_CA_FILE, /nowhere, cannot be used: No such file or directory."),
        ((str(text), "", ""), f"VOTEWEB_REDIS_CA_FILE, {text}, cannot be used: .*no certificate"),
        (("", ours[0], theirs[1]), f"VOTEWEB_REDIS_CERTIFICATE_FILE, {ours[0]}, cannot be used: .*key values mismatch"),
        (("", ours[0], ""), f"VOTEWEB_REDIS_CERTIFICATE_FILE, {ours[0]}, cannot be used: .*PEM lib"),
        (("", ours[0], str(locked)), "has a passphrase"),
        (("", "", ours[1]), "VOTEWEB_REDIS_KEY_FILE requires VOTEWEB_REDIS_CERTIFICATE_FILE"),
    ):
        with pytest.raises(ConfigError, match=message):
            open_connection(Settings(redis_url="rediss://localhost", **files(*given)))
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_CA_FILE requires a VOTEWEB_REDIS_URL that begins with rediss"):
        open_connection(Settings(redis_url="redis://localhost", **site.files(None)))
    for option in ("ssl_cert_reqs=perhaps", "ssl_no_such_option=1"):
        with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
            open_connection(Settings(redis_url=f"rediss://localhost?{option}"))
