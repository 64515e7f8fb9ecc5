"""Certificate authorities and certificates made for a test, by openssl."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.deploy.files import DEPLOY, with_replacements
from tests.helpers import needs

#: The names and addresses of this machine that a certificate can have.
LOCAL = ("DNS:localhost", "IP:127.0.0.1")


class Certificate(NamedTuple):
    """The files of a certificate and of its key."""

    file: Path
    key: Path

    def server_options(self, authority: "Authority") -> Sequence[str]:
        """Return the options of a server that has this certificate, and asks for one of *authority*."""
        return (
            *("--tls-cert-file", str(self.file), "--tls-key-file", str(self.key)),
            *("--tls-ca-cert-file", str(authority.file)),
        )


class Authority:
    """A certificate authority, which keeps its files in *folder*; skips the running test without openssl.

    Its ``certificate`` has the *extensions*, such as ``subjectAltName=DNS:news.example``.
    """

    def __init__(self, folder: Path, name: str = "authority", *extensions: str) -> None:
        needs(shutil.which("openssl"), "openssl")
        self._folder = folder
        options = [word for extension in extensions for word in ("-addext", extension)]
        self.certificate = self._make(name, "req", "-x509", *_key_options(name), *options, "-days", "2")
        self.file, self._key = self.certificate

    def issue(self, name: str, *hosts: str, days: int = 2) -> Certificate:
        """Return a new certificate for *hosts*, valid for *days* from now; one that has expired for negative days."""
        request = self._folder / f"{name}.csr"
        extension = ["-addext", "basicConstraints=CA:FALSE"]
        extension += ["-addext", f"subjectAltName={','.join(hosts)}"] if hosts else []
        _, key = self._make(name, "req", "-new", *_key_options(name), *extension, out=request)
        signing = ("-in", str(request), "-copy_extensions", "copy", "-CA", str(self.file), "-CAkey", str(self._key))
        file = self._folder / f"{name}.crt"
        # Newer versions take no negative days, and older ones no dates.
        is_old = "-not_after" not in _openssl("x509", "-help")
        past = ("-not_before", "20000101000000Z", "-not_after", "20010101000000Z")
        validity = ("-days", str(days)) if days > 0 or is_old else past
        _openssl("x509", "-req", *signing, *validity, "-out", str(file))
        return Certificate(file, key)

    def _make(self, name: str, *command: str, out: Path | None = None) -> Certificate:
        file, key = out or self._folder / f"{name}.crt", self._folder / f"{name}.key"
        _openssl(*command, "-keyout", str(key), "-out", str(file))
        return Certificate(file, key)


class LocalTls:
    """Certificates with which servers on this machine, of the names *hosts*, and clients trust each other."""

    def __init__(self, folder: Path, *hosts: str) -> None:
        self._authority = Authority(folder)
        self._server, self._client = self._authority.issue("server", *hosts), self._authority.issue("client")

    def server_lines(self) -> str:
        """Return the lines of deploy/redis/tls.conf, with the certificate of the servers."""
        files = {"server.crt": self._server.file, "server.key": self._server.key, "ca.crt": self._authority.file}
        replacements = {f"/etc/redis/tls/{name}": str(file) for name, file in files.items()}
        return with_replacements((DEPLOY / "redis" / "tls.conf").read_text(), replacements)

    def client_options(self) -> dict[str, Any]:
        """Return the options of a client of redis-py."""
        names = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
        return {"ssl": True, "host": "localhost", **dict(zip(names, self._client_files(), strict=True))}

    def settings(self) -> dict[str, Any]:
        """Return the settings of a site."""
        names = ("redis_ca_file", "redis_certificate_file", "redis_key_file")
        return dict(zip(names, self._client_files(), strict=True))

    def _client_files(self) -> tuple[str, ...]:
        return str(self._authority.file), *map(str, self._client)


def _key_options(name: str) -> Sequence[str]:
    return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}"


def _openssl(*arguments: str) -> str:
    result = subprocess.run(["openssl", *arguments], check=True, capture_output=True, text=True)
    return result.stdout + result.stderr
