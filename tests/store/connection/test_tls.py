"""TLS to one server: who is trusted, and what is said of files and servers that are not."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.certificates import LOCAL, Authority, Certificate
from tests.helpers import free_ports, needs, until
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store import open_store
from voteweb.store.connection import tls
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.tls import NO_FILES, TlsFiles


@contextmanager
def server(folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """Yield the ports, with and without TLS, of a server with *options*."""
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    secure, plain = free_ports(2)
    ports = ("--tls-port", str(secure), "--port", str(plain), "--bind", "127.0.0.1")
    process = subprocess.Popen(["redis-server", *ports, "--save", "", *options], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        until(lambda: _is_listening(secure) and _is_listening(plain))
        yield secure, plain
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
        self.expired = self.authority.issue("expired", *LOCAL, days=-1)
        self.other_host = self.authority.issue("other", "DNS:other.example")
        self.secure = self.plain = 0

    def options(self, certificate: Certificate | None = None) -> list[str]:
        return [*(certificate or self.certificate).server_options(self.authority)]

    def files(self, certificate: Certificate | None) -> TlsFiles:
        """Return the files of a client that trusts the server and has *certificate*."""
        return TlsFiles(str(self.authority.file), *(map(str, certificate) if certificate else ()))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("tls")
    made = Site(folder)
    with server(folder, *made.options()) as (made.secure, made.plain):
        yield made


def failure(url: str, files: TlsFiles) -> str:
    """Return why there is no connection to *url*, and what is said about it."""
    connection = open_connection(url, 0.3, files=files)
    with pytest.raises(Unavailable) as unavailable:
        connection.ping()
    connection.close()
    return f"{unavailable.value.__cause__} {tls.advice(url, unavailable.value.__cause__)}"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_server_with_a_valid_certificate_is_used(site: Site, host: str) -> None:
    names = ("redis_ca_file", "redis_certificate_file", "redis_key_file")
    files: dict[str, Any] = dict(zip(names, site.files(site.ours), strict=True))
    store = open_store(Settings(redis_url=f"rediss://{host}:{site.secure}", **files))
    assert store.server_info.is_empty()
    store.connection.close()


def test_a_server_of_an_unknown_authority_is_refused(site: Site) -> None:
    url = f"rediss://localhost:{site.secure}"
    for files in (TlsFiles(), TlsFiles(str(site.stranger.file))):
        assert "VOTEWEB_REDIS_CA_FILE trusts the authority" in failure(url, files)
    # The file has the authority that signed the server's certificate, but not the one above it.
    assert "of those above it" in tls.advice(url, "certificate verify failed: unable to get issuer certificate")


@pytest.mark.parametrize(
    ("name", "advice"), [("expired", "Renew the certificate of the server"), ("other_host", "(subjectAltName)")]
)
def test_a_server_with_a_wrong_certificate_is_refused(site: Site, tmp_path: Path, name: str, advice: str) -> None:
    with server(tmp_path, *site.options(getattr(site, name)), "--tls-auth-clients", "no") as (port, _):
        for host in ("localhost", "127.0.0.1"):
            assert advice in failure(f"rediss://{host}:{port}", site.files(None))


@pytest.mark.parametrize("versions", ["TLSv1.2", "TLSv1.3"])
def test_a_client_needs_a_certificate_that_the_server_trusts(site: Site, tmp_path: Path, versions: str) -> None:
    with server(tmp_path, *site.options(), "--tls-protocols", versions) as (port, _):
        url = f"rediss://localhost:{port}"
        for certificate in (None, site.theirs):
            assert "If the server demands certificates, name one" in failure(url, site.files(certificate))


def test_a_port_of_the_other_kind_is_named(site: Site) -> None:
    assert "only TLS at this port? Then write rediss://." in failure(f"redis://localhost:{site.secure}", TlsFiles())
    assert "Without TLS, write redis://." in failure(f"rediss://localhost:{site.plain}", site.files(None))


def test_new_connections_read_the_files_again(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    shutil.copy(site.stranger.file, file)
    files = site.files(site.ours)._replace(authorities=str(file))
    connection = open_connection(f"rediss://localhost:{site.secure}", 0.3, files=files)
    with pytest.raises(Unavailable):
        connection.ping()
    shutil.copy(site.authority.file, file)
    connection.ping()
    connection.close()


def test_files_that_cannot_be_used_are_refused_at_the_opening(site: Site, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate")
    locked = tmp_path / "locked.key"
    encrypt = ["openssl", "ec", "-in", str(site.ours.key), "-out", str(locked), "-aes256", "-passout", "pass:secret"]
    subprocess.run(encrypt, check=True, capture_output=True)
    old_authority = site.authority.issue("old", days=-1, is_authority=True)
    ours, expired, theirs = (tuple(map(str, pair)) for pair in (site.ours, site.expired, site.theirs))
    for files, message in (
        (("/nowhere", "", ""), "VOTEWEB_REDIS_CA_FILE, /nowhere, cannot be used: No such file or directory."),
        ((str(text), "", ""), "it has no certificate in PEM"),
        ((str(old_authority.file), "", ""), "it has expired"),
        (("", *expired), "VOTEWEB_REDIS_CERTIFICATE_FILE, .*expired.crt, cannot be used: certificate has expired"),
        (("", ours[0], theirs[1]), "it is not the key of VOTEWEB_REDIS_CERTIFICATE_FILE"),
        (("", ours[0], ""), "has not what is needed in PEM"),
        (("", ours[0], str(locked)), "has a passphrase"),
        (("", "", ours[1]), "VOTEWEB_REDIS_KEY_FILE requires VOTEWEB_REDIS_CERTIFICATE_FILE"),
    ):
        with pytest.raises(ConfigError, match=message):
            open_connection("rediss://localhost", 1.0, files=TlsFiles(*files))
    with pytest.raises(ConfigError, match="VOTEWEB_REDIS_CA_FILE requires a VOTEWEB_REDIS_URL that begins with rediss"):
        open_connection("redis://localhost", 1.0, files=site.files(None))
    for option in ("ssl_cert_reqs=perhaps", "ssl_no_such_option=1"):
        with pytest.raises(ConfigError, match="VOTEWEB_REDIS_URL"):
            open_connection(f"rediss://localhost?{option}", 1.0)


def test_the_end_of_our_certificate_is_warned_of(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict(zip(("redis_ca_file", "redis_certificate_file", "redis_key_file"), site.files(site.ours), strict=True))
    store = open_store(Settings(redis_url=f"rediss://localhost:{site.secure}", **files))
    before = store.health.warnings()
    now = time.time()
    monkeypatch.setattr(tls, "time", SimpleNamespace(**vars(time) | {"time": lambda: now + 1.6 * 86_400}))  # of 2 days
    (warning,) = (warning for warning in store.health.warnings() if warning not in before)
    assert "VOTEWEB_REDIS_CERTIFICATE_FILE expires at 20" in warning
    store.connection.close()
    monkeypatch.setattr(tls, "EXPIRY_DAYS", 0.3)
    assert tls.expiry_warnings(site.files(site.ours)) == []
    assert tls.expiry_warnings(NO_FILES) == tls.expiry_warnings(site.files(None)) == []
    for file in map(str, (site.expired.file, "/nowhere")):
        (warning,) = tls.expiry_warnings(TlsFiles("", file, str(site.expired.key)))
        assert "cannot be used any more" in warning
        assert file not in warning


def test_the_doctor_names_what_is_not_safe(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_text("-----BEGIN PRIVATE KEY-----")
    files = TlsFiles("", str(key), str(key))
    for url in ("redis://localhost", "redis://:p@[::1]/1", "redis://database:6379", "unix:///a.b/c", "rediss://db.x"):
        assert tls.hints(url, files) == []
    (hint,) = tls.hints("redis+sentinel://me:p.w@127.0.0.1:1,10.0.0.2,db.internal:3/news", NO_FILES)
    assert hint.startswith("The connection to 10.0.0.2, db.internal:3 is not encrypted")
    for option in ("ssl_cert_reqs=none", "ssl_check_hostname=False"):
        (hint,) = tls.hints(f"rediss://db.internal?db=1&{option}", NO_FILES)
        assert option.lower() in hint
    key.chmod(0o644)
    for given in (files, files._replace(key="")):
        assert "Everybody" in tls.hints("rediss://db.internal", given)[0]
    key.write_text("-----BEGIN CERTIFICATE-----")
    assert tls.hints("rediss://db.internal", files._replace(key="")) == []
